// SPDX-License-Identifier: MIT
#include "measure/trials.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <future>
#include <nlohmann/json.hpp>

#include "base/scratch_files.hpp"
#include "judge/compare.hpp"
#include "judge/json_fields.hpp"
#include "measure/input_set.hpp"
#include "measure/schedule.hpp"
#include "stats/quantile.hpp"

namespace assay::measure {
namespace {

// Both sides hold a delay, so that only its length tells them apart; launching it costs the same on both.
constexpr uint64_t kBaseDelay = 1000;
constexpr double kUsualClock_mhz = 1500;  // until a sample tells

class TrialRun {
 public:
  TrialRun(const BenchRequest& bench, const TrialRequest& request)
      : bench_(bench),
        request_(request),
        schedule_(2, bench.order_seed.value_or(system_random())),
        places_(system_random()),
        random_(bench.seed ^ 0xca11b) {}

  Result<TrialReport> run() {
    ASSAY_TRY(problem_, ProblemCase::make(*bench_.spec, bench_.configuration, bench_.shapes.front()));
    ASSAY_TRY(const size_t sets,
              sets_for(bench_.protocol, problem_.bytes(), static_cast<uint64_t>(bench_.model.l2_bytes)));
    scratch_.emplace(static_cast<uint64_t>(problem_.bytes()) * sets);
    ASSAY_TRY(sets_, make_input_sets(problem_, sets, random_, *scratch_, "set"));
    TrialReport report;
    ASSAY_CHECK(compare_often(0, request_.pairs, report.same));
    report.kernel_us = median_us(report.same);
    // By size, as the calibration lists them.
    std::vector<double> slowdowns = request_.slowdowns;
    std::sort(slowdowns.begin(), slowdowns.end());
    std::vector<judge::InjectedTrials> injected;
    for (const double slowdown : slowdowns) {
      extra_delay_ = static_cast<uint64_t>(std::llround(slowdown * report.kernel_us * clock_of(report.same)));
      std::vector<Trial> trials;
      ASSAY_CHECK(compare_often(slowdown, request_.trials, trials));
      report.measured_slowdowns.push_back(median_ratio(trials) - 1);
      injected.push_back({slowdown, gate_verdicts(trials)});
      report.slower.push_back(std::move(trials));
    }
    report.complete = !stopped_;
    report.calibration = judge::calibrate(gate_verdicts(report.same), injected);
    report.calibration.spread = {spread_of(report.same, report.kernel_us)};
    return report;
  }

 private:
  static double median_us(const std::vector<Trial>& trials) {
    std::vector<double> times;
    for (const Trial& trial : trials) times.push_back(trial.baseline_us);
    return times.empty() ? 0 : stats::median_of(times);
  }
  static double median_ratio(const std::vector<Trial>& trials) {
    std::vector<double> ratios;
    for (const Trial& trial : trials) ratios.push_back(trial.ratio);
    return ratios.empty() ? 1 : stats::median_of(ratios);
  }
  static double clock_of(const std::vector<Trial>& trials) {
    return trials.empty() || trials.back().clock_mhz <= 0 ? kUsualClock_mhz : trials.back().clock_mhz;
  }

  // The true ratio is 1, and both sides have their share in what is seen.
  static judge::SpreadPoint spread_of(const std::vector<Trial>& same, double kernel_us) {
    double squares = 0;
    size_t pairs = 0;
    for (const Trial& trial : same) {
      for (const double ratio : trial.process_ratios) squares += ratio * ratio;
      pairs += trial.process_ratios.size();
    }
    return {kernel_us, pairs == 0 ? 0 : std::sqrt(squares / static_cast<double>(pairs) / 2), pairs};
  }

  static std::vector<judge::GateVerdict> gate_verdicts(const std::vector<Trial>& trials) {
    std::vector<judge::GateVerdict> verdicts;
    verdicts.reserve(trials.size());
    for (const Trial& trial : trials) verdicts.push_back(trial.gated);
    return verdicts;
  }

  // Their first answers are waited for at once.
  Result<void> start_sides(uint64_t first_delay) {
    for (auto& side : sides_) side.reset();
    for (auto& side : sides_) {
      ASSAY_TRY(side, Provider::launch(bench_.contenders.front(), Provider::Limits::of(*bench_.spec)));
    }
    auto greeted = std::async(std::launch::async, [this] { return sides_[0]->greet(bench_.device); });
    const Result<void> second = sides_[1]->greet(bench_.device);
    ASSAY_CHECK(greeted.get());
    ASSAY_CHECK(second);
    for (size_t side = 0; side < 2; ++side) {
      ASSAY_CHECK(prepare(side, side == 0 ? first_delay : kBaseDelay));
      // First launches, clocks that wake up.
      ASSAY_TRY([[maybe_unused]] const judge::Batch batch,
                sample(side, schedule_.plan(bench_.sampling.plan.batch, sets_.size()), 0));
    }
    return {};
  }

