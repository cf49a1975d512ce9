// SPDX-License-Identifier: MIT
#include "assay/judge.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/progress.hpp"
#include "base/scratch_folder.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "build/artifact_cache.hpp"
#include "device/cuda/nvml.hpp"
#include "device/open/open_device.hpp"
#include "formats/kernelbench.hpp"
#include "measure/bench.hpp"
#include "measure/judged_case.hpp"
#include "report/bench_report.hpp"
#include "work/document.hpp"
#include "work/judge_details.hpp"
#include "work/judge_folder.hpp"
#include "work/judge_tasks.hpp"
#include "work/measuring.hpp"
#include "work/recording.hpp"
#include "work/resumption.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr double kShares[] = {0, 0.5, 0.8, 1, 1.5, 2};

// What is the same for all answers.
struct JudgeBench {
  fs::path cache;
  std::string python;
  fs::path programs;
  MeasuredDevice device;
  std::unique_ptr<device::Device> opened;
};

Result<JudgeBench> prepare(const JudgeRequest& request) {
  JudgeBench bench;
  ASSAY_TRY(bench.device, measured_device(request.device, "judge"));
  ASSAY_TRY(const build::ArtifactCache cache, build::ArtifactCache::open());
  bench.cache = cache.folder();
  ASSAY_TRY(const measure::ProviderPrograms programs, measure::ProviderPrograms::install(bench.cache));
  bench.programs = programs.instruments().parent_path();
  ASSAY_TRY(const measure::Contender some, programs.contender({"eager", {}, "torch_compile", {}}, "."));
  bench.python = some.arguments.front();
  ASSAY_TRY(bench.opened, device::open_device(bench.device.name));
  return bench;
}

measure::Contender contender(const JudgeBench& bench, const std::string& name, const char* role, const fs::path& folder,
                             const fs::path& submission, bool own_kernels) {
  measure::Contender made{
      name, "submission", {bench.python, (bench.programs / "task_submission.py").string()}, {}, own_kernels};
  made.options["role"] = std::string(role);
  made.options["description"] = (folder / "description.json").string();
  made.options["submission"] = submission.string();
  made.warm_folder = bench.programs;
  made.preload = "torch";
  return made;
}

measure::BenchRequest bench_request(const JudgeBench& bench, const spec::KernelSpec& spec, const JudgeRequest& request,
                                    const JudgeTask& task, const fs::path& submission) {
  measure::BenchRequest made;
  made.spec = &spec;
  const Measuring& measuring = request.measuring;
  made.protocol.launch = measure::launch_from_name(measuring.protocol).value_or(measure::Launch::graph);
  made.protocol.cache = measure::cache_from_name(measuring.cache).value_or(measure::Cache::warm);
  made.protocol.sets = measuring.sets;
  made.sampling = measure::sampling_for(measuring.samples, measuring.most_samples, measuring.width, measuring.budget_s);
  made.seed = request.seed;
  made.order_seed = measuring.order_seed;
  made.device = bench.device.ordinal;
  made.model = bench.opened->model();
  made.cache_folder = bench.cache;
  made.instruments = bench.programs / "instruments.ptx";
  made.contract.set("device.name", std::string(made.model.name));
  made.contract.set("assay", kVersion);
  if (const auto state = device::cuda::read_state(bench.device.ordinal))
    made.contract.set("device.driver", state->driver_version);
  made.contract.set("task", task.name);
  made.contract.set("task.source", file_hash(task.module));
  made.contract.set("candidate.source", file_hash(submission));
  return made;
}

// Guards that say that a result is wrong; the others say that it was not come by honestly.
bool is_about_results(measure::GuardKind kind) {
  return kind == measure::GuardKind::poison || kind == measure::GuardKind::accuracy ||
         kind == measure::GuardKind::shapes;
}

JudgedTaskCase judged_case(const report::BenchCase& bench, const JudgeCase& wanted) {
  JudgedTaskCase judged;
  judged.name = wanted.name;
  judged.timed = wanted.timed;
  const measure::ContenderResult& candidate = bench.measured.candidate();
  judged.correct = candidate.verified_sets > 0 || candidate.timed();
  judged.honest = true;
  for (const measure::Guard& guard : candidate.guards.all()) {
    if (guard.state == measure::GuardState::unavailable) judged.unavailable.emplace_back(name(guard.kind));
    if (guard.state != measure::GuardState::failed) continue;
    (is_about_results(guard.kind) ? judged.correct : judged.honest) = false;
    if (!judged.guard.empty()) continue;
    judged.guard = name(guard.kind);
    judged.detail = guard.detail;
  }
  if (candidate.failure) {
    // One that a guard took out may have been right until then.
    judged.correct = judged.correct && !judged.guard.empty() && candidate.verified_sets > 0;
    if (judged.detail.empty()) judged.detail = candidate.failure->message;
  }
  if (candidate.time_us && candidate.good()) judged.p50_us = candidate.time_us->p50;
  for (size_t i = 1; i < bench.measured.contenders.size(); ++i) {
    const measure::ContenderResult& other = bench.measured.contenders[i];
    JudgedBaseline baseline;
    baseline.name = other.name;
    if (other.time_us) baseline.p50_us = other.time_us->p50;
    if (const auto& comparison = bench.comparisons[i]) {
      baseline.speedup = 1 / comparison->ratio;
      baseline.low = 1 / comparison->interval.high;
      baseline.high = 1 / comparison->interval.low;
      baseline.verdict = to_string(comparison->verdict);
    } else {
      baseline.verdict = other.objection();
    }
    judged.baselines.push_back(std::move(baseline));
  }
  return judged;
}

