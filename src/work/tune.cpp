// SPDX-License-Identifier: MIT
#include "assay/tune.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <future>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "base/elapsed.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "base/version.hpp"
#include "device/open/open_device.hpp"
#include "ledger/time_text.hpp"
#include "spec/choice.hpp"
#include "spec/enumerate.hpp"
#include "tune/race.hpp"
#include "tune/strategy.hpp"
#include "work/counting.hpp"
#include "work/document.hpp"
#include "work/gather_crew.hpp"
#include "work/kernel.hpp"
#include "work/measuring.hpp"
#include "work/recording.hpp"
#include "work/tune_answer.hpp"
#include "work/tune_counting.hpp"
#include "work/tune_crew.hpp"
#include "work/tune_details.hpp"
#include "work/tune_evaluation.hpp"
#include "work/tune_journal.hpp"
#include "work/tune_json.hpp"
#include "work/tune_proposals.hpp"
#include "work/tune_space.hpp"

namespace assay::work {
namespace {

using nlohmann::json;
using std::chrono::steady_clock;

constexpr size_t kRaced = 8;         // processes that are open on the GPU at once
constexpr size_t kMostTroubles = 5;  // of machines, one after the other; then the run ends

// The search of one kernel, from the space to the tie group.
class KernelTuning {
 public:
  KernelTuning(const spec::KernelSpec& spec, const TuneRequest& request, const Context& context)
      : spec_(spec), request_(request), context_(context) {}

  Result<TuneReport> run(Recording& recording, const std::string& device);

 private:
  // Built and examined on the CPU, ready to be measured.
  struct Ready {
    build::BuildReport built;
    std::map<std::string, TunedConfiguration> examined;  // by configuration
    std::map<std::string, BlockCounts> counts;
  };
  struct Batch {
    std::vector<spec::Configuration> picks;
    std::future<Result<Ready>> ready;
  };

  Result<void> open(const std::string& device);
  Result<void> open_here(const std::string& device);
  Result<void> open_there(const std::string& device);
  Result<void> open_journal(const std::string& device);
  Result<void> search();
  Result<void> search_with_crew();
  Result<void> count_first();
  std::string why_not_counted() const;
  Result<void> count_built(const std::vector<spec::Configuration>& configurations);
  Result<void> expect();
  Result<Batch> propose(size_t count);
  Result<void> evaluate(Batch& batch, Progress& progress);
  void take(TunedConfiguration result, Progress& progress);
  std::vector<size_t> fastest() const;
  Result<void> race();
  Result<void> race_with_crew();
  void tie_by_value();
  void describe_run();
  Result<build::BuildReport> build(const std::vector<spec::Configuration>& configurations) const;
  Result<Ready> make_ready(const std::vector<spec::Configuration>& configurations,
                           const std::set<std::string>& to_count) const;
  bool out_of_time() const { return request_.seconds > 0 && seconds_since(start_) > request_.seconds; }
  size_t index_of(const std::string& configuration) const;
  std::string progress_text(const TunedConfiguration& last) const;

