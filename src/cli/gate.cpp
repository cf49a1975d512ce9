// SPDX-License-Identifier: MIT
// assay gate: may this change go in? By time on a GPU, by exact counters on a virtual one.
#include "judge/gate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/baseline_file.hpp"
#include "cli/calibration_store.hpp"
#include "cli/command_line.hpp"
#include "cli/counting.hpp"
#include "cli/kept_candidate.hpp"
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
  line.option("--against", measure.against, "a saved baseline, best, a kernel folder, or a file");
  line.option("--save", measure.save, "keep what was measured or counted under this name or in this file");
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
  if (is_baseline_file(path)) return false;
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

constexpr double kTopGroup = 0.03;  // within it, which one was the best is luck
constexpr size_t kMostOfGroup = 3;

// Figures of a kernel do not depend on the libraries of who was measured beside it.
bool same_contract(const measure::Contract& one, const measure::Contract& other) {
  for (const std::string& line : measure::differences(one, other)) {
    if (!line.starts_with("library.")) return false;
  }
  return true;
}

// The best of many stored runs is the luckiest one as well. So it is not one run but a group: all that come within 3 %
// of the shortest median under this contract, each kernel once.
Result<std::vector<StoredMeasurement>> top_group(const measure::Contract& contract, const spec::KernelSpec& spec,
                                                 const std::string& shape, ledger::Ledger& ledger) {
  ledger::Filter filter;
  filter.kernel = spec.kernel.name;
  ASSAY_TRY(std::vector<ledger::LeaderboardRow> rows, ledger.leaderboard(filter));
  std::erase_if(rows, [&](const auto& row) { return row.shape != shape; });
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.p50_us < b.p50_us; });
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

Result<StoredMeasurement> named_baseline(const spec::KernelSpec& spec, const std::string& shape, const Options& options,
                                         ledger::Ledger& ledger) {
  ASSAY_TRY(const auto baseline,
            ledger.baseline(baseline_key(options.measure.against, spec, device_name(options), shape)));
  if (!baseline) return no_baseline(fmt::format("baseline '{}'", options.measure.against), shape);
  return load_measurement(ledger, baseline->attempt);
}

// A baseline that may be compared with: correct, and of the same configuration.
Result<void> check_baseline(const StoredMeasurement& baseline, const std::string& configuration,
                            const Options& options) {
  if (baseline.attempt.correct == false)
    return Error{fmt::format("the baseline, attempt {}, is itself incorrect", baseline.attempt.id),
                 {},
                 "keep a correct one with --save NAME"};
  if (baseline.attempt.configuration != configuration && !options.measure.force)
    return Error{fmt::format("the baseline was measured with the configuration {}, this is {}",
                             baseline.attempt.configuration, configuration),
                 {},
                 "choose the same one with --config; --force compares them all the same"};
  return {};
}

// What one shape is compared with: measured once more beside the candidate where its code is at hand, else as stored.
struct TimeBaselines {
  std::vector<StoredMeasurement> stored;
  std::vector<bool> again;  // contender 1, 2, ... of the run, in this order
};

Result<BaselineFile> baseline_file(const spec::KernelSpec& spec, const std::string& configuration,
                                   const std::string& device, const Options& options) {
  ASSAY_TRY(BaselineFile file, read_baseline_file(options.measure.against));
  const auto refuse = [&](const char* what, const std::string& theirs, const std::string& ours) {
    return Error{fmt::format("this baseline is of the {} {}, not of {}", what, theirs, ours),
                 Place{options.measure.against}, "choose the file that belongs to it, or write one with --save FILE"};
  };
  if (file.kernel != spec.kernel.name) return refuse("kernel", file.kernel, spec.kernel.name);
  if (file.device != device) return refuse("device", file.device, device);
  if (file.configuration != configuration && !options.measure.force)
    return refuse("configuration", file.configuration, configuration);
  return file;
}

Result<TimeBaselines> baselines_for(Bench& bench, const spec::Shape& shape, const spec::KernelSpec& spec,
                                    const Options& options, Recording& recording) {
  TimeBaselines baselines;
  if (is_baseline_file(options.measure.against)) {
    ASSAY_TRY(const BaselineFile file,
              baseline_file(spec, bench.request.configuration.id(), std::string(bench.request.model.name), options));
    const auto found = file.cases.find(shape.text());
    if (found == file.cases.end() || found->second.batches.empty())
      return no_baseline(fmt::format("measurement in '{}'", options.measure.against), shape.text());
    baselines.stored.push_back({{}, found->second.contract, found->second.batches});
    baselines.again.push_back(false);
    return baselines;
  }
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(recording));
  if (options.measure.against == "best") {
    ASSAY_TRY(baselines.stored, top_group(measure::case_contract(bench.request, shape), spec, shape.text(), *ledger));
  } else {
    ASSAY_TRY(StoredMeasurement named, named_baseline(spec, shape.text(), options, *ledger));
    baselines.stored.push_back(std::move(named));
  }
  bench.request.contenders.resize(1);
  for (const StoredMeasurement& stored : baselines.stored) {
    ASSAY_CHECK(check_baseline(stored, bench.request.configuration.id(), options));
    auto contender = kept_contender(stored.contract.value("candidate.kept"),
                                    fmt::format("attempt {}", stored.attempt.id), bench.request.cache_folder);
    baselines.again.push_back(contender.has_value());
    if (contender) bench.request.contenders.push_back(std::move(*contender));
  }
  return baselines;
}

