// SPDX-License-Identifier: MIT
#include "measure/trials.hpp"

#include <algorithm>
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
    ASSAY_TRY(ScratchFolder folder, ScratchFolder::make(problem_.bytes() * bench_.protocol.sets));
    scratch_.emplace(std::move(folder));
    for (size_t i = 0; i < bench_.protocol.sets; ++i) {
      ASSAY_TRY(InputSet set, InputSet::make(problem_, random_.next(), scratch_->path() / fmt::format("set{}", i)));
      sets_.push_back(std::move(set));
    }
    for (auto& side : sides_) {
      ASSAY_TRY(side, Provider::start(bench_.contenders.front(), bench_.device, random_.next()));
      ASSAY_CHECK(prepare(*side, kBaseDelay));
    }
    TrialReport report;
    ASSAY_CHECK(compare_often("same kernel", request_.pairs, report.same));
    report.kernel_us = stats::median_of(times_[1]);
    for (const double slowdown : request_.slowdowns) {
      // The delay's cycles at the clock that the samples had.
      const auto extra = static_cast<uint64_t>(std::llround(slowdown * report.kernel_us * clock_mhz_));
      ASSAY_CHECK(prepare(*sides_[0], kBaseDelay + extra));
      judge::InjectedTrials injected{slowdown, {}};
      ASSAY_CHECK(compare_often(fmt::format("{:.1f} % slower", 100 * slowdown), request_.trials, injected.verdicts));
      report.measured_slowdowns.push_back(stats::median_of(times_[0]) / stats::median_of(times_[1]) - 1);
      report.injected.push_back(std::move(injected));
    }
    report.calibration = judge::calibrate(report.same, report.injected);
    return report;
  }

 private:
  Result<void> prepare(Provider& side, uint64_t delay) {
    Protocol protocol = bench_.protocol;
    protocol.delay_cycles = delay;
    const auto prepared =
        side.prepare(prepare_request(problem_, protocol, timing_of(bench_), sets_, bench_.contenders.front().options));
    return prepared ? Result<void>() : prepared.error();
  }

  Result<judge::Block> sample(size_t side) {
    const std::vector<size_t> order = schedule_.sets(bench_.sampling.block, sets_.size());
    ASSAY_TRY(const SampleBlock block, sides_[side]->sample(order, schedule_.poisons(order.size())));
    times_[side].insert(times_[side].end(), block.us.begin(), block.us.end());
    judge::Block entry = as_block(block);
    if (entry.clock_mhz) clock_mhz_ = *entry.clock_mhz;
    return entry;
  }

  Result<void> compare_often(const std::string& what, size_t count, std::vector<judge::Verdict>& verdicts) {
    const size_t rounds = std::max<size_t>(1, bench_.sampling.minimum / bench_.sampling.block);
    times_[0].clear();
    times_[1].clear();
    for (size_t trial = 0; trial < count; ++trial) {
      judge::Blocks blocks[2];
      for (size_t round = 0; round < rounds; ++round) {
        for (const size_t side : schedule_.next_round()) {
          ASSAY_TRY(judge::Block block, sample(side));
          blocks[side].push_back(std::move(block));
        }
      }
      judge::CompareOptions options = request_.compare;
      options.seed = random_.next();
      ASSAY_TRY(const judge::Comparison comparison, judge::compare(blocks[0], blocks[1], options));
      verdicts.push_back(comparison.verdict);
      request_.on_step(fmt::format("{}: {} of {}", what, trial + 1, count));
    }
    return {};
  }

  const BenchRequest& bench_;
  const TrialRequest& request_;
  Schedule schedule_;
  Random random_;
  ProblemCase problem_;
  std::optional<ScratchFolder> scratch_;
  std::vector<InputSet> sets_;
  std::unique_ptr<Provider> sides_[2];
  std::vector<double> times_[2];
  double clock_mhz_ = 1500;  // until a sample tells
};

}  // namespace

Result<TrialReport> run_trials(const BenchRequest& bench, const TrialRequest& request) {
  return TrialRun(bench, request).run();
}

}  // namespace assay::measure