// One of C++: custom_kernel takes and gives what lies in the host's memory.
bool is_host_task(const JudgeTask& task) {
  return task.style == "host_cuda";
}

// What an answer looks like whose kernels run on a stream that nobody waits for: not there, late, or not captured.
bool may_run_elsewhere(const JudgedTaskCase& judged) {
  using enum measure::GuardKind;
  constexpr std::array kSigns = {streams, poison,       fingerprint, accuracy,
                                 recheck, fresh_inputs, graph_nodes, kernels_list};
  const bool signs = std::ranges::any_of(kSigns, [&](measure::GuardKind kind) { return judged.guard == name(kind); });
  return !(judged.correct && judged.honest) &&
         (signs || (judged.guard.empty() && judged.detail.find("captured as a CUDA graph") != std::string::npos));
}

class Judge {
 public:
  Judge(const JudgeRequest& request, const Context& context, JudgeBench& bench, Recording& recording)
      : request_(request), context_(context), bench_(bench), recording_(recording) {}

  Result<JudgedSubmission> judge(const JudgeTask& task, const fs::path& submission) {
    JudgedSubmission judged;
    judged.task = task.name;
    judged.submission = submission.string();
    judged.runs = judged.correct = judged.honest = true;
    for (const JudgeCase& each : task.cases) {
      ASSAY_CHECK(check_cancelled(context_));
      ASSAY_TRY(JudgedTaskCase one, judge_case(task, each, submission));
      judged.runs = judged.runs && (one.correct || !one.guard.empty() || one.p50_us);
      judged.correct = judged.correct && one.correct;
      judged.honest = judged.honest && one.honest;
      if (judged.guard.empty()) judged.guard = one.guard;
      if (judged.detail.empty()) judged.detail = one.detail;
      judged.cases.push_back(std::move(one));
      if (!judged.cases.back().correct || !judged.cases.back().honest) break;  // the verdict is clear
    }
    if (judged.good()) take_speedups(judged);
    return judged;
  }

 private:
  // A task is asked once for each case, however many answers there are.
  Result<fs::path> folder_of(const JudgeTask& task, const JudgeCase& wanted) {
    const std::string key = task.module.string() + "\n" + wanted.name + (wanted.timed ? "1" : "0");
    if (const auto known = folders_.find(key); known != folders_.end()) return known->second.path();
    ASSAY_TRY(ScratchFolder folder, ScratchFolder::make());
    ProbedCase probed;
    probed.style = task.style;
    probed.task = task.module;
    probed.name = wanted.name;
    probed.values = wanted.values;
    probed.timed = wanted.timed;
    probed.headers = nlohmann::ordered_json::object();
    for (const auto& [name, path] : task.headers) probed.headers[name] = path.string();
    ASSAY_TRY(probed.response, probe_task(probed, bench_.python, bench_.programs, folder.path()));
    JudgeTolerance tolerance{request_.atol, request_.rtol};
    if (task.style == "model" && !request_.atol && !request_.rtol)
      tolerance.atol = tolerance.rtol = formats::kernelbench_tolerance(output_type(probed));
    ASSAY_CHECK(write_judge_folder(probed, task.inputs, tolerance, bench_.programs, folder.path()));
    fs::path path = folder.path();
    folders_.emplace(key, std::move(folder));
    return path;
  }

  static std::string output_type(const ProbedCase& probed) {
    const auto& outputs = probed.response.value("outputs", nlohmann::ordered_json::array());
    return outputs.is_array() && !outputs.empty() && outputs[0].is_object() ? outputs[0].value("dtype", "f32") : "f32";
  }

  // kernel<<<grid, block>>> means the default stream, where most answers launch: such a one is timed there, by events,
  // and so are the baselines beside it.
  Result<JudgedTaskCase> judge_case(const JudgeTask& task, const JudgeCase& wanted, const fs::path& submission) {
    if (is_host_task(task)) return measured_case(task, wanted, submission, true);
    ASSAY_TRY(JudgedTaskCase judged, measured_case(task, wanted, submission, false));
    if (!may_run_elsewhere(judged)) return judged;
    ASSAY_TRY(JudgedTaskCase again, measured_case(task, wanted, submission, true));
    return again.correct && again.honest ? again : judged;
  }

