// SPDX-License-Identifier: MIT
// assay gate: may this change go in? By time on a GPU, by exact counters on a virtual one.
#include "judge/gate.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/calibration_store.hpp"
#include "cli/command_line.hpp"
#include "cli/counting.hpp"
#include "cli/measuring.hpp"
#include "cli/stored_measurement.hpp"
#include "judge/compare.hpp"
#include "judge/gate_json.hpp"
#include "judge/junit.hpp"
#include "judge/markdown.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

constexpr double kThreshold = 0.03;
constexpr double kThresholdOfBest = 0.02;

void add_options(CommandLine& line, Options& options) {
  MeasureOptions& measure = options.measure;
  add_kernel(line, options);
  add_device(line, options);
  add_configuration(line, options);
  add_measuring(line, options);
  line.option("--against", measure.against, "a saved baseline, best, or a kernel folder");
  line.option("--save", measure.save, "keep what was measured or counted under this name");
  line.option("--threshold", measure.threshold, "slowdown that fails: 0.03 is 3 %", {0, 10});
  line.option("--counter-threshold", measure.counter_threshold, "growth of a counter that fails", {0, 10});
  line.option("--counters", measure.counters, "NAME,...: the counters that decide");
  line.flag("--strict", measure.strict, "growth of a counter fails, whatever fell");
  line.choice("--inconclusive", measure.inconclusive, "pass or fail", {"pass", "fail"});
  line.flag("--force", measure.force, "compare with a baseline of another contract");
  line.option("--junit", measure.junit, "write JUnit XML to this file");
  line.option("--markdown", measure.markdown, "write a report for a pull request to this file");
  add_seed(line, options);
  add_limits(line, options);
  add_ledger(line, options);
  add_json(line, options);
}

bool is_kernel(const std::string& path) {
  std::error_code failed;
  return std::filesystem::exists(std::filesystem::path(path) / "kernel.toml", failed) ||
         std::filesystem::is_regular_file(path, failed);
}

std::string baseline_key(const std::string& name, const spec::KernelSpec& spec, const std::string& device,
                         const std::string& shape) {
  return device::is_virtual(device) ? fmt::format("{}/{}/{}/{}", name, spec.kernel.name, device, shape)
                                    : fmt::format("{}/{}/{}", name, spec.kernel.name, shape);
}

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

// --- by time

// The stored measurement for each shape, found before the new one is stored beside it.
Result<std::vector<StoredMeasurement>> stored_baselines(const Bench& bench, const spec::KernelSpec& spec,
                                                        const Options& options, Recording& recording) {
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(recording));
  std::vector<StoredMeasurement> list;
  for (const spec::Shape& shape : bench.request.shapes) {
    std::optional<StoredMeasurement> chosen;
    if (options.measure.against == "best") {
      ledger::Filter filter;
      filter.kernel = spec.kernel.name;
      ASSAY_TRY(const std::vector<ledger::LeaderboardRow> rows, ledger->leaderboard(filter));
      double best = 0;
      for (const ledger::LeaderboardRow& row : rows) {
        if (row.shape != shape.text() || (chosen && row.p50_us >= best)) continue;
        ASSAY_TRY(StoredMeasurement stored, load_measurement(*ledger, row.attempt));
        if (stored.contract.value("device.name") != bench.request.model.name) continue;
        chosen = std::move(stored);
        best = row.p50_us;
      }
      if (!chosen) return no_baseline("measurement on the leaderboard", shape.text());
    } else {
      ASSAY_TRY(const auto baseline,
                ledger->baseline(baseline_key(options.measure.against, spec, device_name(options), shape.text())));
      if (!baseline) return no_baseline(fmt::format("baseline '{}'", options.measure.against), shape.text());
      ASSAY_TRY(chosen, load_measurement(*ledger, baseline->attempt));
    }
    list.push_back(std::move(*chosen));
  }
  return list;
}

