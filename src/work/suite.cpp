// SPDX-License-Identifier: MIT
#include "assay/suite.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/version.hpp"
#include "build/artifact_cache.hpp"
#include "device/cuda/nvml.hpp"
#include "device/open/open_device.hpp"
#include "ledger/location.hpp"
#include "suite/run.hpp"
#include "suite/suite_report.hpp"
#include "work/document.hpp"
#include "work/gather_crew.hpp"
#include "work/measuring.hpp"
#include "work/page_file.hpp"
#include "work/suite_crew.hpp"
#include "work/suite_details.hpp"
#include "work/suite_item.hpp"

namespace assay::work {
namespace {

// The suite has a progress of its own; of the measurements inside only their steps are told, with the kernel's name.
class InnerListener final : public Listener {
 public:
  InnerListener(Progress& progress, std::string title) : progress_(progress), title_(std::move(title)) {}

  void begin(const std::string&, size_t) override {}
  void advance(const std::string&) override {}
  void step(const std::string& what) override { progress_.step(fmt::format("{} {}", title_, what)); }
  void note(const std::string& line) override { progress_.note(line); }
  void end() override {}
  void warn(const std::string& line) override { progress_.note(line); }

 private:
  Progress& progress_;
  std::string title_;
};

class GpuRunner final : public suite::Runner {
 public:
  // `progress`: there as soon as the run has begun.
  GpuRunner(const SuiteRequest& request, std::string device, RecordOptions record, std::optional<Progress>& progress,
            const Context& context)
      : request_(request),
        device_(std::move(device)),
        record_(std::move(record)),
        context_(context),
        progress_(progress) {}

  Result<void> prepare(const suite::Group& group) override {
    ASSAY_CHECK(check_cancelled(context_));
    listener_.emplace(*progress_, group.kernel());
    listener_->step(fmt::format("{}: building", group.configuration.id()));
    bench_.reset();
    recording_.reset();
    Context inner = context_;
    inner.listener = &*listener_;
    const MeasureRequest request = request_of(group, device_, request_.seed);
    ASSAY_TRY(Recording recording, Recording::open(record_, inner,
                                                   {ledger::Kind::measure, group.spec.get(), request.configuration,
                                                    device_, request_.seed}));
    recording_.emplace(std::move(recording));
    ASSAY_TRY(Bench bench, prepare_bench(*group.spec, request, inner));
    bench_.emplace(std::move(bench));
    return {};
  }

  Result<void> measure(const suite::Group& group, const std::vector<const suite::Item*>& items,
                       const OnFinished& on_finished) override {
    bench_->request.shapes.clear();
    for (const suite::Item* item : items) bench_->request.shapes.push_back(item->shape);
    size_t next = 0;
    const auto on_case = [&](const report::BenchCase& measured, std::optional<int64_t> attempt) {
      suite::Row row = suite::row_from_case(group, *items[next++], measured);
      row.attempt = attempt;
      return on_finished(std::move(row));
    };
    return run_bench(*bench_, compare_options(request_.seed, *bench_, *recording_), *recording_, on_case);
  }

  Result<std::optional<int64_t>> record_failure(const suite::Group& group, const suite::Item& item,
                                                const Error& error) override {
    // The ledger itself is what failed, or the user wants to stop.
    if (!recording_ || error.exit_code == kInterrupted) return error;
    return write_failure(*recording_, group, item, error);
  }

