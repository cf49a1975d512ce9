// SPDX-License-Identifier: MIT
#include "measure/trials.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/scratch_folder.hpp"
#include "judge/compare.hpp"
#include "measure/input_set.hpp"
#include "measure/schedule.hpp"
#include "stats/quantile.hpp"

namespace assay::measure {
namespace {

// Both sides hold a delay, so that only its length tells them apart; launching it costs the same on both.
constexpr uint64_t kBaseDelay = 1000;

class TrialRun {
 public:
  TrialRun(const BenchRequest& bench, const TrialRequest& request)
      : bench_(bench), request_(request), schedule_(2, bench.seed), random_(bench.seed ^ 0xca11b) {}

  Result<TrialReport> run() {
    ASSAY_TRY(problem_, ProblemCase::make(*bench_.spec, bench_.configuration, bench_.shapes.front()));
    ASSAY_TRY(const size_t sets,
              sets_for(bench_.protocol, problem_.bytes(), static_cast<uint64_t>(bench_.model.l2_bytes)));
    ASSAY_TRY(ScratchFolder folder, ScratchFolder::make(problem_.bytes() * sets));
    scratch_.emplace(std::move(folder));
    ASSAY_TRY(sets_, make_input_sets(problem_, sets, random_, scratch_->path() / "set"));
    TrialReport report;
    ASSAY_TRY(report.same, compare_often("same kernel", request_.pairs, kBaseDelay));
    report.kernel_us = stats::median_of(times_[1]);
    std::vector<judge::InjectedTrials> injected;
    // By size, as the calibration lists them.
    std::vector<double> slowdowns = request_.slowdowns;
    std::sort(slowdowns.begin(), slowdowns.end());
    for (const double slowdown : slowdowns) {
      // The delay's cycles at the clock that the samples had.
      const auto extra = static_cast<uint64_t>(std::llround(slowdown * report.kernel_us * clock_mhz_));
      const std::string what = fmt::format("{:.1f} % slower", 100 * slowdown);
      ASSAY_TRY(std::vector<Trial> trials, compare_often(what, request_.trials, kBaseDelay + extra));
      report.measured_slowdowns.push_back(stats::median_of(times_[0]) / stats::median_of(times_[1]) - 1);
      injected.push_back({slowdown, gate_verdicts(trials)});
      report.slower.push_back(std::move(trials));
    }
    report.calibration = judge::calibrate(gate_verdicts(report.same), injected);
    report.calibration.side_spread_us = side_spread_us(report.same, report.kernel_us);
    return report;
  }

 private:
  // The true ratio is 1, and both sides have their share in what is seen.
  static std::optional<double> side_spread_us(const std::vector<Trial>& same, double kernel_us) {
    if (same.size() < judge::kSpreadTrials) return std::nullopt;
    double squares = 0;
    for (const Trial& trial : same) squares += std::log(trial.ratio) * std::log(trial.ratio);
    return kernel_us * std::sqrt(squares / static_cast<double>(same.size()) / 2);
  }

  static std::vector<judge::GateVerdict> gate_verdicts(const std::vector<Trial>& trials) {
    std::vector<judge::GateVerdict> verdicts;
    verdicts.reserve(trials.size());
    for (const Trial& trial : trials) verdicts.push_back(trial.gated);
    return verdicts;
  }

  Result<void> start_sides(uint64_t first_delay) {
    for (size_t side = 0; side < 2; ++side) {
      sides_[side].reset();
      ASSAY_TRY(sides_[side], Provider::start(bench_.contenders.front(), bench_.device, random_.next()));
      delay_[side] = side == 0 ? first_delay : kBaseDelay;
      ASSAY_CHECK(prepare(side));
      // First launches, clocks that wake up.
      ASSAY_TRY([[maybe_unused]] const judge::Block block,
                sample(side, schedule_.plan(bench_.sampling.block, sets_.size())));
    }
    return {};
  }

