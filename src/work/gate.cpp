// SPDX-License-Identifier: MIT
#include "assay/gate.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>

#include "base/escape.hpp"
#include "base/progress.hpp"
#include "judge/compare.hpp"
#include "judge/gate_json.hpp"
#include "report/junit.hpp"
#include "report/markdown.hpp"
#include "work/baseline_file.hpp"
#include "work/calibration_store.hpp"
#include "work/counting.hpp"
#include "work/document.hpp"
#include "work/estimating.hpp"
#include "work/gate_details.hpp"
#include "work/goal.hpp"
#include "work/kept_candidate.hpp"
#include "work/measuring.hpp"
#include "work/stored_measurement.hpp"

namespace assay::work {
namespace {

constexpr double kThreshold = 0.03;
constexpr double kThresholdOfBest = 0.02;
constexpr const char* kBest = "best";

bool is_kernel(const std::string& path) {
  std::error_code failed;
  if (path.empty() || is_baseline_file(path)) return false;
  return std::filesystem::exists(std::filesystem::path(path) / "kernel.toml", failed) ||
         std::filesystem::is_regular_file(path, failed);
}

// One gate: the request with everything settled.
struct Gate {
  const GateRequest& request;
  const Context& context;
  const spec::KernelSpec& spec;
  std::string device;
  std::string against;  // empty: nothing yet, only saved
  Recording& recording;

