// SPDX-License-Identifier: MIT
// assay suite: many kernels and shapes beside their baselines, in one run that can be resumed.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/version.hpp"
#include "cli/command_line.hpp"
#include "cli/measuring.hpp"
#include "device/cuda/nvml.hpp"
#include "device/open/open_device.hpp"
#include "ledger/location.hpp"
#include "suite/plan.hpp"
#include "suite/run.hpp"
#include "suite/suite_report.hpp"

namespace assay::cli {
namespace {

void add_options(CommandLine& line, Options& options) {
  line.needs("suite", options.kernel, "a suite file (docs/suite_toml.md)");
  add_device(line, options);
  line.flag("--restart", options.measure.restart, "measure everything anew");
  line.flag("--list", options.measure.list, "say what would be measured");
  line.choice("--format", options.measure.format, "csv or markdown", {"csv", "markdown"});
  add_seed(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

// The options with which assay bench would measure this group.
Options group_options(const suite::Group& group, const Options& options) {
  Options wanted = options;
  wanted.kernel = group.spec->file.string();
  wanted.configuration = group.spec->tunable.tunables.empty() ? "" : group.configuration.id();
  wanted.shape = group.items.front().shape.text();
  wanted.measure.candidate = group.candidate;
  wanted.measure.baselines = group.baselines;
  wanted.measure.protocol = group.measuring.protocol;
  wanted.measure.cache = group.measuring.cache;
  wanted.measure.sets = group.measuring.sets;
  wanted.measure.samples = group.measuring.samples;
  wanted.measure.most_samples = group.measuring.most_samples;
  wanted.measure.budget_s = group.measuring.budget_s;
  wanted.measure.width = group.measuring.width;
  return wanted;
}

class GpuRunner final : public suite::Runner {
 public:
  GpuRunner(const Options& options, std::function<void(const std::string&)> on_step)
      : options_(options), on_step_(std::move(on_step)) {}

  Result<void> prepare(const suite::Group& group) override {
    on_step_(fmt::format("{} {}: building", group.kernel(), group.configuration.id()));
    bench_.reset();
    recording_.reset();
    group_options_ = group_options(group, options_);
    ASSAY_TRY(Recording recording, Recording::open(group_options_, ledger::Kind::measure, *group.spec));
    recording_.emplace(std::move(recording));
    ASSAY_TRY(Bench bench, prepare_bench(*group.spec, group_options_));
    bench_.emplace(std::move(bench));
    bench_->request.quiet = true;  // the suite shows its own progress
    bench_->request.on_step = [this, &group](const std::string& step) {
      on_step_(fmt::format("{} {}", group.kernel(), step));
    };
    return {};
  }

  Result<void> measure(const suite::Group& group, const std::vector<const suite::Item*>& items,
                       const OnFinished& on_finished) override {
    static_cast<void>(group);
    bench_->request.shapes.clear();
    for (const suite::Item* item : items) bench_->request.shapes.push_back(item->shape);
    const auto on_case = [&](const report::BenchCase& measured, std::optional<int64_t> attempt) {
      const nlohmann::json document = report::bench_case_document(measured, false);
      return on_finished({document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), attempt});
    };
    ASSAY_TRY(const auto cases,
              run_bench(*bench_, compare_options(group_options_, *bench_, *recording_), *recording_, on_case));
    return {};
  }

  Result<std::optional<int64_t>> record_failure(const suite::Group& group, const suite::Item& item,
                                                const Error& error) override {
    if (!recording_) return error;  // the ledger itself is what failed
    ledger::Attempt attempt = recording_->draft();
    attempt.configuration = group.configuration.id();
    attempt.shape = item.shape.text();
    attempt.dtype = item.dtype();
    attempt.verdict = "error";
    attempt.exit_code = static_cast<int>(error.exit_code);
    nlohmann::json document = {
        {"error", {{"message", error.message}, {"file", error.place.file}, {"hint", error.hint}}}};
    ASSAY_CHECK(recording_->write(std::move(attempt), document));
    return document.contains("attempt") ? std::optional(document["attempt"].get<int64_t>()) : std::nullopt;
  }

 private:
  const Options& options_;
  const std::function<void(const std::string&)> on_step_;
  Options group_options_;
  std::optional<Recording> recording_;  // points to group_options_
  std::optional<Bench> bench_;
};

// All kernels of a suite go to one ledger, that of the suite's own project. What cannot be stored cannot be resumed, so
// from here on a ledger that fails ends the run; one that cannot even be opened is a warning, as for every command.
Result<Options> with_one_ledger(const Options& options, const suite::Suite& suite) {
  Options chosen = options;
  const ledger::Location location = ledger::find_ledger(options.ledger, suite.folder);
  chosen.ledger = "none";
  if (location.file.empty()) return chosen;
  const auto prepared = ledger::prepare_folder(location);
  auto opened = prepared ? ledger::Ledger::open(location.file) : Result<ledger::Ledger>(prepared.error());
  if (opened) {
    chosen.ledger = std::filesystem::absolute(location.file).string();
    return chosen;
  }
  if (location.explicitly_chosen) return opened.error();
  fmt::print(stderr, "assay: warning: not recorded, so this run cannot be resumed: {}\n", to_string(opened.error()));
  return chosen;
}

// Figures of other devices, drivers or versions are no part of this run.
std::string work_key(const suite::Plan& plan, const Options& options, const std::string& gpu, int ordinal) {
  Hasher hasher;
  hasher.add(plan.meaning).add(kVersion).add(device_name(options)).add(gpu).add(std::to_string(options.seed));
  if (const auto state = device::cuda::read_state(ordinal)) hasher.add(state->driver_version).add(state->uuid);
  return hasher.hex();
}

void say_start(Progress& progress, size_t finished, size_t runnable, bool recorded) {
  if (!recorded) progress.note("nothing is recorded, so this run cannot be resumed");
  if (finished == 0) return;
  progress.note(
      finished == runnable
          ? fmt::format("all {} items were measured by an earlier run; --restart measures them anew", finished)
          : fmt::format("going on where an earlier run stopped: {} of {} items are measured (--restart "
                        "measures them anew)",
                        finished, runnable));
}

Result<std::vector<suite::Row>> measure_all(const suite::Plan& plan, const suite::Work& work, const Options& options) {
  std::optional<Progress> progress;
  GpuRunner runner(options, [&](const std::string& step) {
    if (progress) progress->step(step);
  });
  suite::RunOptions run_options;
  run_options.restart = options.measure.restart;
  run_options.on_start = [&](size_t finished, size_t runnable) {
    progress.emplace("suite", runnable - finished, options.json);
    say_start(*progress, finished, runnable, work.ledger != nullptr);
  };
  run_options.on_row = [&](const suite::Row& row) {
    progress->advance(row.label());
    progress->note(suite::row_text(row));  // a run that is stopped has shown what it measured
  };
  return suite::run(plan, work, runner, run_options);
}

void print_result(const suite::Plan& plan, const std::vector<suite::Row>& rows, const suite::Summary& summary,
                  const Options& options, const nlohmann::json& document) {
  if (options.json) {
    print_document(document);
  } else if (options.measure.format == "csv") {
    fmt::print("{}", suite::suite_csv(rows));
  } else if (options.measure.format == "markdown") {
    fmt::print("{}", suite::suite_markdown(plan, rows, summary));
  } else {
    fmt::print("{}", suite::suite_text(rows, summary, report::Terminal()));
  }
}

Result<ExitCode> measure_suite(const suite::Plan& plan, const Options& options, int ordinal, Recording& recording) {
  ASSAY_TRY(const std::unique_ptr<device::Device> device, device::open_device(device_name(options)));
  const std::string gpu(device->model().name);
  if (!options.json && options.measure.format.empty())
    fmt::print("{}  {} items on {} ({})  seed {}\n", plan.name, plan.item_count(), gpu, device_name(options),
               options.seed);
  std::fflush(stdout);
  const suite::Work work{recording.ledger(), work_key(plan, options, gpu, ordinal)};
  ASSAY_TRY(std::vector<suite::Row> rows, measure_all(plan, work, options));
  const size_t comparisons = suite::correct_for_many(rows);
  const suite::Summary summary = suite::summarize(rows, comparisons);
  const ExitCode code = suite::exit_code(rows);
  nlohmann::json document = {{"assay", kVersion}, {"command", "suite"}};
  document.update(suite::suite_document(plan, rows, summary));
  document["device"] = device_name(options);
  document["gpu"] = gpu;
  document["seed"] = options.seed;
  document["exit_code"] = static_cast<int>(code);
  ledger::Attempt attempt = recording.draft();
  attempt.specification = plan.file;
  attempt.verdict = code == ExitCode::good ? "good" : "failed";
  attempt.exit_code = static_cast<int>(code);
  nlohmann::json kept = {{"suite", plan.name}, {"work", work.suite}, {"summary", document["summary"]}};
  ASSAY_CHECK(recording.write(std::move(attempt), kept));
  if (kept.contains("attempt")) document["attempt"] = kept["attempt"];
  print_result(plan, rows, summary, options, document);
  return code;
}

Result<ExitCode> list(const suite::Plan& plan, const Options& options) {
  if (options.json) {
    nlohmann::json document = {{"assay", kVersion}, {"command", "suite"}};
    document.update(suite::plan_document(plan));
    print_document(document);
  } else {
    fmt::print("{}", suite::plan_text(plan, report::Terminal()));
  }
  return ExitCode::good;
}

Result<ExitCode> run(const Options& options) {
  ASSAY_TRY(const suite::Suite suite, suite::load(options.kernel));
  ASSAY_TRY(const suite::Plan plan, suite::make_plan(suite));
  if (options.measure.list) return list(plan, options);
  ASSAY_TRY(const int ordinal, measured_device(options, "suite"));
  ASSAY_TRY(const Options chosen, with_one_ledger(options, suite));
  ASSAY_TRY(Recording recording, Recording::open(chosen, ledger::Kind::suite));
  return recording.close(measure_suite(plan, chosen, ordinal, recording));
}

}  // namespace

Command suite_command() {
  return {"suite", "many kernels and shapes beside their baselines, in one run that can be resumed", add_options, run};
}

}  // namespace assay::cli