Result<std::vector<judge::GateCase>> time_cases(const spec::KernelSpec& spec, const Options& options,
                                                Recording& recording, std::optional<judge::Calibration>& calibration) {
  const bool live = is_kernel(options.measure.against);
  const bool nothing_yet = options.measure.against.empty();
  Options wanted = options;
  if (live) wanted.measure.baselines = {options.measure.against};
  ASSAY_TRY(Bench bench, prepare_bench(spec, wanted));
  calibration = stored_calibration(recording, bench.request.model);
  std::vector<StoredMeasurement> stored;
  if (!live && !nothing_yet) {
    ASSAY_TRY(stored, stored_baselines(bench, spec, options, recording));
  }
  std::vector<judge::GateCase> cases;
  const auto on_case = [&](const report::BenchCase& measured, std::optional<int64_t> attempt) -> Result<void> {
    judge::GateCase gate_case{measured.measured.shape, {}, {}, {}};
    const measure::ContenderResult& candidate = measured.measured.candidate();
    if (!candidate.good()) {
      gate_case.incorrect = candidate.objection();
    } else if (live) {
      const measure::ContenderResult& baseline = measured.measured.contenders.at(1);
      if (!baseline.good())
        return Error{
            fmt::format("the baseline cannot be measured: {}", baseline.objection()), {}, "", ExitCode::environment};
      gate_case.comparison = measured.comparisons.at(1);
    } else if (!nothing_yet) {
      const StoredMeasurement& baseline = stored[cases.size()];
      ASSAY_CHECK(check_contracts(measured.measured.contract, baseline.contract, options.measure.force));
      judge::CompareOptions compare = compare_options(options, bench, recording);
      compare.interleaved = false;
      ASSAY_TRY(gate_case.comparison, judge::compare(candidate.batches, baseline.batches, compare));
    }
    if (candidate.good() && attempt && !options.measure.save.empty() && recording.ledger() != nullptr)
      ASSAY_CHECK(recording.ledger()->set_baseline(
          baseline_key(options.measure.save, spec, device_name(options), measured.measured.shape), *attempt));
    cases.push_back(std::move(gate_case));
    return {};
  };
  ASSAY_TRY(const auto measured, run_bench(bench, compare_options(wanted, bench, recording), recording, on_case));
  return cases;
}

// --- by counters

Result<judge::Counters> stored_counters(ledger::Ledger& ledger, const std::string& key, const std::string& shape) {
  ASSAY_TRY(const auto baseline, ledger.baseline(key));
  if (!baseline) return no_baseline(fmt::format("baseline '{}'", key.substr(0, key.find('/'))), shape);
  ASSAY_TRY(const ledger::Attempt attempt, ledger.attempt(baseline->attempt));
  const auto details = nlohmann::json::parse(attempt.details, nullptr, false);
  const auto counters = details.is_object() ? details.find("counters") : details.end();
  judge::Counters values;
  if (details.is_object() && counters != details.end() && counters->is_object()) {
    for (const auto& [name, value] : counters->items()) {
      if (value.is_number_unsigned()) values[name] = value.get<uint64_t>();
    }
  }
  if (values.empty())
    return Error{fmt::format("attempt {} holds no counters", attempt.id), Place{ledger.file().string()},
                 "keep new ones with --save"};
  return values;
}

Result<void> save_counters(const CountedCase& counted, const std::string& key, const Options& options,
                           Recording& recording) {
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(recording));
  ledger::Attempt attempt = recording.draft();
  attempt.kind = ledger::Kind::profile;
  attempt.configuration = options.configuration;
  attempt.shape = counted.shape.text();
  attempt.verdict = "counted";
  attempt.correct = !counted.incorrect;
  attempt.details = nlohmann::json{{"counters", counted.counters}}.dump();
  ASSAY_TRY(const std::optional<int64_t> id, recording.write(std::move(attempt)));
  return id ? ledger->set_baseline(key, *id) : Result<void>();
}