  bool live() const { return is_kernel(against); }  // measured or counted beside the candidate
  std::string baseline_key(const std::string& name, const std::string& shape) const {
    return device::is_virtual(device) ? fmt::format("{}/{}/{}/{}", name, spec.kernel.name, device, shape)
                                      : fmt::format("{}/{}/{}", name, spec.kernel.name, shape);
  }
};

Error no_baseline(const std::string& what, const std::string& shape) {
  return Error{fmt::format("there is no {} for shape {}", what, shape),
               {},
               "assay gate KERNEL --save NAME keeps one; or compare with another checkout: --against FOLDER"};
}

Result<ledger::Ledger*> needed_ledger(Recording& recording) {
  if (recording.ledger() != nullptr) return recording.ledger();
  return Error{"there is no ledger, so there is no baseline",
               {},
               "give one with --ledger FILE, or compare with another checkout: --against FOLDER",
               ExitCode::environment};
}

// The cases, and what becomes the baseline if it may: of correct candidates alone.
struct Judged {
  std::vector<judge::GateCase> cases;
  std::vector<std::pair<std::string, int64_t>> attempts;  // by shape
  BaselineFile file;
};

Result<BaselineFile> baseline_file(const Gate& gate, const std::string& configuration, const std::string& device) {
  ASSAY_TRY(BaselineFile file, read_baseline_file(gate.against));
  const auto refuse = [&](const char* what, const std::string& theirs, const std::string& ours) {
    return Error{fmt::format("this baseline is of the {} {}, not of {}", what, escape_terminal(theirs), ours),
                 Place{gate.against}, "choose the file that belongs to it, or write one with --save FILE"};
  };
  if (file.kernel != gate.spec.kernel.name) return refuse("kernel", file.kernel, gate.spec.kernel.name);
  if (file.device != device) return refuse("device", file.device, device);
  if (file.configuration != configuration && !gate.request.force)
    return refuse("configuration", file.configuration, configuration);
  return file;
}

// --- by time

constexpr double kTopGroup = 0.03;  // within it, which one was the best is luck
constexpr size_t kMostOfGroup = 3;

// Figures of a kernel do not depend on the libraries of who was measured beside it.
bool same_contract(const measure::Contract& one, const measure::Contract& other) {
  return std::ranges::all_of(measure::differences(one, other),
                             [](const std::string& line) { return line.starts_with("library."); });
}

// The best of many stored runs is the luckiest one as well. So it is not one run but a group: all that come within 3 %
// of the shortest median under this contract, each kernel once.
Result<std::vector<StoredMeasurement>> top_group(const Gate& gate, ledger::Ledger& ledger,
                                                 const measure::Contract& contract, const std::string& shape) {
  ledger::Filter filter;
  filter.kernel = gate.spec.kernel.name;
  ASSAY_TRY(std::vector<ledger::LeaderboardRow> rows, ledger.leaderboard(filter));
  std::erase_if(rows, [&](const auto& row) { return row.shape != shape; });
  std::ranges::sort(rows, {}, &ledger::LeaderboardRow::p50_us);
  std::vector<StoredMeasurement> group;
  double best_us = 0;
  std::set<std::string> kernels;
  for (const ledger::LeaderboardRow& row : rows) {
    if (group.size() == kMostOfGroup || (!group.empty() && row.p50_us > best_us * (1 + kTopGroup))) break;
    ASSAY_TRY(StoredMeasurement stored, load_measurement(ledger, row.attempt));
    if (!same_contract(stored.contract, contract)) continue;
    if (!kernels.insert(stored.contract.value("candidate.kept") + stored.contract.value("candidate.source")).second)
      continue;
    if (group.empty()) best_us = row.p50_us;
    group.push_back(std::move(stored));
  }
  if (group.empty()) return no_baseline("correct measurement under this contract on the leaderboard", shape);
  return group;
}

Result<StoredMeasurement> named_baseline(const Gate& gate, ledger::Ledger& ledger, const std::string& shape) {
  ASSAY_TRY(const auto baseline, ledger.baseline(gate.baseline_key(gate.against, shape)));
  if (!baseline) return no_baseline(fmt::format("baseline '{}'", gate.against), shape);
  return load_measurement(ledger, baseline->attempt);
}

Result<void> check_correct(const ledger::Attempt& baseline) {
  if (baseline.correct != false) return {};
  return Error{fmt::format("the baseline, attempt {}, is itself incorrect", baseline.id),
               {},
               "keep a correct one with --save NAME"};
}

// A baseline that may be compared with: correct, and of the same configuration.
Result<void> check_baseline(const Gate& gate, const StoredMeasurement& baseline, const std::string& configuration) {
  ASSAY_CHECK(check_correct(baseline.attempt));
  if (baseline.attempt.configuration != configuration && !gate.request.force)
    return Error{fmt::format("the baseline was measured with the configuration {}, this is {}",
                             escape_terminal(baseline.attempt.configuration), configuration),
                 {},
                 "choose the same one with --config; --force compares them all the same"};
  return {};
}

// What one shape is compared with: measured once more beside the candidate where its code is at hand, else as stored.
struct TimeBaselines {
  std::vector<StoredMeasurement> stored;
  std::vector<bool> again;  // contender 1, 2, ... of the run, in this order
};

Result<TimeBaselines> baselines_for(const Gate& gate, Bench& bench, const spec::Shape& shape) {
  TimeBaselines baselines;
  const std::string configuration = bench.request.configuration.id();
  if (is_baseline_file(gate.against)) {
    ASSAY_TRY(const BaselineFile file, baseline_file(gate, configuration, std::string(bench.request.model.name)));
    const auto found = file.cases.find(shape.text());
    if (found == file.cases.end() || found->second.batches.empty())
      return no_baseline(fmt::format("measurement in '{}'", gate.against), shape.text());
    baselines.stored.push_back({{}, found->second.contract, found->second.batches});
    baselines.again.push_back(false);
    return baselines;
  }
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(gate.recording));
  if (gate.against == kBest) {
    ASSAY_TRY(baselines.stored, top_group(gate, *ledger, measure::case_contract(bench.request, shape), shape.text()));
  } else {
    ASSAY_TRY(StoredMeasurement named, named_baseline(gate, *ledger, shape.text()));
    baselines.stored.push_back(std::move(named));
  }
  bench.request.contenders.resize(1);
  for (const StoredMeasurement& stored : baselines.stored) {
    ASSAY_CHECK(check_baseline(gate, stored, configuration));
    auto contender = kept_contender(stored.contract.value("candidate.kept"),
                                    fmt::format("attempt {}", stored.attempt.id), bench.request.cache_folder);
    baselines.again.push_back(contender.has_value());
    if (!contender) continue;
    contender->arguments.front() = gate.context.program;
    bench.request.contenders.push_back(std::move(*contender));
  }
  return baselines;
}

Result<judge::Comparison> as_stored(const Gate& gate, const Bench& bench, const report::BenchCase& measured,
                                    const StoredMeasurement& baseline) {
  ASSAY_CHECK(check_contracts(measured.measured.contract, baseline.contract, gate.request.force));
  judge::CompareOptions compare = compare_options(gate.request.seed, bench, gate.recording);
  compare.interleaved = false;
  ASSAY_TRY(judge::Comparison comparison,
            judge::compare(measured.measured.candidate().batches, baseline.batches, compare));
  comparison.warnings.emplace_back("the baseline's code is not in the cache: it was not measured again");
  return comparison;
}

Error bad_baseline(const measure::ContenderResult& baseline) {
  return {fmt::format("the baseline '{}' cannot be compared with: {}", baseline.name, baseline.objection()),
          {},
          "a baseline must be correct and timed as the candidate is"};
}

// The cases of one shape: one for each baseline that it is compared with.
Result<void> judge_shape(const Gate& gate, const Bench& bench, const report::BenchCase& measured,
                         const TimeBaselines& baselines, std::vector<judge::GateCase>& cases) {
  const std::string& shape = measured.measured.shape;
  const auto& contenders = measured.measured.contenders;
  if (!measured.measured.candidate().good()) {
    cases.push_back({shape, measured.measured.candidate().objection(), {}, {}});
    return {};
  }
  if (gate.against.empty()) {
    cases.push_back({shape, {}, {}, {}});
    return {};
  }
  if (gate.live()) {
    if (!contenders.at(1).good()) return bad_baseline(contenders[1]);
    cases.push_back({shape, {}, measured.comparisons.at(1), {}});
    return {};
  }
  size_t next = 1;
  for (size_t i = 0; i < baselines.stored.size(); ++i) {
    const std::string name = baselines.stored.size() == 1
                                 ? shape
                                 : fmt::format("{} against attempt {}", shape, baselines.stored[i].attempt.id);
    judge::GateCase gate_case{name, {}, {}, {}};
    if (baselines.again[i]) {
      const size_t contender = next++;
      if (!contenders.at(contender).good()) return bad_baseline(contenders[contender]);
      gate_case.comparison = measured.comparisons.at(contender);
    } else {
      ASSAY_TRY(gate_case.comparison, as_stored(gate, bench, measured, baselines.stored[i]));
    }
    cases.push_back(std::move(gate_case));
  }
  return {};
}

Result<Judged> time_cases(const Gate& gate, std::optional<judge::Calibration>& calibration,
                          std::vector<GoalLine>& goal) {
  const GateRequest& request = gate.request;
  const std::vector<std::string> beside = gate.live() ? std::vector{gate.against} : std::vector<std::string>();
  ASSAY_TRY(
      Bench bench,
      prepare_bench(gate.spec, {request.choice.configuration, gate.device, beside, "", request.measuring, request.seed},
                    gate.context));
  calibration = stored_calibration(gate.recording, bench.request.model);
  GoalEvidence evidence;
  evidence.memory_gb_per_s = bench.request.model.memory_bandwidth_gb_per_s;
  Judged judged;
  judged.file.device = std::string(bench.request.model.name);
  const std::vector<spec::Shape> shapes = bench.request.shapes;
  for (const spec::Shape& shape : shapes) {
    bench.request.shapes = {shape};
    TimeBaselines baselines;
    if (!gate.live() && !gate.against.empty()) {
      ASSAY_TRY(baselines, baselines_for(gate, bench, shape));
    }
    const auto on_case = [&](const report::BenchCase& measured, std::optional<int64_t> attempt) -> Result<void> {
      const measure::ContenderResult& candidate = measured.measured.candidate();
      if (candidate.good()) {
        if (attempt) judged.attempts.emplace_back(shape.text(), *attempt);
        judged.file.cases[shape.text()] = {{}, {}, measured.measured.contract, candidate.batches};
      }
      evidence.cases.push_back(measured);
      return judge_shape(gate, bench, measured, baselines, judged.cases);
    };
    ASSAY_CHECK(run_bench(bench, compare_options(request.seed, bench, gate.recording), gate.recording, on_case));
  }
  ASSAY_TRY(goal, judge_goal(gate.spec, evidence));
  return judged;
}

// Of a run that may become the baseline: one that failed never does.
Result<void> save(const Gate& gate, const std::string& configuration, Judged& judged) {
  if (gate.request.save.empty()) return {};
  if (is_baseline_file(gate.request.save)) {
    judged.file.kernel = gate.spec.kernel.name;
    judged.file.configuration = configuration;
    return write_baseline_file(gate.request.save, judged.file);
  }
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(gate.recording));
  for (const auto& [shape, attempt] : judged.attempts)
    ASSAY_CHECK(ledger->set_baseline(gate.baseline_key(gate.request.save, shape), attempt));
  return {};
}