 private:
  const SuiteRequest& request_;
  const std::string device_;
  const RecordOptions record_;
  const Context context_;
  std::optional<Progress>& progress_;
  std::optional<InnerListener> listener_;
  std::optional<Recording> recording_;
  std::optional<Bench> bench_;
};

// All kernels of a suite go to one ledger, that of the suite's own project. What cannot be stored cannot be resumed, so
// from here on a ledger that fails ends the run; one that cannot even be opened is a warning, as for every command.
Result<RecordOptions> one_ledger(const RecordOptions& wanted, const suite::Suite& suite, const Context& context) {
  RecordOptions chosen = wanted;
  const ledger::Location location = ledger::find_ledger(wanted.ledger, suite.folder);
  chosen.ledger = "none";
  if (location.file.empty()) return chosen;
  const auto prepared = ledger::prepare_folder(location);
  auto opened = prepared ? ledger::Ledger::open(location.file) : Result<ledger::Ledger>(prepared.error());
  if (opened) {
    chosen.ledger = std::filesystem::absolute(location.file).string();
    return chosen;
  }
  if (location.explicitly_chosen) return opened.error();
  if (context.listener != nullptr)
    context.listener->warn("not recorded, so this run cannot be resumed: " + to_string(opened.error()));
  return chosen;
}

std::filesystem::path work_folder(const SuiteRequest& request, const suite::Plan& plan, const std::string& device) {
  if (!request.executor.folder.empty()) return request.executor.folder;
  Hasher name;
  name.add(std::filesystem::absolute(request.file).string()).add(plan.meaning).add(device);
  name.add(std::to_string(request.seed));
  return build::ArtifactCache::default_folder() / "suite" / fmt::format("{}.work", name.hex().substr(0, 12));
}

// Whichever of several GPUs of one model measures an item, its ratios are of the same run.
std::string divided_work_key(const suite::Plan& plan, const std::string& device, const std::string& gpu_line,
                             uint64_t seed) {
  Hasher hasher;
  hasher.add(plan.meaning).add(kVersion).add("workers").add(device).add(gpu_line).add(std::to_string(seed));
  return hasher.hex();
}

// Figures of other devices, drivers or versions are no part of this run.
std::string work_key(const suite::Plan& plan, const MeasuredDevice& device, const std::string& gpu, uint64_t seed) {
  Hasher hasher;
  hasher.add(plan.meaning).add(kVersion).add(device.name).add(gpu).add(std::to_string(seed));
  if (const auto state = device::cuda::read_state(device.ordinal)) hasher.add(state->driver_version).add(state->uuid);
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

Result<std::vector<suite::Row>> measure_all(const suite::Plan& plan, const suite::Work& work, suite::Runner& runner,
                                            bool restart, std::optional<Progress>& progress, const Context& context) {
  suite::RunOptions options;
  options.restart = restart;
  options.on_start = [&](size_t finished, size_t runnable) {
    progress.emplace(context, "suite", runnable - finished);
    say_start(*progress, finished, runnable, work.ledger != nullptr);
  };
  options.on_row = [&](const suite::Row& row) {
    progress->advance(row.label());
    progress->note(suite::row_text(row));  // a run that is stopped has shown what it measured
  };
  return suite::run(plan, work, runner, options);
}

SuiteRow public_row(const suite::Row& row) {
  SuiteRow shown{row.kernel, row.configuration, row.shape,   std::string(to_string(row.status)),
                 row.reason, row.p50_us,        std::nullopt};
  if (const suite::Against* fastest = row.fastest_baseline()) shown.speedup = fastest->speedup;
  return shown;
}

Result<SuiteReport> measure_suite(const SuiteRequest& request, const Context& context, const MeasuredDevice& device,
                                  const RecordOptions& record, const std::shared_ptr<SuiteDetails>& details,
                                  Recording& recording, const std::function<void(const SuiteStart&)>& on_start) {
  const suite::Plan& plan = details->plan;
  SuiteReport report;
  report.suite = plan.name;
  report.device = device.name;
  std::optional<Progress> progress;
  std::unique_ptr<SuiteCrew> crew;
  std::string work_name;
  if (request.executor.divided()) {
    const bool goes_on = !request.restart && recording.ledger() != nullptr;
    ASSAY_TRY(const std::filesystem::path folder, run_folder(work_folder(request, plan, device.name), goes_on));
    ASSAY_TRY(crew, SuiteCrew::gather(request, device.name, record, folder, context));
    ASSAY_CHECK(crew->ask_for_device());
    report.gpu = crew->gpu();
    work_name = divided_work_key(plan, device.name, crew->gpu_line(), request.seed);
  } else {
    ASSAY_TRY(const std::unique_ptr<device::Device> gpu, device::open_device(device.name));
    report.gpu = gpu->model().name;
    work_name = work_key(plan, device, report.gpu, request.seed);
  }
  if (on_start) on_start({plan.name, plan.item_count(), report.device, report.gpu});
  const suite::Work work{recording.ledger(), work_name};
  GpuRunner here(request, device.name, record, progress, context);
  suite::Runner& runner = crew != nullptr ? static_cast<suite::Runner&>(*crew) : here;
  ASSAY_TRY(details->rows, measure_all(plan, work, runner, request.restart, progress, context));
  details->summary = suite::summarize(details->rows, suite::correct_for_many(details->rows));
  report.exit_code = suite::exit_code(details->rows);
  for (const suite::Row& row : details->rows) report.rows.push_back(public_row(row));
  details->document = document_head("suite");
  details->document.update(suite::suite_document(plan, details->rows, details->summary));
  details->document.update({{"device", report.device},
                            {"gpu", report.gpu},
                            {"seed", request.seed},
                            {"exit_code", static_cast<int>(report.exit_code)}});
  if (crew != nullptr) {
    report.devices = crew->devices();
    report.workers_started = crew->workers_started();
    details->document.update(
        {{"devices", devices_document(report.devices)}, {"workers_started", report.workers_started}});
  }
  ledger::Attempt attempt = recording.draft();
  attempt.specification = plan.file;
  attempt.verdict = report.exit_code == ExitCode::good ? "good" : "failed";
  attempt.exit_code = static_cast<int>(report.exit_code);
  nlohmann::json kept = {{"suite", plan.name}, {"work", work.suite}, {"summary", details->document["summary"]}};
  ASSAY_CHECK(recording.write(std::move(attempt), kept));
  if (kept.contains("attempt")) details->document["attempt"] = kept["attempt"];
  if (recording.ledger() != nullptr && kept.contains("attempt")) {
    report.page = write_page(*recording.ledger(), kept["attempt"].get<int64_t>(), context).value_or("");
    if (!report.page.empty()) details->document["page"] = report.page;
  }
  report.details = details;
  return report;
}

}  // namespace

Result<SuiteReport> suite(const SuiteRequest& request, const Context& context,
                          const std::function<void(const SuiteStart&)>& on_start) {
  ASSAY_TRY(const suite::Suite suite, suite::load(request.file));
  const auto details = std::make_shared<SuiteDetails>();
  ASSAY_TRY(details->plan, suite::make_plan(suite));
  // Where jobs are submitted there need be no GPU.
  const std::string wanted = request.device.empty() && request.executor.divided() ? "cuda:0" : request.device;
  ASSAY_TRY(const MeasuredDevice device, measured_device(wanted, "suite"));
  ASSAY_TRY(const RecordOptions record, one_ledger(request.record, suite, context));
  ASSAY_TRY(Recording recording,
            Recording::open(record, context, {ledger::Kind::suite, nullptr, "", device.name, request.seed}));
  return recording.close(measure_suite(request, context, device, record, details, recording, on_start));
}

std::string to_json(const SuiteReport& report) {
  return document_text(report.details->document);
}

Result<SuitePlan> plan_suite(const std::string& file) {
  ASSAY_TRY(const suite::Suite suite, suite::load(file));
  const auto details = std::make_shared<SuitePlanDetails>();
  ASSAY_TRY(details->plan, suite::make_plan(suite));
  SuitePlan plan;
  plan.suite = details->plan.name;
  for (const suite::Group& group : details->plan.groups) {
    for (const suite::Item& item : group.items)
      plan.rows.push_back({group.kernel(), group.configuration.id(), item.shape.text(),
                           item.skipped.empty() ? "" : "skipped", item.skipped, std::nullopt, std::nullopt});
  }
  plan.details = details;
  return plan;
}

std::string to_json(const SuitePlan& plan) {
  nlohmann::json document = document_head("suite");
  document.update(suite::plan_document(plan.details->plan));
  return document_text(document);
}

}  // namespace assay::work