  Result<JudgedTaskCase> measured_case(const JudgeTask& task, const JudgeCase& wanted, const fs::path& submission,
                                       bool default_stream) {
    ASSAY_TRY(const fs::path folder, folder_of(task, wanted));
    ASSAY_TRY(const spec::KernelSpec spec, spec::load(folder));
    measure::BenchRequest made = bench_request(bench_, spec, request_, task, submission);
    ASSAY_TRY(made.configuration, chosen_configuration(spec, ""));
    ASSAY_TRY(made.shapes, spec::shapes(spec, "canonical"));
    made.context = context_;
    made.compare = compare_options(request_.seed);
    made.contract.set("task.case", wanted.name);
    made.contenders.push_back(
        contender(bench_, submission.stem().string(), "answer", folder, submission, !request_.libraries));
    const char* const baseline = is_host_task(task) ? "reference" : "eager";
    if (wanted.timed) made.contenders.push_back(contender(bench_, baseline, "eager", folder, submission, false));
    if (wanted.timed && request_.compile && !is_host_task(task))
      made.contenders.push_back(contender(bench_, "compile", "compile", folder, submission, false));
    if (!wanted.timed) {
      // One process shows what is right, and a second what another start changes; more are for times.
      made.sampling = measure::sampling_for(1, 1, 1, 1);
      made.sampling.plan.first = made.sampling.plan.most = 2;
    }
    if (default_stream) {
      made.protocol.launch = measure::Launch::event;  // the default stream cannot be captured
      made.contract.set("stream", "default");
      for (measure::Contender& each : made.contenders) each.options["stream"] = std::string("default");
      // A call from host memory to host memory waits for the device: no gate can hide what it does.
      if (is_host_task(task)) made.protocol.gate = {.cycles = 1, .growth = 2, .most_cycles = 1};
    }
    std::optional<JudgedTaskCase> result;
    made.on_case = [&](measure::CaseMeasurement measured) -> Result<void> {
      const std::vector<ledger::Samples> samples = samples_of(measured);
      ASSAY_TRY(const report::BenchCase bench, measure::judge_case(std::move(measured), made.compare));
      result = judged_case(bench, wanted);
      result->default_stream = default_stream;
      ASSAY_TRY(result->attempt, record(task, wanted, submission, bench, samples));
      return {};
    };
    ASSAY_CHECK(measure::bench(made));
    return std::move(*result);
  }

  Result<std::optional<int64_t>> record(const JudgeTask& task, const JudgeCase& wanted, const fs::path& submission,
                                        const report::BenchCase& bench, const std::vector<ledger::Samples>& samples) {
    ledger::Attempt attempt = recording_.draft();
    const measure::ContenderResult& candidate = bench.measured.candidate();
    attempt.kernel = task.name;
    attempt.specification = task.module.string();
    attempt.configuration = submission.filename().string();
    attempt.shape = wanted.name;
    attempt.seed = bench.measured.seed;
    attempt.verdict = candidate.good() ? "measured" : "rejected";
    attempt.correct = candidate.good() && candidate.verified_sets == 0 ? std::nullopt : std::optional(candidate.good());
    attempt.exit_code = static_cast<int>(candidate.good() ? ExitCode::good : ExitCode::incorrect);
    attempt.contract = json(bench.measured.contract.fields()).dump(-1, ' ', false, json::error_handler_t::replace);
    attempt.comparable = bench.measured.contract.hash();
    attempt.source_hash = file_hash(submission);
    if (candidate.time_us) attempt.p50_us = candidate.time_us->p50;
    attempt.details = report::bench_case_document(bench, false).dump(-1, ' ', false, json::error_handler_t::replace);
    return recording_.write(std::move(attempt), samples);
  }

  static void take_speedups(JudgedSubmission& judged) {
    std::map<std::string, std::vector<std::optional<double>>> by_baseline;
    for (const JudgedTaskCase& each : judged.cases) {
      for (const JudgedBaseline& baseline : each.baselines) by_baseline[baseline.name].push_back(baseline.speedup);
    }
    for (const auto& [name, speedups] : by_baseline) {
      const bool whole = std::ranges::all_of(speedups, [](const auto& each) { return each.has_value(); });
      if (const auto mean = formats::geometric_mean(speedups); mean && whole) judged.speedups.emplace_back(name, *mean);
    }
  }

  const JudgeRequest& request_;
  const Context& context_;
  JudgeBench& bench_;
  Recording& recording_;
  std::map<std::string, ScratchFolder> folders_;
};