// --- by counters

Result<BaselineCase> stored_counters(const Gate& gate, const std::string& shape, const std::string& configuration) {
  if (is_baseline_file(gate.against)) {
    ASSAY_TRY(const BaselineFile file, baseline_file(gate, configuration, gate.device));
    const auto found = file.cases.find(shape);
    if (found == file.cases.end() || found->second.counters.empty())
      return no_baseline(fmt::format("list of counters in '{}'", gate.against), shape);
    return found->second;
  }
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(gate.recording));
  ASSAY_TRY(const auto baseline, ledger->baseline(gate.baseline_key(gate.against, shape)));
  if (!baseline) return no_baseline(fmt::format("baseline '{}'", gate.against), shape);
  ASSAY_TRY(const ledger::Attempt attempt, ledger->attempt(baseline->attempt));
  ASSAY_CHECK(check_correct(attempt));
  if (attempt.configuration != configuration && !gate.request.force)
    return Error{fmt::format("the baseline was counted with the configuration {}, this is {}",
                             escape_terminal(attempt.configuration), configuration),
                 {},
                 "choose the same one with --config; --force compares them all the same"};
  const auto details = nlohmann::json::parse(attempt.details, nullptr, false);
  const auto counters = details.is_object() ? details.find("counters") : details.end();
  BaselineCase stored;
  if (details.is_object() && counters != details.end() && counters->is_object()) {
    for (const auto& [name, value] : counters->items()) {
      if (value.is_number_unsigned()) stored.counters[name] = value.get<uint64_t>();
    }
    if (details.contains("estimated")) stored.estimated = estimated_from(details["estimated"]);
    if (details.contains("rates_measured") && details["rates_measured"].is_string())
      stored.rates = details["rates_measured"].get<std::string>();
  }
  if (stored.counters.empty())
    return Error{fmt::format("attempt {} holds no counters", attempt.id), Place{ledger->file().string()},
                 "keep new ones with --save"};
  return stored;
}

