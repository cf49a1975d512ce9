// SPDX-License-Identifier: MIT
// Proposing, building, counting and evaluating.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <thread>

#include "base/threads.hpp"
#include "work/tune_run.hpp"

namespace assay::work {
namespace {

constexpr size_t kMostTroubles = 5;  // of machines, one after the other; then the run ends

}  // namespace

Result<build::BuildReport> KernelTuning::build(const std::vector<spec::Configuration>& configurations) const {
  build::BuildOptions options;
  options.targets = {target_};
  options.context.cancellation = context_.cancellation;
  return build::build(spec_, configurations, options);
}

// Whoever is built is examined at once, and counted where that is wanted, all of them side by side.
Result<KernelTuning::Ready> KernelTuning::make_ready(const std::vector<spec::Configuration>& configurations,
                                                     const std::set<std::string>& to_count) const {
  struct Done {
    TunedConfiguration examined;
    std::optional<BlockCounts> counts;
  };
  Ready ready;
  ASSAY_TRY(ready.built, build(configurations));
  std::vector<std::future<Result<Done>>> running;
  for (const build::BuildResult& result : ready.built.results)
    running.push_back(std::async(std::launch::async, [this, &result, &to_count]() -> Result<Done> {
      Done done;
      ASSAY_TRY(done.examined, evaluator_->examine(result));
      if (done.examined.failure.empty() && to_count.contains(done.examined.configuration))
        done.counts = counting_->count(result);
      return done;
    }));
  std::optional<Error> problem;
  for (auto& each : running) {
    auto done = each.get();
    if (done) {
      const std::string id = done->examined.configuration;
      if (done->counts) ready.counts[id] = *std::move(done->counts);
      ready.examined[id] = std::move(done->examined);
    } else {
      problem = done.error();
    }
  }
  if (problem) return *problem;
  return ready;
}

std::string KernelTuning::why_not_counted() const {
  constexpr size_t kMostPredicted = 200'000;
  if (!request_.counters) return "switched off";
  if (request_.strategy != "model") return fmt::format("the strategy {} makes no use of them", request_.strategy);
  if (crew_ != nullptr) return "workers evaluate what they build at once";
  if (proposals_->spaces().listed() && proposals_->budget() >= proposals_->space().space.size())
    return "every configuration is evaluated";
  if (proposals_->space().space.size() > kMostPredicted)
    return fmt::format("the space has more than {} configurations", kMostPredicted);
  return TuneCounting::why_not(spec_);
}

Result<void> KernelTuning::count_built(const std::vector<spec::Configuration>& configurations) {
  ASSAY_TRY(const build::BuildReport built, build(configurations));
  std::vector<const build::BuildResult*> usable;
  for (const build::BuildResult& result : built.results) {
    const double seconds = std::chrono::duration<double>(result.duration).count();
    report_.compile_s += seconds;
    report_.counters.compile_s += seconds;
    ++report_.counters.built;
    if (result.usable()) {
      usable.push_back(&result);
    } else if (not_built_.empty()) {
      not_built_ = fmt::format("{}: {}", result.configuration.id(), result.reason);
    }
  }
  // Not more at once than there are cores: each has a limit of time.
  std::vector<BlockCounts> counts(usable.size());
  std::atomic<size_t> next{0};
  on_threads(std::min<size_t>(core_count(), usable.size()), [&] {
    for (size_t i = next.fetch_add(1); i < usable.size() && !context_.cancelled(); i = next.fetch_add(1))
      counts[i] = counting_->count(*usable[i]);
  });
  ASSAY_CHECK(check_cancelled(context_));
  for (size_t i = 0; i < usable.size(); ++i) counting_->add(usable[i]->configuration.id(), std::move(counts[i]));
  return {};
}

Result<void> KernelTuning::expect() {
  return proposals_->expect([this](const KernelSpace& space) { return counting_->predict(space); });
}

// Some that are spread out are built and counted; then those that the counts of these say are the best. What is built
// here and proposed later need not be built again.
Result<void> KernelTuning::count_first() {
  constexpr size_t kSpread = 12, kPromising = 4, kRounds = 2;
  TuneCounters& counters = report_.counters;
  counters.why_not = why_not_counted();
  if (!counters.why_not.empty()) return {};
  counting_.emplace(spec_, shapes_, *model_,
                    TuneCounting::Options{evaluator_->twin(), request_.seed, request_.limits, rates_}, context_);
  Progress progress(context_, fmt::format("counting {} before anything is evaluated", spec_.kernel.name),
                    kSpread + kRounds * kPromising);
  ASSAY_TRY(const std::vector<spec::Configuration> spread, proposals_->spread(kSpread));
  ASSAY_CHECK(count_built(spread));
  for (const spec::Configuration& each : spread) progress.advance(each.id());
  std::vector<double> predicted;
  for (size_t round = 0;; ++round) {
    const KernelSpace& space = proposals_->space();
    if (counting_->counted() >= counting_->failed()) predicted = counting_->predict(space);
    if (predicted.empty()) {
      counters.why_not = counting_->problem().empty()
                             ? fmt::format("too few configurations could be built; {}", not_built_)
                             : fmt::format("{} of {} could not be counted; {}", counting_->failed(),
                                           counting_->failed() + counting_->counted(), counting_->problem());
      counters.count_s = counting_->seconds();
      counting_.reset();
      return {};
    }
    std::vector<size_t> order;
    for (size_t i = 0; i < predicted.size(); ++i) {
      if (std::isfinite(predicted[i])) order.push_back(i);
    }
    std::ranges::stable_sort(order, {}, [&](size_t each) { return predicted[each]; });
    if (!order.empty()) counters.predicted = space.configuration(order.front()).id();
    if (round == kRounds || out_of_time()) break;
    std::vector<spec::Configuration> promising;
    for (const size_t each : order) {
      spec::Configuration configuration = space.configuration(each);
      if (!counting_->knows(configuration.id())) promising.push_back(std::move(configuration));
      if (promising.size() == kPromising) break;
    }
    ASSAY_CHECK(count_built(promising));
    for (const spec::Configuration& each : promising) progress.advance(each.id());
  }
  counters.used = true;
  return expect();
}

Result<KernelTuning::Batch> KernelTuning::propose(size_t count) {
  Batch batch;
  ASSAY_TRY(batch.picks, proposals_->propose(count));
  std::set<std::string> to_count;
  for (const spec::Configuration& pick : batch.picks) {
    if (counting_ && !counting_->knows(pick.id())) to_count.insert(pick.id());
  }
  if (!batch.picks.empty())
    batch.ready = std::async(std::launch::async, [this, wanted = batch.picks, to_count = std::move(to_count)] {
      return make_ready(wanted, to_count);
    });
  return batch;
}

// What an earlier run measured counts before anything is proposed, in its order: a search whose predictions came about
// in another order would not propose all of it again.
Result<size_t> KernelTuning::recall_measured(Progress& progress) {
  size_t recalled = 0;
  for (const TunedConfiguration& known : journal_->known()) {
    ASSAY_TRY(const bool here, proposals_->holds(known.configuration));
    if (!here) continue;
    ++recalled;
    ++report_.recalled;
    take(known, progress);
  }
  if (recalled > 0) ASSAY_CHECK(proposals_->see_what_was_measured());
  return recalled;
}

// As many as the workers can have are out at a time; what comes back decides what goes out next.
Result<void> KernelTuning::search_with_crew() {
  const size_t budget = proposals_->budget();
  Progress progress(context_, fmt::format("tuning {}", spec_.kernel.name), budget);
  ASSAY_TRY(size_t proposed, recall_measured(progress));
  size_t troubles = 0;  // one after the other
  while (true) {
    while (crew_->open_items() < crew_->most_open() && proposed < budget && !out_of_time() &&
           (crew_->open_items() == 0 || !proposals_->wants_all_told())) {
      ASSAY_TRY(const std::vector<spec::Configuration> picks, proposals_->propose(1));
      if (picks.empty()) break;
      ++proposed;
      ASSAY_CHECK(crew_->put(picks[0].id()));
    }
    if (crew_->open_items() == 0) break;
    progress.step(crew_->state());
    ASSAY_TRY(const TunedConfiguration evaluated, crew_->next());
    troubles = evaluated.failure == "machine" ? troubles + 1 : 0;
    if (troubles == kMostTroubles)
      return Error{fmt::format("{} evaluations in a row failed, and not because of the kernel; the last: {}: {}",
                               troubles, evaluated.configuration, evaluated.message),
                   {},
                   "mend the machine; --resume goes on with what was evaluated",
                   ExitCode::environment};
    if (evaluated.failure != "machine") ASSAY_CHECK(journal_->remember(evaluated));
    take(evaluated, progress);
  }
  report_.interrupted = proposed < budget && out_of_time();
  return {};
}

// The next batch is built while this one is measured.
Result<void> KernelTuning::search() {
  ASSAY_CHECK(count_first());
  if (crew_ != nullptr) return search_with_crew();
  const size_t budget = proposals_->budget();
  const size_t cores = std::max<size_t>(1, std::thread::hardware_concurrency());
  const size_t size = request_.batch > 0 ? request_.batch : std::min<size_t>(cores, 8);
  Progress progress(context_, fmt::format("tuning {}", spec_.kernel.name), budget);
  ASSAY_TRY(size_t proposed, recall_measured(progress));
  std::deque<Batch> batches;
  while (!out_of_time()) {
    while (batches.size() < 2 && proposed < budget && (batches.empty() || !proposals_->wants_all_told())) {
      ASSAY_TRY(Batch batch, propose(std::min(size, budget - proposed)));
      if (batch.picks.empty()) break;
      proposed += batch.picks.size();
      batches.push_back(std::move(batch));
    }
    if (batches.empty()) return {};
    Batch batch = std::move(batches.front());
    batches.pop_front();
    ASSAY_CHECK(evaluate(batch, progress));
  }
  report_.interrupted = true;
  return {};
}

// This pick of the batch and those after it that will be measured, as many as may be open.
void KernelTuning::open_from(const Batch& batch, size_t first, const Ready& ready) {
  if (!evaluator_->measures() || evaluator_->most_open() < 2) return;
  std::vector<const build::BuildResult*> next;
  for (size_t i = first; i < batch.picks.size() && next.size() < evaluator_->most_open(); ++i) {
    const std::string id = batch.picks[i].id();
    const auto examined = ready.examined.find(id);
    if (examined == ready.examined.end() || !examined->second.failure.empty() || evaluator_->is_open(id)) continue;
    if (const build::BuildResult* built = ready.built.find(batch.picks[i], target_)) next.push_back(built);
  }
  if (next.size() > 1) evaluator_->open_together(next);
}

Result<void> KernelTuning::evaluate(Batch& batch, Progress& progress) {
  std::optional<Ready> ready;
  if (batch.ready.valid()) {
    auto made = batch.ready.get();
    if (!made) return std::move(made).error();
    ready = std::move(*made);
  }
  if (ready && !ready->counts.empty()) {
    for (auto& [configuration, counts] : ready->counts) {
      if (!counting_->knows(configuration)) counting_->add(configuration, std::move(counts));
    }
    ASSAY_CHECK(expect());
  }
  for (size_t i = 0; i < batch.picks.size(); ++i) {
    const spec::Configuration& configuration = batch.picks[i];
    ASSAY_CHECK(check_cancelled(context_));
    if (out_of_time()) continue;
    const build::BuildResult* built = ready ? ready->built.find(configuration, target_) : nullptr;
    if (built == nullptr) return Error{"a configuration was not built", {}, "", ExitCode::internal};
    TunedConfiguration evaluated = ready->examined.at(configuration.id());
    if (evaluated.failure.empty() && !evaluator_->is_open(configuration.id())) open_from(batch, i, *ready);
    ASSAY_CHECK(evaluator_->measure(*built, best_by_shape_, evaluated));
    ASSAY_CHECK(journal_->remember(evaluated));
    take(std::move(evaluated), progress);
  }
  return {};
}

std::string KernelTuning::progress_text(const TunedConfiguration& last) const {
  const double minutes = seconds_since(start_) / 60;
  const size_t fresh = report_.evaluated.size() - report_.recalled;
  const std::string speed =
      minutes > 0.02 ? fmt::format(", {:.0f} a minute", static_cast<double>(fresh) / minutes) : "";
  const std::string outcome = last.value ? fmt::format("{:.5g} {}", *last.value, report_.unit) : last.failure;
  return fmt::format("{} ({}); best {} {}{}", last.configuration, outcome,
                     best_ ? fmt::format("{:.5g} {}", *best_, report_.unit) : "none", best_id_, speed);
}

void KernelTuning::take(TunedConfiguration result, Progress& progress) {
  proposals_->tell(result);
  if (result.value && (!best_ || *result.value < *best_)) {
    best_ = result.value;
    best_id_ = result.configuration;
    best_by_shape_ = result.by_shape;
  }
  report_.compile_s += result.recalled ? 0 : result.compile_s;
  report_.check_s += result.recalled ? 0 : result.check_s;
  report_.measure_s += result.recalled ? 0 : result.measure_s;
  report_.evaluated.push_back(std::move(result));
  progress.advance(progress_text(report_.evaluated.back()));
}

size_t KernelTuning::index_of(const std::string& configuration) const {
  return proposals_->space().find(configuration).value();
}

}  // namespace assay::work