Result<judge::Comparison> as_stored(const report::BenchCase& measured, const StoredMeasurement& baseline,
                                    const Bench& bench, const Options& options, Recording& recording) {
  ASSAY_CHECK(check_contracts(measured.measured.contract, baseline.contract, options.measure.force));
  judge::CompareOptions compare = compare_options(options, bench, recording);
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

// The cases, and what becomes the baseline if it may: of correct candidates alone.
struct Judged {
  std::vector<judge::GateCase> cases;
  std::vector<std::pair<std::string, int64_t>> attempts;  // by shape
  BaselineFile file;
};

Result<Judged> time_cases(const spec::KernelSpec& spec, const Options& options, Recording& recording,
                          std::optional<judge::Calibration>& calibration) {
  const bool live = is_kernel(options.measure.against);
  const bool nothing_yet = options.measure.against.empty();
  Options wanted = options;
  if (live) wanted.measure.baselines = {options.measure.against};
  ASSAY_TRY(Bench bench, prepare_bench(spec, wanted));
  calibration = stored_calibration(recording, bench.request.model);
  Judged result;
  result.file.device = std::string(bench.request.model.name);
  const std::vector<spec::Shape> shapes = bench.request.shapes;
  for (const spec::Shape& shape : shapes) {
    bench.request.shapes = {shape};
    TimeBaselines baselines;
    if (!live && !nothing_yet) {
      ASSAY_TRY(baselines, baselines_for(bench, shape, spec, options, recording));
    }
    const auto on_case = [&](const report::BenchCase& measured, std::optional<int64_t> attempt) -> Result<void> {
      const auto& contenders = measured.measured.contenders;
      const bool good = measured.measured.candidate().good();
      if (good && attempt) result.attempts.emplace_back(shape.text(), *attempt);
      if (good)
        result.file.cases[shape.text()] = {{}, measured.measured.contract, measured.measured.candidate().batches};
      if (!good) {
        result.cases.push_back({shape.text(), measured.measured.candidate().objection(), {}, {}});
      } else if (nothing_yet) {
        result.cases.push_back({shape.text(), {}, {}, {}});
      } else if (live) {
        if (!contenders.at(1).good()) return bad_baseline(contenders[1]);
        result.cases.push_back({shape.text(), {}, measured.comparisons.at(1), {}});
      }
      if (!good) return {};
      size_t next = 1;
      for (size_t i = 0; i < baselines.stored.size(); ++i) {
        const std::string name = baselines.stored.size() == 1 ? shape.text()
                                                              : fmt::format("{} against attempt {}", shape.text(),
                                                                            baselines.stored[i].attempt.id);
        judge::GateCase gate_case{name, {}, {}, {}};
        if (baselines.again[i]) {
          const size_t contender = next++;
          if (!contenders.at(contender).good()) return bad_baseline(contenders[contender]);
          gate_case.comparison = measured.comparisons.at(contender);
        } else {
          ASSAY_TRY(gate_case.comparison, as_stored(measured, baselines.stored[i], bench, options, recording));
        }
        result.cases.push_back(std::move(gate_case));
      }
      return {};
    };
    ASSAY_TRY(const auto measured, run_bench(bench, compare_options(wanted, bench, recording), recording, on_case));
  }
  return result;
}

Result<void> save(Judged& judged, const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  if (options.measure.save.empty()) return {};
  if (is_baseline_file(options.measure.save)) {
    ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, options));
    judged.file.kernel = spec.kernel.name;
    judged.file.configuration = configuration.id();
    return write_baseline_file(options.measure.save, judged.file);
  }
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(recording));
  for (const auto& [shape, attempt] : judged.attempts)
    ASSAY_CHECK(ledger->set_baseline(baseline_key(options.measure.save, spec, device_name(options), shape), attempt));
  return {};
}

// --- by counters