// Of a case that was counted, several kernels in sequence added up; nothing if it cannot be estimated.
Result<std::optional<judge::EstimatedTime>> estimated_time(const Gate& gate, const spec::KernelSpec& spec,
                                                           const spec::Configuration& configuration,
                                                           const spec::Shape& shape,
                                                           const std::optional<StoredRates>& rates) {
  EstimatingRequest request;
  request.device = gate.device;
  request.seed = gate.request.seed;
  request.limits = gate.request.limits;
  request.several = true;
  request.measured = rates;
  const auto estimated = estimate_case(spec, configuration, shape, request, gate.context);
  ASSAY_CHECK(check_cancelled(gate.context));
  if (!estimated) return std::optional<judge::EstimatedTime>();
  const estimate::Estimate& time = estimated->estimate;
  return std::optional(judge::EstimatedTime{time.time_us, time.low_us, time.high_us});
}

Result<int64_t> record_counters(const Gate& gate, const CountedCase& counted, const BaselineCase& kept,
                                const std::string& configuration) {
  ASSAY_CHECK(needed_ledger(gate.recording));
  ledger::Attempt attempt = gate.recording.draft();
  attempt.kind = ledger::Kind::profile;
  attempt.configuration = configuration;
  attempt.shape = counted.shape.text();
  attempt.verdict = "counted";
  attempt.correct = !counted.incorrect;
  nlohmann::json details{{"counters", kept.counters}};
  if (kept.estimated) details["estimated"] = estimated_json(*kept.estimated);
  if (!kept.rates.empty()) details["rates_measured"] = kept.rates;
  attempt.details = details.dump();
  ASSAY_TRY(const std::optional<int64_t> id, gate.recording.write(std::move(attempt)));
  if (!id) return Error{"what was counted could not be recorded"};
  return *id;
}

