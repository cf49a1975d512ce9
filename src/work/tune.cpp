// SPDX-License-Identifier: MIT
#include "assay/tune.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "device/open/open_device.hpp"
#include "ledger/time_text.hpp"
#include "spec/choice.hpp"
#include "spec/enumerate.hpp"
#include "tune/strategy.hpp"
#include "work/counting.hpp"
#include "work/document.hpp"
#include "work/gather_crew.hpp"
#include "work/kernel.hpp"
#include "work/measuring.hpp"
#include "work/page_file.hpp"
#include "work/tune_answer.hpp"
#include "work/tune_details.hpp"
#include "work/tune_json.hpp"
#include "work/tune_run.hpp"
#include "work/tune_space.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

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

std::filesystem::path folder_of(const spec::KernelSpec& spec, const std::string& device) {
  Hasher name;
  name.add(std::filesystem::absolute(spec.file).string()).add(device);
  return build::ArtifactCache::default_folder() / "tune" /
         fmt::format("{}-{}", spec.kernel.name, name.hex().substr(0, 12));
}

}  // namespace

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
  report_.quantity = measures_ ? "measured time" : "estimated cycles";
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

void KernelTuning::describe_run() {
  formats::TunedRun run;
  run.kernel = report_.kernel;
  run.device = std::string(model_->name);
  run.quantity = measures_ ? "time" : "estimated cycles";
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
  if (evaluator_) rates_ = stored_rates(recording, evaluator_->twin());
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
  if (request_.page && id && recording.ledger() != nullptr)
    report_.page = write_page(*recording.ledger(), *id, context_).value_or("");
  return std::move(report_);
}

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