  Result<void> prepare(size_t side) {
    Protocol protocol = bench_.protocol;
    protocol.delay_cycles = delay_[side];
    protocol.placement = random_.below(kPlacements);
    const auto variant = sides_[side]->prepare(
        prepare_request(problem_, protocol, timing_of(bench_), sets_, bench_.contenders.front().options));
    return variant ? Result<void>() : variant.error();
  }

  Result<judge::Block> sample(size_t side, const BlockPlan& plan) {
    ASSAY_TRY(const SampleBlock block, sides_[side]->sample(plan.sets, plan.poisons));
    judge::Block entry = as_block(block, plan.lead_in);
    if (entry.clock_mhz) clock_mhz_ = *entry.clock_mhz;
    return entry;
  }

  // As many samples as a bench would take.
  Result<Trial> compare_once() {
    const Sampling& sampling = bench_.sampling;
    const auto start = std::chrono::steady_clock::now();
    judge::Blocks blocks[2];
    size_t samples = 0;
    const auto done = [&] {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      return reason_to_stop(sampling, samples, taken.count(), {&blocks[0], &blocks[1]}).has_value();
    };
    while (!done()) {
      const Round round = schedule_.next_round(sampling.block, sets_.size());
      for (const size_t side : round.contenders) ASSAY_CHECK(prepare(side));
      for (const size_t side : round.contenders) {
        ASSAY_TRY(judge::Block block, sample(side, round.plan));
        times_[side].insert(times_[side].end(), block.microseconds.begin(), block.microseconds.end());
        blocks[side].push_back(std::move(block));
      }
      samples += sampling.block;
    }
    judge::CompareOptions options = request_.compare;
    options.seed = random_.next();
    ASSAY_TRY(const judge::Comparison comparison, judge::compare(blocks[0], blocks[1], options));
    ASSAY_TRY(const judge::Comparison for_gate,
              judge::compare(blocks[0], blocks[1], judge::without_process_spread(options)));
    const judge::GateResult gated =
        judge::gate({judge::GateCase{.name = "trial", .comparison = for_gate}}, request_.gate);
    return Trial{comparison.verdict, gated.verdict, comparison.ratio, samples};
  }

  Result<std::vector<Trial>> compare_often(const std::string& what, size_t count, uint64_t first_delay) {
    times_[0].clear();
    times_[1].clear();
    std::vector<Trial> trials;
    for (size_t i = 0; i < count; ++i) {
      if (i % kTrialsPerProcess == 0) ASSAY_CHECK(start_sides(first_delay));
      ASSAY_TRY(const Trial trial, compare_once());
      trials.push_back(trial);
      request_.on_step(fmt::format("{}: {} of {}", what, i + 1, count));
    }
    return trials;
  }

  const BenchRequest& bench_;
  const TrialRequest& request_;
  Schedule schedule_;
  Random random_;
  ProblemCase problem_;
  std::optional<ScratchFolder> scratch_;
  std::vector<InputSet> sets_;
  std::unique_ptr<Provider> sides_[2];
  uint64_t delay_[2] = {kBaseDelay, kBaseDelay};
  std::vector<double> times_[2];
  double clock_mhz_ = 1500;  // until a sample tells
};

}  // namespace

size_t TrialReport::false_comparisons() const {
  return static_cast<size_t>(std::count_if(same.begin(), same.end(), [](const Trial& trial) {
    return trial.compared == judge::Verdict::faster || trial.compared == judge::Verdict::slower;
  }));
}

double TrialReport::process_spread() const {
  std::vector<double> levels;
  for (size_t first = 0; first + kTrialsPerProcess <= same.size(); first += kTrialsPerProcess) {
    double sum = 0;
    for (size_t i = 0; i < kTrialsPerProcess; ++i) sum += std::log(same[first + i].ratio);
    levels.push_back(sum / static_cast<double>(kTrialsPerProcess));
  }
  if (levels.size() < 3) return 0;
  double squares = 0;
  for (const double level : levels) squares += level * level;  // the true level is no difference
  return std::sqrt(squares / static_cast<double>(levels.size()));
}

Result<TrialReport> run_trials(const BenchRequest& bench, const TrialRequest& request) {
  return TrialRun(bench, request).run();
}

}  // namespace assay::measure