Result<std::vector<judge::CounterChange>> counter_changes(const GateRequest& request, const judge::Counters& candidate,
                                                          const judge::Counters& baseline) {
  if (request.counters.empty()) return judge::compare_counters(candidate, baseline, request.counter_threshold);
  for (const std::string& name : request.counters) {
    if (!candidate.contains(name) && !baseline.contains(name))
      return Error{fmt::format("there is no counter '{}'", name), {}, "assay profile KERNEL --json lists them"};
  }
  return judge::compare_counters(candidate, baseline, request.counter_threshold,
                                 {request.counters.begin(), request.counters.end()});
}

Result<Judged> counter_cases(const Gate& gate, const spec::Configuration& configuration) {
  const GateRequest& request = gate.request;
  const CountRequest count{gate.device, request.seed, request.limits};
  ASSAY_TRY(const std::vector<spec::Shape> shapes, countable_shapes(gate.spec, configuration, request.measuring));
  ASSAY_TRY(const std::vector<CountedCase> counted, count_cases(gate.spec, configuration, shapes, count, gate.context));
  std::vector<CountedCase> other;
  spec::KernelSpec other_spec;
  spec::Configuration other_configuration;
  if (gate.live()) {
    ASSAY_TRY(other_spec, spec::load(gate.against));
    ASSAY_TRY(other_configuration, chosen_configuration(other_spec, request.choice.configuration));
    ASSAY_TRY(other, count_cases(other_spec, other_configuration, shapes, count, gate.context));
  }
  const std::optional<StoredRates> rates = stored_rates(gate.recording, gate.device);
  Judged judged;
  judged.file.device = gate.device;
  for (size_t i = 0; i < counted.size(); ++i) {
    const std::string shape = counted[i].shape.text();
    judge::GateCase gate_case{shape, counted[i].incorrect, {}, {}};
    if (gate.live() && other[i].incorrect)
      return Error{fmt::format("the baseline is itself incorrect at {}: {}", shape, *other[i].incorrect),
                   Place{gate.against}, "compare with a correct one"};
    BaselineCase baseline;
    if (gate.live()) baseline.counters = other[i].counters;
    if (!gate.live() && !gate.against.empty()) {
      ASSAY_TRY(baseline, stored_counters(gate, shape, configuration.id()));
    }
    BaselineCase now{counted[i].counters, {}, {}, {}, rates ? rates->time : ""};
    if (!baseline.counters.empty()) {
      ASSAY_TRY(gate_case.counters, counter_changes(gate.request, counted[i].counters, baseline.counters));
    }
    const bool trade = judge::judge_counters(gate_case.counters, request.counter_threshold, false).verdict ==
                       judge::GateVerdict::trade;
    if (!counted[i].incorrect && (trade || !request.save.empty())) {
      ASSAY_TRY(now.estimated, estimated_time(gate, gate.spec, configuration, counted[i].shape, rates));
    }
    if (trade && gate.live()) {
      ASSAY_TRY(baseline.estimated, estimated_time(gate, other_spec, other_configuration, counted[i].shape, rates));
      baseline.rates = now.rates;
    }
    // Estimates with other rates differ because of them: a trade that they would settle stays one.
    if (trade && now.estimated && baseline.estimated && now.rates == baseline.rates)
      gate_case.estimated = judge::EstimatedChange{*now.estimated, *baseline.estimated};
    if (!request.save.empty() && !counted[i].incorrect) {
      judged.file.cases[shape] = now;
      if (!is_baseline_file(request.save)) {
        ASSAY_TRY(const int64_t attempt, record_counters(gate, counted[i], now, configuration.id()));
        judged.attempts.emplace_back(shape, attempt);
      }
    }
    judged.cases.push_back(std::move(gate_case));
  }
  return judged;
}

// --- the verdict

judge::GateOptions gate_options(const Gate& gate) {
  judge::GateOptions options;
  options.threshold = gate.request.threshold.value_or(gate.against == kBest ? kThresholdOfBest : kThreshold);
  options.counter_threshold = gate.request.counter_threshold;
  options.strict = gate.request.strict;
  options.inconclusive_passes = gate.request.inconclusive_passes;
  return options;
}