  const spec::KernelSpec& spec_;
  const TuneRequest& request_;
  const Context& context_;
  const steady_clock::time_point start_ = steady_clock::now();
  std::unique_ptr<TuneEvaluator> evaluator_;  // none if the devices are elsewhere
  std::unique_ptr<TuneCrew> crew_;            // none if this process evaluates
  const gpu::GpuModel* model_ = nullptr;
  bool measures_ = false;  // false: it counts
  std::string target_;
  std::vector<spec::Shape> shapes_;
  TuneDependencies depends_;
  std::unique_ptr<TuneProposals> proposals_;
  std::optional<TuneCounting> counting_;  // none: nothing is counted before it is evaluated
  std::string not_built_;                 // why the first could not be built that was to be counted
  std::optional<TuneJournal> journal_;
  std::vector<double> best_by_shape_;
  std::optional<double> best_;
  std::string best_id_;
  TuneReport report_;
};

// What a result depends on; a journal of anything else is not used. `built`: one configuration of each source, for what
// they are made of.
TuneDependencies dependencies(const spec::KernelSpec& spec, const TuneRequest& request, const TuneEvaluator& evaluator,
                              const std::vector<build::BuildResult>& built) {
  TuneDependencies all;
  const auto specification = read_file(spec.file);
  all["specification"] = content_hash(specification ? *specification : "");
  Hasher sources;
  for (const build::BuildResult& each : built) {
    for (const build::Dependency& source : each.sources) sources.add(source.hash);
  }
  for (const std::filesystem::path& each : spec.sources()) {
    if (const auto source = read_file(spec.folder / each)) sources.add(*source);
  }
  all["source"] = sources.hex();
  all["compiler"] = built.front().compiler;
  all["device"] = evaluator.device_name() + " " + std::string(evaluator.model().name);
  all["target"] = evaluator.target();
  std::string shapes;
  for (const spec::Shape& shape : evaluator.shapes()) shapes += shape.text() + ";";
  all["set of shapes"] = shapes;
  all["seed"] = std::to_string(request.seed);
  all["version of assay"] = std::string(kVersion);
  return all;
}

Result<void> KernelTuning::open_here(const std::string& device) {
  ASSAY_TRY(evaluator_, TuneEvaluator::make(spec_, request_, device, context_));
  model_ = &evaluator_->model();
  measures_ = evaluator_->measures();
  target_ = evaluator_->target();
  shapes_ = evaluator_->shapes();
  ASSAY_TRY(const spec::Configuration first, spec::default_configuration(spec_));
  std::vector<spec::Configuration> of_each_source{first};
  if (!spec_.kernel.source_texts.empty()) {
    std::set<std::filesystem::path> seen{spec_.kernel.source};
    const auto add = [&](const spec::Configuration& configuration) -> Result<bool> {
      if (seen.insert(spec::kernel_of(spec_, configuration).source).second) of_each_source.push_back(configuration);
      return seen.size() < spec_.sources().size();
    };
    ASSAY_CHECK(spec::for_each_configuration(spec_, add));
  }
  ASSAY_TRY(const build::BuildReport built, build(of_each_source));
  depends_ = dependencies(spec_, request_, *evaluator_, built.results);
  return {};
}

std::filesystem::path folder_of(const spec::KernelSpec& spec, const std::string& device) {
  Hasher name;
  name.add(std::filesystem::absolute(spec.file).string()).add(device);
  return build::ArtifactCache::default_folder() / "tune" /
         fmt::format("{}-{}", spec.kernel.name, name.hex().substr(0, 12));
}

// Where jobs are submitted there need be neither a GPU nor a compiler: the first worker says what there is.
Result<void> KernelTuning::open_there(const std::string& device) {
  ASSAY_TRY(const spec::Configuration first, spec::default_configuration(spec_));
  measures_ = !device::is_virtual(device);
  Measuring wanted;
  wanted.shapes = request_.shapes;
  wanted.shape = request_.shape;
  ASSAY_TRY(shapes_, measures_ ? chosen_shapes(spec_, first, wanted) : countable_shapes(spec_, first, wanted));
  const std::filesystem::path place = request_.executor.folder.empty()
                                          ? folder_of(spec_, device).concat(".work")
                                          : std::filesystem::path(request_.executor.folder);
  bool resume = request_.resume;
  for (int tries = 0; tries < 2; ++tries) {
    ASSAY_TRY(const std::filesystem::path folder, run_folder(place, resume));
    crew_.reset();
    ASSAY_TRY(crew_, TuneCrew::gather(spec_, request_, device, measures_ ? first.id() : "", folder, context_));
    ASSAY_TRY(const TuneCrew::Facts facts, crew_->probe());
    model_ = gpu::find_model(facts.gpu);
    if (model_ == nullptr)
      return Error{fmt::format("the workers' GPU '{}' is not known here", facts.gpu),
                   {},
                   "assay here and assay there must be the same version",
                   ExitCode::environment};
    target_ = facts.target;
    depends_ = facts.depends;
    if (!journal_) ASSAY_CHECK(open_journal(device));
    // What an earlier run's workers found depends on what it depended on then.
    if (!resume || journal_->started_anew().empty()) return {};
    resume = false;
  }
  return {};
}

Result<void> KernelTuning::open_journal(const std::string& device) {
  std::filesystem::path file = request_.journal;
  if (file.empty()) file = folder_of(spec_, device).concat(".jsonl");
  ASSAY_TRY(TuneJournal journal, TuneJournal::open(file, depends_, request_.resume));
  journal_.emplace(std::move(journal));
  return {};
}

Result<void> KernelTuning::open(const std::string& device) {
  if (request_.executor.divided()) {
    ASSAY_CHECK(open_there(device));
  } else {
    ASSAY_CHECK(open_here(device));
    ASSAY_CHECK(open_journal(device));
  }
  ASSAY_TRY(
      KernelSpaces spaces,
      KernelSpaces::open(spec_, {request_.choice.configuration, request_.only, shapes_, request_.seed, 1e6}, *model_));
  ASSAY_TRY(proposals_, TuneProposals::make(std::move(spaces), request_));
  report_.kernel = spec_.kernel.name;
  report_.specification = spec_.file.string();
  report_.device = device;
  report_.gpu = model_->id;
  report_.target = target_;
  report_.depends_on = depends_;
  report_.quantity = measures_ ? "measured time" : "counted: predicted cycles";
  report_.unit = measures_ ? "ms" : "cycles";
  report_.listed = proposals_->spaces().listed();
  report_.combinations = proposals_->spaces().combinations();
  report_.legal = proposals_->spaces().legal();
  report_.legal_error = proposals_->spaces().error();
  report_.configurations =
      report_.listed ? proposals_->space().space.size() : static_cast<size_t>(std::min(report_.legal, 1e18));
  report_.left_out = proposals_->space().left_out;
  report_.started_anew = journal_->started_anew();
  for (const spec::Shape& shape : shapes_) report_.shapes.push_back(shape.text());
  return {};
}

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
  counting_.emplace(spec_, shapes_, *model_, TuneCounting::Options{evaluator_->twin(), request_.seed, request_.limits},
                    context_);
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

// What the journal knows need not be built.
Result<KernelTuning::Batch> KernelTuning::propose(size_t count) {
  Batch batch;
  ASSAY_TRY(batch.picks, proposals_->propose(count));
  std::vector<spec::Configuration> wanted;
  std::set<std::string> to_count;
  for (const spec::Configuration& pick : batch.picks) {
    if (journal_->recall(pick.id()) != nullptr) continue;
    wanted.push_back(pick);
    if (counting_ && !counting_->knows(pick.id())) to_count.insert(pick.id());
  }
  if (!wanted.empty())
    batch.ready = std::async(std::launch::async, [this, wanted = std::move(wanted), to_count = std::move(to_count)] {
      return make_ready(wanted, to_count);
    });
  return batch;
}

// As many as the workers can have are out at a time; what comes back decides what goes out next.
Result<void> KernelTuning::search_with_crew() {
  const size_t budget = proposals_->budget();
  Progress progress(context_, fmt::format("tuning {}", spec_.kernel.name), budget);
  size_t proposed = 0;
  size_t troubles = 0;  // one after the other
  while (true) {
    while (crew_->open_items() < crew_->most_open() && proposed < budget && !out_of_time() &&
           (crew_->open_items() == 0 || !proposals_->wants_all_told())) {
      ASSAY_TRY(const std::vector<spec::Configuration> picks, proposals_->propose(1));
      if (picks.empty()) break;
      ++proposed;
      const std::string id = picks[0].id();
      if (const TunedConfiguration* known = journal_->recall(id)) {
        ++report_.recalled;
        take(*known, progress);
      } else {
        ASSAY_CHECK(crew_->put(id));
      }
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
  size_t proposed = 0;
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
  for (const spec::Configuration& configuration : batch.picks) {
    ASSAY_CHECK(check_cancelled(context_));
    if (const TunedConfiguration* known = journal_->recall(configuration.id())) {
      ++report_.recalled;
      take(*known, progress);
      continue;
    }
    if (out_of_time()) continue;
    const build::BuildResult* built = ready ? ready->built.find(configuration, target_) : nullptr;
    if (built == nullptr) return Error{"a configuration was not built", {}, "", ExitCode::internal};
    TunedConfiguration evaluated = ready->examined.at(configuration.id());
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

// What was counted is exact: ties are equal, or as good as.
void KernelTuning::tie_by_value() {
  for (const TunedConfiguration& each : report_.evaluated) {
    if (each.value && *each.value <= *best_ * (1 + kMargin)) report_.tie_group.push_back(each.configuration);
  }
  report_.regret_bound = 0;
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
  ASSAY_TRY(report_.regret_bound, crew_->race(finalists));
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
    if (each.tied) report_.tie_group.push_back(proposals_->space().configuration(each.configuration).id());
  }
  report_.regret_bound = race.regret_bound();
  return {};
}

void KernelTuning::describe_run() {
  formats::TunedRun run;
  run.kernel = report_.kernel;
  run.device = std::string(model_->name);
  run.quantity = measures_ ? "time" : "predicted cycles";
  run.unit = report_.unit;
  for (const auto& [name, value] : shapes_.front().values) {
    if (value.is_integer()) run.problem_size.push_back(static_cast<double>(value.integer()));
  }
  for (const TunedConfiguration& each : report_.evaluated) {
    const std::string failure = each.failure == "incorrect"      ? "correctness"
                                : each.failure == "does_not_fit" ? "runtime"
                                                                 : each.failure;
    run.configurations.push_back({index_of(each.configuration), each.value,
                                  each.samples.empty() ? std::vector<double>{} : each.samples.front(), failure,
                                  each.compile_s * 1000, each.check_s * 1000, each.measure_s * 1000, 0,
                                  ledger::iso_time(ledger::now_us())});
  }
  auto details = std::make_shared<TuneDetails>(TuneDetails{proposals_->space().space, std::move(run), shapes_, {}});
  for (const TuneWinner& winner : report_.winners) details->winners.push_back(index_of(winner.configuration));
  details->run.space = &details->space;
  report_.details = std::move(details);
}

Result<TuneReport> KernelTuning::run(Recording& recording, const std::string& device) {
  ASSAY_CHECK(open(device));
  ASSAY_CHECK(search());
  if (best_) {
    if (measures_ && request_.race && !report_.interrupted) {
      ASSAY_CHECK(race());
    } else if (!measures_) {
      tie_by_value();
    }
    choose_answer(report_);
    if (!report_.answer.empty()) judge_shapes(report_);
  }
  if (crew_ != nullptr) {
    report_.beside = measures_ ? spec::default_configuration(spec_)->id() : "";
    report_.workers_started = crew_->workers_started();
    report_.devices = crew_->devices();
    for (TuneDevice& each : report_.devices)
      each.disagrees =
          !each.tie_group.empty() && std::ranges::find(each.tie_group, report_.answer) == each.tie_group.end();
  }
  if (report_.answer.empty())
    report_.exit_code = report_.evaluated.empty() ? ExitCode::inconclusive : ExitCode::incorrect;
  if (counting_) {
    report_.counters.counted = counting_->counted();
    report_.counters.count_s = counting_->seconds();
  }
  report_.wall_s = seconds_since(start_);
  describe_run();
  ledger::Attempt attempt = recording.draft();
  if (attempt.cost_per_hour) report_.cost = *attempt.cost_per_hour * report_.wall_s / 3600;
  attempt.verdict = report_.answer.empty() ? "nothing found" : "tuned";
  attempt.configuration = report_.answer;
  attempt.exit_code = static_cast<int>(report_.exit_code);
  attempt.details = attempt_json(report_).dump(-1, ' ', false, json::error_handler_t::replace);
  ASSAY_TRY(const auto id, recording.write(std::move(attempt)));
  (void)id;
  return std::move(report_);
}

}  // namespace

Result<TuneReport> tune(const TuneRequest& request, const Context& context) {
  if (std::ranges::find(tune::strategy_names(), request.strategy) == tune::strategy_names().end())
    return Error{fmt::format("there is no strategy '{}'", request.strategy),
                 {},
                 "strategies: " + join(tune::strategy_names(), ", ")};
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  const std::string device = device_for(spec, request.choice.device);
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::tune, &spec, request.choice.configuration, device, request.seed}));
  KernelTuning tuning(spec, request, context);
  return recording.close(tuning.run(recording, device));
}

}  // namespace assay::work