  Result<void> prepare(size_t side, uint64_t delay) {
    Protocol protocol = bench_.protocol;
    protocol.delay_cycles = delay;
    protocol.placement = places_.below(kPlacements);
    const auto variant = sides_[side]->prepare(
        prepare_request(problem_, protocol, timing_of(bench_), sets_, bench_.contenders.front().options));
    return variant ? Result<void>() : variant.error();
  }

  Result<judge::Batch> sample(size_t side, const BatchPlan& plan, size_t process) {
    ASSAY_TRY(const SampleBatch batch, sides_[side]->sample(plan.sets, plan.poisons));
    return as_batch(batch, plan.lead_in, process);
  }

  Result<Trial> compare_once(double slowdown) {
    const judge::Replication& plan = bench_.sampling.plan;
    const auto start = std::chrono::steady_clock::now();
    judge::Batches batches[2];
    size_t process = 0;
    const auto done = [&] {
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      return reason_to_stop(bench_.sampling, process, taken.count(), {&batches[0], &batches[1]}, request_.compare)
          .has_value();
    };
    for (; !done(); ++process) {
      ASSAY_CHECK(start_sides(kBaseDelay + (slowdown > 0 ? extra_delay_ : 0)));
      for (size_t i = 0; i < plan.batches; ++i) {
        const Round round = schedule_.next_round(plan.batch, sets_.size());
        for (const size_t side : round.contenders) {
          ASSAY_TRY(judge::Batch batch, sample(side, round.plan, process));
          batches[side].push_back(std::move(batch));
        }
      }
    }
    ASSAY_TRY(const judge::Comparison comparison, judge::compare(batches[0], batches[1], request_.compare));
    const judge::GateResult gated =
        judge::gate({judge::GateCase{.name = "trial", .comparison = comparison}}, request_.gate);
    return Trial{slowdown,
                 comparison.verdict,
                 gated.verdict,
                 comparison.ratio,
                 comparison.interval,
                 stats::median_of(judge::pooled(batches[1])),
                 judge::mean_clock(batches[1]).value_or(0),
                 judge::process_ratios(batches[0], batches[1])};
  }

  Result<void> compare_often(double slowdown, size_t count, std::vector<Trial>& trials) {
    for (const Trial& trial : request_.done) {
      if (trial.slowdown == slowdown && trials.size() < count) trials.push_back(trial);
    }
    const std::string what = slowdown > 0 ? fmt::format("{:.1f} % slower", 100 * slowdown) : "same kernel";
    while (trials.size() < count && !stopped_) {
      ASSAY_TRY(const Trial trial, compare_once(slowdown));
      trials.push_back(trial);
      request_.on_step(fmt::format("{}: {} of {}", what, trials.size(), count));
      ASSAY_TRY(const bool go_on, request_.on_trial(trial));
      stopped_ = !go_on;
    }
    return {};
  }

  const BenchRequest& bench_;
  const TrialRequest& request_;
  Schedule schedule_;
  Random places_;
  Random random_;
  ProblemCase problem_;
  std::optional<ScratchFiles> scratch_;
  std::vector<InputSet> sets_;
  std::unique_ptr<Provider> sides_[2];
  uint64_t extra_delay_ = 0;
  bool stopped_ = false;
};

}  // namespace

size_t TrialReport::false_comparisons() const {
  return static_cast<size_t>(std::count_if(same.begin(), same.end(), [](const Trial& trial) {
    return trial.compared == judge::Verdict::faster || trial.compared == judge::Verdict::slower;
  }));
}

nlohmann::json to_json(const Trial& trial) {
  return {{"slowdown", trial.slowdown},
          {"compare", judge::to_string(trial.compared)},
          {"gate", judge::to_string(trial.gated)},
          {"ratio", judge::number(trial.ratio)},
          {"interval", judge::interval_json(trial.interval)},
          {"baseline_us", judge::number(trial.baseline_us)},
          {"clock_mhz", judge::number(trial.clock_mhz)},
          {"process_ratios", trial.process_ratios}};
}

Result<Trial> trial_from_json(const nlohmann::json& json) {
  try {
    Trial trial;
    trial.slowdown = judge::number_from(json.at("slowdown"));
    trial.compared =
        judge::enum_from(json.at("compare"), {judge::Verdict::faster, judge::Verdict::slower, judge::Verdict::same,
                                              judge::Verdict::inconclusive, judge::Verdict::throttled});
    trial.gated = judge::enum_from(json.at("gate"), {judge::GateVerdict::pass, judge::GateVerdict::regression,
                                                     judge::GateVerdict::inconclusive, judge::GateVerdict::incorrect});
    trial.ratio = judge::number_from(json.at("ratio"));
    trial.interval = judge::interval_from(json.at("interval"));
    trial.baseline_us = judge::number_from(json.at("baseline_us"));
    trial.clock_mhz = judge::number_from(json.at("clock_mhz"));
    trial.process_ratios = json.at("process_ratios").get<std::vector<double>>();
    return trial;
  } catch (const std::exception& problem) {
    return Error{fmt::format("this is no trial: {}", problem.what())};
  }
}

Result<TrialReport> run_trials(const BenchRequest& bench, const TrialRequest& request) {
  return TrialRun(bench, request).run();
}

}  // namespace assay::measure