// Nothing was compared: what was found is kept, unless it is wrong.
Result<void> only_save(const Gate& gate, const std::vector<judge::GateCase>& cases, GateDetails& details,
                       GateReport& report) {
  for (const judge::GateCase& each : cases) {
    if (each.incorrect)
      return Error{fmt::format("{}: {}", each.name, *each.incorrect), Place{gate.spec.file.string()},
                   "only correct results become a baseline", ExitCode::incorrect};
    report.cases.push_back({each.name, "SAVED", ""});
  }
  report.exit_code = ExitCode::good;
  report.verdict = "SAVED";
  details.saved = gate.request.save;
  details.document["verdict"] = report.verdict;
  details.document["baseline"] = gate.request.save;
  return {};
}

Result<void> judge_cases(const Gate& gate, std::vector<judge::GateCase> cases,
                         std::optional<judge::Calibration> calibration, GateDetails& details, GateReport& report) {
  details.result = judge::gate(std::move(cases), gate_options(gate), std::move(calibration));
  const judge::GateResult& result = *details.result;
  report.exit_code = result.exit_code;
  report.verdict = to_string(result.verdict);
  report.reason = result.reason;
  for (const judge::GateCaseResult& each : result.cases)
    report.cases.push_back({each.name, std::string(to_string(each.verdict)), each.reason});
  details.document["verdict"] = report.verdict;
  details.document["against"] = gate.against;
  details.document["gate"] = judge::to_json(result);
  ledger::Attempt attempt = gate.recording.draft();
  attempt.configuration = report.configuration;
  attempt.verdict = report.verdict;
  attempt.exit_code = static_cast<int>(result.exit_code);
  return gate.recording.write(std::move(attempt), details.document);
}

Result<GateReport> pass_gate(const Gate& gate, const std::shared_ptr<GateDetails>& details) {
  ASSAY_TRY(const spec::Configuration configuration,
            chosen_configuration(gate.spec, gate.request.choice.configuration));
  GateReport report;
  report.kernel = gate.spec.kernel.name;
  report.configuration = configuration.id();
  report.device = gate.device;
  details->document = document_head("gate", gate.spec, report.configuration, gate.device);
  Judged judged;
  std::optional<judge::Calibration> calibration;
  if (device::is_virtual(gate.device)) {
    ASSAY_TRY(judged, counter_cases(gate, configuration));
  } else {
    ASSAY_TRY(judged, time_cases(gate, calibration, report.goal));
  }
  ASSAY_CHECK(gate.against.empty() ? only_save(gate, judged.cases, *details, report)
                                   : judge_cases(gate, judged.cases, std::move(calibration), *details, report));
  // A run that did not pass never becomes the baseline of the next one.
  if (gate.against.empty() || details->result->verdict == judge::GateVerdict::pass)
    ASSAY_CHECK(save(gate, report.configuration, judged));
  if (!report.goal.empty()) details->document["goal"] = goal_document(report.goal);
  report.details = details;
  return report;
}

// Those that were compared with something.
report::GatedKernels gated_kernels(const std::vector<GateReport>& reports) {
  report::GatedKernels kernels;
  for (const GateReport& report : reports) {
    if (report.details->result) kernels.push_back({report.kernel, report.device, *report.details->result});
  }
  return kernels;
}

}  // namespace

// With a name to save under alone there is nothing to compare with yet; without both, the best that is known.
Result<GateReport> gate(const GateRequest& request, const Context& context) {
  const auto details = std::make_shared<GateDetails>();
  ASSAY_TRY(details->spec, spec::load(request.choice.kernel));
  const std::string device = device_for(details->spec, request.choice.device);
  const std::string against = request.against.empty() && request.save.empty() ? kBest : request.against;
  if (against == kBest && device::is_virtual(device))
    return Error{"counters have no leaderboard",
                 {},
                 "keep those of today with --save NAME and judge with --against NAME, or --against FOLDER"};
  ASSAY_TRY(Recording recording,
            Recording::open(request.record, context,
                            {ledger::Kind::gate, &details->spec, request.choice.configuration, device, request.seed}));
  return recording.close(pass_gate({request, context, details->spec, device, against, recording}, details));
}

std::string to_json(const GateReport& report) {
  return document_text(report.details->document);
}

std::string to_junit(const std::vector<GateReport>& reports) {
  return report::junit_xml(gated_kernels(reports));
}

std::string to_markdown(const std::vector<GateReport>& reports) {
  return report::markdown(gated_kernels(reports));
}

}  // namespace assay::work