// All that the verdicts depend on.
std::string work_hash(const JudgeRequest& request, const std::vector<JudgeTask>& tasks,
                      const std::vector<JudgePair>& pairs) {
  Hasher hasher;
  hasher.add("judge").add(kVersion).add(request.device);
  const Measuring& measuring = request.measuring;
  hasher.add(fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}", measuring.protocol, measuring.cache, measuring.sets,
                         measuring.samples, measuring.most_samples, measuring.width, measuring.budget_s,
                         request.compile, request.tests, request.libraries, request.atol.value_or(-1),
                         request.rtol.value_or(-1), request.seed));
  for (const JudgeTask& task : tasks) {
    hasher.add(task.name).add(file_hash(task.module));
    for (const JudgeCase& each : task.cases) hasher.add(each.name);
  }
  for (const JudgePair& pair : pairs) hasher.add(pair.submission.string()).add(file_hash(pair.submission));
  return hasher.hex();
}

// For each baseline: of all that were asked for, those that are good and faster.
std::vector<FastP> fast_of(const std::vector<JudgedSubmission>& submissions) {
  std::set<std::string> names;
  for (const JudgedSubmission& each : submissions) {
    for (const auto& [name, speedup] : each.speedups) names.insert(name);
  }
  std::vector<FastP> all;
  for (const std::string& name : names) {
    std::vector<std::optional<double>> speedups;
    for (const JudgedSubmission& each : submissions) {
      std::optional<double> found;
      for (const auto& [baseline, speedup] : each.speedups) {
        if (baseline == name) found = speedup;
      }
      speedups.push_back(each.good() ? found : std::nullopt);
    }
    FastP fast;
    fast.baseline = name;
    for (const double p : kShares) fast.shares.emplace_back(p, formats::fast_p(speedups, p).value_or(0));
    fast.geometric_mean = formats::geometric_mean(speedups);
    all.push_back(std::move(fast));
  }
  return all;
}

}  // namespace

Result<JudgeReport> judge(const JudgeRequest& request, const Context& context, JudgeListener* listener) {
  ASSAY_TRY(const std::vector<JudgeTask> tasks, find_tasks(request.task, request.tests));
  ASSAY_TRY(const std::vector<JudgePair> pairs, pair_up(tasks, request.submission));
  ASSAY_TRY(JudgeBench bench, prepare(request));
  ASSAY_TRY(
      Recording recording,
      Recording::open(request.record, context, {ledger::Kind::measure, nullptr, "", bench.device.name, request.seed}));
  JudgeReport report;
  report.gpu = bench.opened->model().name;
  Judge judge(request, context, bench, recording);
  ASSAY_TRY(Resumption resumption, Resumption::open(recording.ledger(), work_hash(request, tasks, pairs)));
  if (resumption.size() > 0 && context.listener != nullptr)
    context.listener->note(fmt::format("{} were judged before the interruption", counted(resumption.size(), "answer")));
  Progress progress(context, "judging", pairs.size());
  for (const JudgePair& pair : pairs) {
    JudgedSubmission judged;
    judged.task = tasks[pair.task].name;
    if (pair.submission.empty()) {
      judged.detail = "nobody answered it";
    } else {
      const std::string piece = judged.task + "\n" + pair.submission.string();
      const std::string* const stored = resumption.recall(piece);
      auto known = stored != nullptr ? submission_from(json::parse(*stored, nullptr, false)) : std::nullopt;
      if (known) {
        judged = std::move(*known);
      } else {
        ASSAY_TRY(judged, recording.close(judge.judge(tasks[pair.task], pair.submission)));
        ASSAY_CHECK(
            resumption.remember(piece, document_of(judged).dump(-1, ' ', false, json::error_handler_t::replace)));
        ASSAY_CHECK(resumption.flush());
      }
      if (!judged.good()) report.exit_code = ExitCode::incorrect;
    }
    if (listener != nullptr) listener->on_submission(judged);
    report.submissions.push_back(std::move(judged));
    progress.advance(report.submissions.back().task);
  }
  ASSAY_CHECK(resumption.finish());
  report.fast = fast_of(report.submissions);
  return report;
}

std::string to_json(const JudgeReport& report) {
  json document = document_head("judge");
  document["gpu"] = report.gpu;
  document["submissions"] = json::array();
  for (const JudgedSubmission& each : report.submissions) document["submissions"].push_back(document_of(each));
  document["fast_p"] = json::array();
  for (const FastP& fast : report.fast) {
    json shares = json::array();
    for (const auto& [p, share] : fast.shares) shares.push_back({{"p", p}, {"share", share}});
    json entry = {{"baseline", fast.baseline}, {"shares", shares}};
    if (fast.geometric_mean) entry["geometric_mean_of_the_good"] = *fast.geometric_mean;
    document["fast_p"].push_back(std::move(entry));
  }
  return document_text(document);
}

}  // namespace assay::work
