// SPDX-License-Identifier: MIT
// The tie group: by what was estimated, or by a race.
#include <algorithm>
#include <fmt/format.h>

#include "tune/race.hpp"
#include "work/tune_answer.hpp"
#include "work/tune_run.hpp"

namespace assay::work {
namespace {

constexpr size_t kRaced = 8;  // processes that are open on the GPU at once

}  // namespace

// The same counts give the same estimate: without noise, ties are equal or as good as.
void KernelTuning::tie_by_value() {
  for (const TunedConfiguration& each : report_.evaluated) {
    if (!each.value || *each.value > *best_ * (1 + kMargin)) continue;
    report_.tie_group.push_back(each.configuration);
    report_.regret_bounds[each.configuration] = *each.value / *best_ - 1;
  }
}

// All that may be the best, best first.
std::vector<size_t> KernelTuning::fastest() const {
  std::vector<std::pair<double, size_t>> measured;
  for (const TunedConfiguration& each : report_.evaluated) {
    if (each.value && !each.bailed_out) measured.emplace_back(*each.value, index_of(each.configuration));
  }
  std::ranges::sort(measured);
  std::vector<size_t> runners = tune::finalists(measured);
  if (runners.size() > kRaced) runners.resize(kRaced);
  return runners;
}

// Those that tie on every GPU; if there are none, those that tie on the most.
Result<void> KernelTuning::race_with_crew() {
  std::vector<std::string> finalists;
  for (const size_t each : fastest()) finalists.push_back(proposals_->space().configuration(each).id());
  ASSAY_TRY(report_.regret_bounds, crew_->race(finalists));
  std::map<std::string, size_t> ties;
  for (const TuneDevice& device : crew_->devices()) {
    for (const std::string& each : device.tie_group) ++ties[each];
  }
  size_t most = 0;
  for (const auto& [configuration, count] : ties) most = std::max(most, count);
  for (const std::string& each : finalists) {
    const auto found = ties.find(each);
    if (found != ties.end() && found->second == most) report_.tie_group.push_back(each);
  }
  return {};
}

// Checked on the GPU itself, interleaved in random order; a heat is samples of every shape.
Result<void> KernelTuning::race() {
  if (crew_ != nullptr) return race_with_crew();
  evaluator_->open_together({});  // what was measured ends: the race has the GPU for itself
  const std::vector<size_t> runners = fastest();
  std::vector<spec::Configuration> wanted;
  for (const size_t each : runners) wanted.push_back(proposals_->space().configuration(each));
  ASSAY_TRY(const build::BuildReport built, build(wanted));
  std::map<size_t, std::vector<std::unique_ptr<TimedConfiguration>>> open;
  for (const size_t each : runners) {
    const build::BuildResult* result = built.find(proposals_->space().configuration(each), target_);
    if (result != nullptr) {
      TunedConfiguration& own = *std::ranges::find(report_.evaluated, proposals_->space().configuration(each).id(),
                                                   &TunedConfiguration::configuration);
      ASSAY_TRY(const bool correct, evaluator_->correct_on_gpu(*result, own));
      if (!correct) {
        own.value.reset();
        continue;
      }
    }
    for (size_t shape = 0; result != nullptr && shape < report_.shapes.size(); ++shape) {
      auto timed = evaluator_->timed(*result, shape);
      ASSAY_CHECK(check_cancelled(context_));
      if (!timed) break;
      open[each].push_back(std::move(*timed));
    }
  }
  tune::Race race(runners, {}, request_.seed);
  Progress progress(context_, "race", runners.size() * 2);
  while (const auto heat = race.next()) {
    ASSAY_CHECK(check_cancelled(context_));
    double sum = 0;
    bool good = open[heat->configuration].size() == report_.shapes.size();
    for (const auto& timed : open[heat->configuration]) {
      auto samples = good ? timed->sample(heat->samples) : Result<std::vector<double>>(Error{"out"});
      good = good && samples.ok();
      if (!good) break;
      double mean = 0;
      for (const double each : *samples) mean += each / static_cast<double>(samples->size());
      sum += std::log(mean);
    }
    const double value = std::exp(sum / static_cast<double>(report_.shapes.size()));
    race.add(heat->configuration, good ? std::vector{value} : std::vector<double>{});
    progress.advance(proposals_->space().configuration(heat->configuration).id());
  }
  for (const tune::RaceStanding& each : race.standings()) {
    const std::string id = proposals_->space().configuration(each.configuration).id();
    if (each.tied) report_.tie_group.push_back(id);
    if (const auto bound = race.regret_bound(each.configuration)) report_.regret_bounds[id] = *bound;
  }
  return {};
}

}  // namespace assay::work