Result<judge::Counters> stored_counters(ledger::Ledger& ledger, const std::string& key, const std::string& shape,
                                        const std::string& configuration, bool force) {
  ASSAY_TRY(const auto baseline, ledger.baseline(key));
  if (!baseline) return no_baseline(fmt::format("baseline '{}'", key.substr(0, key.find('/'))), shape);
  ASSAY_TRY(const ledger::Attempt attempt, ledger.attempt(baseline->attempt));
  if (attempt.configuration != configuration && !force)
    return Error{fmt::format("the baseline was counted with the configuration {}, this is {}", attempt.configuration,
                             configuration),
                 {},
                 "choose the same one with --config; --force compares them all the same"};
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

Result<int64_t> record_counters(const CountedCase& counted, const std::string& configuration, Recording& recording) {
  ASSAY_CHECK(needed_ledger(recording));
  ledger::Attempt attempt = recording.draft();
  attempt.kind = ledger::Kind::profile;
  attempt.configuration = configuration;
  attempt.shape = counted.shape.text();
  attempt.verdict = "counted";
  attempt.correct = !counted.incorrect;
  attempt.details = nlohmann::json{{"counters", counted.counters}}.dump();
  ASSAY_TRY(const std::optional<int64_t> id, recording.write(std::move(attempt)));
  if (!id) return Error{"what was counted could not be recorded"};
  return *id;
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

Result<judge::Counters> counters_to_compare(const CountedCase& counted, const spec::KernelSpec& spec,
                                            const std::string& configuration, const Options& options,
                                            Recording& recording) {
  const std::string shape = counted.shape.text();
  if (is_baseline_file(options.measure.against)) {
    ASSAY_TRY(const BaselineFile file, baseline_file(spec, configuration, device_name(options), options));
    const auto found = file.cases.find(shape);
    if (found == file.cases.end() || found->second.counters.empty())
      return no_baseline(fmt::format("counters in '{}'", options.measure.against), shape);
    return found->second.counters;
  }
  ASSAY_TRY(ledger::Ledger* const ledger, needed_ledger(recording));
  return stored_counters(*ledger, baseline_key(options.measure.against, spec, device_name(options), shape), shape,
                         configuration, options.measure.force);
}

Result<Judged> counter_cases(const spec::KernelSpec& spec, const Options& options, Recording& recording) {
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
  Judged judged;
  judged.file.device = device_name(options);
  for (size_t i = 0; i < counted.size(); ++i) {
    const std::string shape = counted[i].shape.text();
    judge::GateCase gate_case{shape, counted[i].incorrect, {}, {}};
    if (live && other[i].incorrect)
      return Error{fmt::format("the baseline is itself incorrect at {}: {}", shape, *other[i].incorrect),
                   Place{options.measure.against}, "compare with a correct one"};
    judge::Counters baseline = live ? other[i].counters : judge::Counters();
    if (!live && !options.measure.against.empty()) {
      ASSAY_TRY(baseline, counters_to_compare(counted[i], spec, configuration.id(), options, recording));
    }
    if (!baseline.empty()) {
      ASSAY_TRY(gate_case.counters, counter_changes(counted[i].counters, baseline, options));
    }
    if (!options.measure.save.empty() && !counted[i].incorrect) {
      judged.file.cases[shape] = {counted[i].counters, {}, {}};
      if (!is_baseline_file(options.measure.save)) {
        ASSAY_TRY(const int64_t attempt, record_counters(counted[i], configuration.id(), recording));
        judged.attempts.emplace_back(shape, attempt);
      }
    }
    judged.cases.push_back(std::move(gate_case));
  }
  return judged;
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
Result<ExitCode> saved(Judged& judged, const spec::KernelSpec& spec, const Options& options, Recording& recording) {
  const std::vector<judge::GateCase>& cases = judged.cases;
  for (const judge::GateCase& each : cases) {
    if (each.incorrect)
      return Error{fmt::format("{}: {}", each.name, *each.incorrect), Place{spec.file.string()},
                   "only correct results become a baseline", ExitCode::incorrect};
  }
  ASSAY_CHECK(save(judged, spec, options, recording));
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
  Judged judged;
  std::optional<judge::Calibration> calibration;
  if (device::is_virtual(device_name(options))) {
    ASSAY_TRY(judged, counter_cases(spec, options, recording));
  } else {
    ASSAY_TRY(judged, time_cases(spec, options, recording, calibration));
  }
  if (options.measure.against.empty()) return saved(judged, spec, options, recording);
  judge::GateOptions wanted;
  wanted.threshold = options.measure.threshold >= 0      ? options.measure.threshold
                     : options.measure.against == "best" ? kThresholdOfBest
                                                         : kThreshold;
  wanted.counter_threshold = options.measure.counter_threshold;
  wanted.strict = options.measure.strict;
  wanted.inconclusive_passes = options.measure.inconclusive == "pass";
  const judge::GateResult result = judge::gate(std::move(judged.cases), wanted, calibration);
  // A run that did not pass never becomes the baseline of the next one.
  if (result.verdict == judge::GateVerdict::pass) ASSAY_CHECK(save(judged, spec, options, recording));
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