Result<std::vector<judge::CounterChange>> counter_changes(const judge::Counters& candidate,
                                                          const judge::Counters& baseline, const Options& options) {
  const double threshold = options.measure.counter_threshold;
  if (options.measure.counters.empty()) return judge::compare_counters(candidate, baseline, threshold);
  std::set<std::string, std::less<>> judged;
  for (const std::string_view word : split(options.measure.counters, ',')) {
    const std::string name(trim(word));
    if (!candidate.contains(name) && !baseline.contains(name))
      return Error{fmt::format("there is no counter '{}'", name), {}, "assay profile KERNEL --json lists them"};
    judged.insert(name);
  }
  return judge::compare_counters(candidate, baseline, threshold, judged);
}

Result<std::vector<judge::GateCase>> counter_cases(const spec::KernelSpec& spec, const Options& options,
                                                   Recording& recording) {
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, options));
  ASSAY_TRY(const std::vector<spec::Shape> shapes, countable_shapes(spec, configuration, options));
  ASSAY_TRY(const std::vector<CountedCase> counted, count_cases(spec, configuration, shapes, options));
  std::vector<CountedCase> other;
  const bool live = is_kernel(options.measure.against);
  if (live) {
    ASSAY_TRY(const spec::KernelSpec baseline, spec::load(options.measure.against));
    ASSAY_TRY(const spec::Configuration chosen, chosen_configuration(baseline, options));
    ASSAY_TRY(other, count_cases(baseline, chosen, shapes, options));
  }
  std::vector<judge::GateCase> cases;
  for (size_t i = 0; i < counted.size(); ++i) {
    const std::string shape = counted[i].shape.text();
    judge::GateCase gate_case{shape, counted[i].incorrect, {}, {}};
    judge::Counters baseline = live ? other[i].counters : judge::Counters();
    if (!live && !options.measure.against.empty()) {
      ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(recording));
      ASSAY_TRY(
          baseline,
          stored_counters(*ledger, baseline_key(options.measure.against, spec, device_name(options), shape), shape));
    }
    if (!baseline.empty()) {
      ASSAY_TRY(gate_case.counters, counter_changes(counted[i].counters, baseline, options));
    }
    if (!options.measure.save.empty() && !counted[i].incorrect)
      ASSAY_CHECK(save_counters(counted[i], baseline_key(options.measure.save, spec, device_name(options), shape),
                                options, recording));
    cases.push_back(std::move(gate_case));
  }
  return cases;
}

// --- the verdict

report::Colour colour_of(judge::GateVerdict verdict) {
  switch (verdict) {
    case judge::GateVerdict::pass:
      return report::Colour::green;
    case judge::GateVerdict::trade:
    case judge::GateVerdict::inconclusive:
      return report::Colour::yellow;
    case judge::GateVerdict::regression:
    case judge::GateVerdict::incorrect:
      break;
  }
  return report::Colour::red;
}

std::string gate_text(const judge::GateResult& result, const spec::KernelSpec& spec, const Options& options) {
  const report::Terminal terminal;
  std::string text;
  for (const judge::GateCaseResult& each : result.cases) {
    text += fmt::format("  {}  {}: {}\n", terminal.paint(colour_of(each.verdict), std::string(to_string(each.verdict))),
                        each.name, each.reason);
    size_t others = 0;
    for (const judge::CounterChange& change : each.counters) {
      if (!judge::worth_showing(change)) continue;
      if (change.judged) {
        text += fmt::format("      {}, {}, counted\n", judge::describe(change), to_string(change.trend));
      } else {
        ++others;
      }
    }
    if (others > 0)
      text += fmt::format("      {} that are not judged changed: --json lists them\n", counted(others, "counter"));
  }
  const std::string calibrated = device::is_virtual(device_name(options)) ? "counted exactly, no noise"
                                 : result.calibration
                                     ? judge::describe(*result.calibration)
                                     : "this GPU was not calibrated: assay calibrate tells how far to trust the gate";
  return text + fmt::format("{} {} on {}: {}  [{}]\n",
                            terminal.paint(colour_of(result.verdict), std::string(to_string(result.verdict))),
                            spec.kernel.name, device_name(options), result.reason, calibrated);
}

// Nothing was compared: what was found is kept, unless it is wrong.
Result<ExitCode> saved(const std::vector<judge::GateCase>& cases, const spec::KernelSpec& spec,
                       const Options& options) {
  for (const judge::GateCase& each : cases) {
    if (each.incorrect)
      return Error{fmt::format("{}: {}", each.name, *each.incorrect), Place{spec.file.string()},
                   "only correct results become a baseline", ExitCode::incorrect};
  }
  if (options.json) {
    ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, options));
    nlohmann::json document = document_head("gate", spec, configuration, options);
    document["verdict"] = "SAVED";
    document["baseline"] = options.measure.save;
    print_document(document);
  } else {
    fmt::print("saved {} of {} on {} as '{}'\n", counted(cases.size(), "shape"), spec.kernel.name, device_name(options),
               options.measure.save);
  }
  return ExitCode::good;
}

Result<ExitCode> gate(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  std::vector<judge::GateCase> cases;
  std::optional<judge::Calibration> calibration;
  if (device::is_virtual(device_name(options))) {
    ASSAY_TRY(cases, counter_cases(spec, options, recording));
  } else {
    ASSAY_TRY(cases, time_cases(spec, options, recording, calibration));
  }
  if (options.measure.against.empty()) return saved(cases, spec, options);
  judge::GateOptions wanted;
  wanted.threshold = options.measure.threshold >= 0      ? options.measure.threshold
                     : options.measure.against == "best" ? kThresholdOfBest
                                                         : kThreshold;
  wanted.counter_threshold = options.measure.counter_threshold;
  wanted.strict = options.measure.strict;
  wanted.inconclusive_passes = options.measure.inconclusive == "pass";
  const judge::GateResult result = judge::gate(std::move(cases), wanted, calibration);
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, options));
  nlohmann::json document = document_head("gate", spec, configuration, options);
  document["verdict"] = to_string(result.verdict);
  document["against"] = options.measure.against;
  document["gate"] = judge::to_json(result);
  ledger::Attempt attempt = recording.draft();
  attempt.configuration = configuration.id();
  attempt.verdict = to_string(result.verdict);
  attempt.exit_code = static_cast<int>(result.exit_code);
  ASSAY_CHECK(recording.write(std::move(attempt), document));
  if (!options.measure.junit.empty())
    ASSAY_CHECK(write_file_atomically(options.measure.junit, judge::junit_xml(result)));
  if (!options.measure.markdown.empty())
    ASSAY_CHECK(write_file_atomically(options.measure.markdown, judge::markdown(result)));
  if (options.json) {
    print_document(document);
  } else {
    fmt::print("{}", gate_text(result, spec, options));
  }
  return result.exit_code;
}

// With --save alone there is nothing to compare with yet; without both, the best that is known.
Result<ExitCode> run(const Options& given) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(given.kernel));
  Options wanted = on_suitable_device(spec, given);
  if (given.measure.against.empty() && given.measure.save.empty()) wanted.measure.against = "best";
  if (wanted.measure.against == "best" && device::is_virtual(device_name(wanted)))
    return Error{"counters have no leaderboard",
                 {},
                 "keep those of today with --save NAME and judge with --against NAME, or --against FOLDER"};
  ASSAY_TRY(Recording recording, Recording::open(wanted, ledger::Kind::gate, spec));
  return recording.close(gate(spec, wanted, recording));
}

}  // namespace

Command gate_command() {
  return {"gate", "fails a change that is slower than a baseline, or whose exact counters grew; never on noise",
          add_options, run};
}

}  // namespace assay::cli
