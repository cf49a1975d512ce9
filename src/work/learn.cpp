// SPDX-License-Identifier: MIT
#include "assay/learn.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "base/file.hpp"
#include "base/hash.hpp"
#include "learn/effects.hpp"
#include "learn/hypothesis.hpp"
#include "learn/pattern.hpp"
#include "learn/step.hpp"
#include "ledger/ledger.hpp"
#include "ledger/location.hpp"
#include "spec/enumerate.hpp"
#include "work/document.hpp"
#include "work/kernel.hpp"
#include "work/practices.hpp"
#include "work/step_import.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr const char* kShared = "shared";  // machine_values of this name hold what was imported
constexpr const char* kImports = "learned";
constexpr size_t kMostImported = 1'000'000;
constexpr size_t kMostCandidates = 100'000;

Result<ledger::Ledger> open_ledger(const std::string& choice, const std::filesystem::path& kernel,
                                   ledger::Ledger::Mode mode) {
  const ledger::Location location = ledger::find_ledger(choice, kernel);
  if (location.file.empty())
    return Error{"with 'none' there is no ledger to learn from", {}, "name one with --ledger FILE"};
  std::error_code ignored;
  if (!std::filesystem::exists(location.file, ignored))
    return Error{
        "nothing is recorded yet in " + location.file.string(), {}, "assay bench, suite and tune record times"};
  return ledger::Ledger::open(location.file, mode);
}

// What is imported may be the first that a ledger holds.
Result<ledger::Ledger> open_for_import(const std::string& choice) {
  const ledger::Location location = ledger::find_ledger(choice, {});
  if (location.file.empty())
    return Error{"with 'none' there is no ledger to import into", {}, "name one with --ledger FILE"};
  ASSAY_CHECK(ledger::prepare_folder(location));
  return ledger::Ledger::open(location.file);
}

std::string shape_of(const ledger::Samples& samples) {
  return samples.shape.find("dtype") != std::string::npos || samples.dtype.empty()
             ? samples.shape
             : samples.shape + ",dtype=" + samples.dtype;
}

json to_shared(const learn::Trial& trial) {
  return {{"kernel", trial.kernel},   {"device", trial.device},  {"shape", trial.shape},
          {"rules", trial.rules},     {"source", trial.source},  {"configuration", learn::to_text(trial.values)},
          {"time_us", trial.time_us}, {"seconds", trial.seconds}};
}

// Foreign text: what has no sense is an error that names the entry.
Result<std::vector<learn::Trial>> read_shared(const std::string& text, const std::string& file) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object() || document.value("assay_learned", 0) != 1 || !document.contains("trials") ||
      !document["trials"].is_array())
    return Error{"this is no file that assay learn --export wrote", {file, 1, 1}};
  if (document["trials"].size() > kMostImported) return Error{"more than a million results", {file, 1, 1}};
  std::vector<learn::Trial> trials;
  for (const json& entry : document["trials"]) {
    learn::Trial trial;
    const auto word = [&](const char* name, std::string& value) {
      if (!entry.is_object() || !entry.contains(name) || !entry[name].is_string()) return false;
      value = entry[name].get<std::string>();
      return true;
    };
    std::string configuration;
    const bool whole = word("kernel", trial.kernel) && word("device", trial.device) && word("shape", trial.shape) &&
                       word("rules", trial.rules) && word("source", trial.source) &&
                       word("configuration", configuration) && entry.contains("time_us") &&
                       entry["time_us"].is_number() && entry["time_us"].get<double>() > 0;
    if (!whole) return Error{fmt::format("result {} lacks a name or a time", trials.size() + 1), {file, 1, 1}};
    trial.values = learn::read_values(configuration);
    trial.time_us = entry["time_us"].get<double>();
    trials.push_back(std::move(trial));
  }
  return trials;
}

using Findings = std::map<std::string, std::set<std::string>>;  // by kernel and source

// What assay diagnose said last of each source.
Result<Findings> diagnosed_findings(ledger::Ledger& ledger, const ledger::Filter& wanted) {
  Findings findings;
  ledger::Filter filter;
  filter.kernel = wanted.kernel;  // a diagnosis is of another device as a rule: a virtual one
  filter.kind = ledger::Kind::profile;
  filter.oldest_first = true;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    const json details = json::parse(attempt.details.empty() ? "null" : attempt.details, nullptr, false);
    if (!details.is_object() || details.value("command", json()) != json("diagnose")) return {};
    std::set<std::string>& rules = findings[attempt.kernel + '\n' + attempt.source_hash];
    rules.clear();
    const auto list = details.find("findings");
    if (list == details.end() || !list->is_array()) return {};
    for (const json& each : *list) {
      if (each.is_object() && each.contains("rule") && each["rule"].is_string())
        rules.insert(each["rule"].get<std::string>());
    }
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(filter, visit));
  return findings;
}

// Measured times of correct candidates, the oldest first, and what was imported.
Result<std::vector<learn::Trial>> trials_of(ledger::Ledger& ledger, const ledger::Filter& filter) {
  std::vector<learn::Trial> trials;
  ASSAY_TRY(const std::optional<std::string> imported, ledger.machine_value(kShared, kImports));
  if (imported) {
    ASSAY_TRY(trials, read_shared(*imported, ledger.file().string()));
  }
  ASSAY_TRY(const Findings findings, diagnosed_findings(ledger, filter));
  ledger::Filter oldest_first = filter;
  oldest_first.oldest_first = true;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    if (attempt.correct != std::optional(true) || attempt.kind == ledger::Kind::imported) return {};
    ASSAY_TRY(const std::vector<ledger::Samples> samples, ledger.samples(attempt.id));
    for (const ledger::Samples& each : samples) {
      if (each.role != ledger::Role::candidate || each.times_us.empty()) continue;
      learn::Trial trial;
      trial.attempt = attempt.id;
      trial.kernel = attempt.kernel;
      trial.device = attempt.device;
      trial.shape = shape_of(each);
      trial.rules = attempt.comparable + " " + each.protocol;
      trial.source = attempt.source_hash;
      const auto diagnosed = findings.find(attempt.kernel + '\n' + attempt.source_hash);
      if (diagnosed != findings.end()) trial.findings = diagnosed->second;
      trial.values = learn::read_values(each.configuration);
      trial.time_us = each.p50_us ? *each.p50_us : summarize(each).p50_us;
      trial.seconds = attempt.duration_s / static_cast<double>(samples.size());
      trial.cost = attempt.cost.value_or(0) / static_cast<double>(samples.size());
      trials.push_back(std::move(trial));
    }
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(oldest_first, visit));
  return trials;
}

Result<size_t> import_trials(ledger::Ledger& ledger, const std::string& text, const std::string& file) {
  ASSAY_TRY(std::vector<learn::Trial> trials, read_shared(text, file));
  ASSAY_TRY(const std::optional<std::string> known, ledger.machine_value(kShared, kImports));
  json all = {{"assay_learned", 1}, {"trials", json::array()}};
  if (known) all = json::parse(*known, nullptr, false);
  std::set<std::string> there;
  for (const json& entry : all["trials"]) there.insert(entry.dump());
  size_t added = 0;
  for (const learn::Trial& trial : trials) {
    json entry = to_shared(trial);
    if (!there.insert(entry.dump()).second) continue;
    all["trials"].push_back(std::move(entry));
    ++added;
  }
  ASSAY_CHECK(ledger.set_machine_value(kShared, kImports, all.dump()));
  return added;
}

Result<size_t> import_file(ledger::Ledger& ledger, const std::string& file) {
  ASSAY_TRY(const std::string text, read_file(file));
  if (holds_steps(text)) {
    ASSAY_TRY(const learn::StepFile read, learn::read_steps(text, file));
    return import_steps(ledger, read, file);
  }
  ASSAY_TRY(const std::vector<learn::StepFile> steps, shared_steps(text, file));
  ASSAY_TRY(size_t added, import_trials(ledger, text, file));
  for (const learn::StepFile& read : steps) {
    ASSAY_TRY(const size_t more, import_steps(ledger, read, file));
    added += more;
  }
  return added;
}

std::vector<TestedHypothesis> tested_hypotheses(const std::vector<learn::Practice>& practices) {
  std::vector<TestedHypothesis> all;
  for (const learn::Hypothesis& each : learn::hypotheses()) {
    const learn::Tested tested = learn::test(each, practices);
    all.push_back({each.name, each.says, each.against, each.claimed, each.rule.empty() ? each.needs : each.cases,
                   each.outcome, tested.followed, tested.not_followed, tested.mean_followed, tested.mean_not, tested.p,
                   tested.verdict});
  }
  return all;
}

LearnedPattern public_pattern(const learn::Pattern& pattern) {
  const learn::Outcomes& outcomes = pattern.outcomes;
  return {pattern.kernel,         pattern.device,    pattern.action,   outcomes.wins,
          outcomes.ties,          outcomes.losses,   outcomes.median,  outcomes.interval.low,
          outcomes.interval.high, outcomes.expected, outcomes.seconds, outcomes.cost};
}

// A change that was measured at several shapes is a pattern as any other.
std::vector<learn::Pattern> patterns_of(const std::vector<learn::Step>& steps, size_t least) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<double>> found;
  for (const learn::Step& step : steps) {
    std::vector<double>& ratios = found[{step.kernel, step.device, step.change}];
    ratios.insert(ratios.end(), step.ratios.begin(), step.ratios.end());
  }
  std::vector<learn::Pattern> patterns;
  for (const auto& [key, ratios] : found) {
    const auto& [kernel, device, change] = key;
    if (ratios.size() >= least) patterns.push_back({kernel, device, change, learn::summarize(ratios)});
  }
  return patterns;
}

json to_document(const TestedHypothesis& each) {
  return {{"name", each.name},
          {"says", each.says},
          {"against", each.against},
          {"claimed", each.claimed},
          {"cases", each.cases},
          {"outcome", each.outcome},
          {"followed", {{"cases", each.followed}, {"mean", each.mean_followed}}},
          {"not_followed", {{"cases", each.not_followed}, {"mean", each.mean_not}}},
          {"p", each.p},
          {"verdict", each.verdict}};
}

json to_document(const LearnedPattern& pattern) {
  return {{"kernel", pattern.kernel},
          {"device", pattern.device},
          {"action", pattern.action},
          {"pairs", pattern.wins + pattern.ties + pattern.losses},
          {"wins", pattern.wins},
          {"ties", pattern.ties},
          {"losses", pattern.losses},
          {"median_ratio", pattern.median_ratio},
          {"interval", {pattern.low, pattern.high}},
          {"expected_ratio", pattern.expected_ratio},
          {"seconds", pattern.seconds},
          {"cost", pattern.cost}};
}

// --- advice

// Trials of one place, and where a time stands among them.
struct LocalTrials {
  std::vector<const learn::Trial*> trials;

  const learn::Trial* best() const {
    const auto found = std::ranges::min_element(trials, {}, [](const learn::Trial* trial) { return trial->time_us; });
    return found == trials.end() ? nullptr : *found;
  }
  bool in_best_quarter(double time_us) const {
    const auto faster =
        std::ranges::count_if(trials, [&](const learn::Trial* trial) { return trial->time_us < time_us; });
    return 4 * static_cast<size_t>(faster) < trials.size();
  }
};

std::string advice_key(const std::string& kernel) {
  return "advice " + content_hash(kernel);
}

// What was advised before and has been measured since.
Result<void> score_advice(ledger::Ledger& ledger, const std::vector<learn::Trial>& trials, AdviceReport& report) {
  ASSAY_TRY(const std::vector<ledger::WorkItem> given, ledger.work_items(advice_key(report.kernel)));
  for (const ledger::WorkItem& item : given) {
    const json advice = json::parse(item.payload, nullptr, false);
    if (!advice.is_object()) continue;
    const std::string device = advice.value("device", ""), shape = advice.value("shape", "");
    const learn::Values values = learn::read_values(advice.value("configuration", ""));
    const int64_t after = advice.value("after", int64_t{0});
    LocalTrials place;
    const learn::Trial* tried = nullptr;
    for (const learn::Trial& trial : trials) {
      if (trial.kernel != report.kernel || trial.device != device || trial.shape != shape) continue;
      place.trials.push_back(&trial);
      if (trial.attempt > after && trial.values == values && tried == nullptr) tried = &trial;
    }
    if (tried == nullptr) continue;
    ++report.advised;
    if (place.in_best_quarter(tried->time_us)) ++report.advice_held;
  }
  return {};
}

Result<void> remember_advice(ledger::Ledger& ledger, const AdviceReport& report, int64_t newest) {
  std::vector<ledger::WorkItem> items;
  for (const Suggestion& each : report.suggestions) {
    const json payload = {{"device", report.device},
                          {"shape", report.shape},
                          {"configuration", each.configuration},
                          {"expected_ratio", each.expected_ratio},
                          {"after", newest}};
    items.push_back(
        {report.device + " " + report.shape + " " + each.configuration, std::nullopt, true, payload.dump()});
  }
  return ledger.set_work_items(advice_key(report.kernel), items);
}

// Steps from what is known here to the suggestion that earlier pairs speak for or against.
std::vector<std::string> reasons(const std::vector<learn::Pattern>& patterns, const learn::Values& from,
                                 const learn::Values& to) {
  std::vector<std::string> lines;
  for (const auto& [name, value] : to) {
    const auto before = from.find(name);
    if (before == from.end() || before->second == value) continue;
    const std::string forward = fmt::format("{} {} -> {}", name, before->second, value);
    const std::string backward = fmt::format("{} {} -> {}", name, value, before->second);
    for (const learn::Pattern& pattern : patterns) {
      const bool same = pattern.action == forward;
      if (!same && pattern.action != backward) continue;
      const learn::Outcomes& seen = pattern.outcomes;
      lines.push_back(fmt::format("{}: {:.3f}x in {} pairs on {} ({} won, {} tied, {} lost)", forward,
                                  same ? seen.median : 1 / seen.median, seen.count(), pattern.device,
                                  same ? seen.wins : seen.losses, seen.ties, same ? seen.losses : seen.wins));
    }
  }
  return lines;
}

}  // namespace

Result<LearnReport> learn(const LearnRequest& request) {
  const bool imports = !request.import_file.empty();
  ASSAY_TRY(ledger::Ledger ledger,
            imports ? open_for_import(request.ledger) : open_ledger(request.ledger, {}, ledger::Ledger::Mode::read));
  LearnReport report;
  report.ledger = ledger.file().string();
  if (imports) {
    ASSAY_TRY(report.imported, import_file(ledger, request.import_file));
  }
  ledger::Filter filter;
  filter.kernel = request.kernel;
  filter.device = request.device;
  ASSAY_TRY(const std::vector<learn::Trial> trials, trials_of(ledger, filter));
  ASSAY_TRY(const std::vector<learn::Step> steps, read_steps(ledger, filter));
  report.trials = trials.size();
  report.steps = steps.size();
  std::vector<learn::Pattern> patterns = learn::mine(trials, request.least);
  for (learn::Pattern& pattern : patterns_of(steps, request.least)) patterns.push_back(std::move(pattern));
  std::ranges::stable_sort(patterns, std::greater(), [](const auto& each) { return each.outcomes.expected; });
  for (const learn::Pattern& pattern : patterns) report.patterns.push_back(public_pattern(pattern));
  if (request.hypotheses) {
    ASSAY_TRY(const std::vector<Event> events, read_events(ledger, filter));
    std::vector<learn::Practice> practices = practices_of(events);
    for (learn::Practice& practice : practices_of(steps)) practices.push_back(std::move(practice));
    report.hypotheses = tested_hypotheses(practices);
  }
  json shared = {{"assay_learned", 1}, {"trials", json::array()}, {"patterns", json::array()}};
  for (const learn::Trial& trial : trials) shared["trials"].push_back(to_shared(trial));
  for (const LearnedPattern& pattern : report.patterns) shared["patterns"].push_back(to_document(pattern));
  ASSAY_TRY(shared["steps"], steps_to_share(ledger, filter));
  report.shared = document_text(shared);
  return report;
}

std::string to_json(const LearnReport& report) {
  json document = document_head("learn");
  document["ledger"] = report.ledger;
  document["trials"] = report.trials;
  document["imported"] = report.imported;
  document["steps"] = report.steps;
  document["patterns"] = json::array();
  for (const LearnedPattern& pattern : report.patterns) document["patterns"].push_back(to_document(pattern));
  if (!report.hypotheses.empty()) {
    document["hypotheses"] = json::array();
    for (const TestedHypothesis& each : report.hypotheses) document["hypotheses"].push_back(to_document(each));
  }
  return document_text(document);
}

Result<AdviceReport> advise(const AdviceRequest& request) {
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.choice.kernel));
  ASSAY_TRY(ledger::Ledger ledger, open_ledger(request.ledger, spec.folder, ledger::Ledger::Mode::write));
  ledger::Filter filter;
  filter.kernel = spec.kernel.name;
  ASSAY_TRY(std::vector<learn::Trial> trials, trials_of(ledger, filter));
  std::erase_if(trials, [&](const learn::Trial& trial) { return trial.kernel != spec.kernel.name; });

  AdviceReport report;
  report.kernel = spec.kernel.name;
  report.device = request.choice.device;
  report.shape = request.shape;
  // Without a choice: where the newest result is from.
  for (auto trial = trials.rbegin(); trial != trials.rend() && (report.device.empty() || report.shape.empty());
       ++trial) {
    if (!report.device.empty() && trial->device != report.device) continue;
    if (!report.shape.empty() && trial->shape != report.shape) continue;
    report.device = trial->device;
    report.shape = trial->shape;
  }
  ASSAY_CHECK(score_advice(ledger, trials, report));
  LocalTrials here;
  int64_t newest = 0;
  for (const learn::Trial& trial : trials) {
    newest = std::max(newest, trial.attempt);
    if (trial.device == report.device && trial.shape == report.shape) here.trials.push_back(&trial);
  }
  report.trials_here = here.trials.size();
  report.trials_elsewhere = trials.size() - here.trials.size();
  const learn::Effects effects = learn::Effects::fit(trials);
  if (effects.empty()) {
    report.nothing = "no time of this kernel is recorded: assay bench or assay tune measure some";
    return report;
  }
  std::set<std::string> tried;
  for (const learn::Trial* trial : here.trials) tried.insert(learn::to_text(trial->values));
  std::vector<learn::Values> candidates;
  const auto keep = [&](const spec::Configuration& configuration) -> Result<bool> {
    learn::Values values = learn::read_values(configuration.id());
    if (!tried.contains(learn::to_text(values))) candidates.push_back(std::move(values));
    return candidates.size() < kMostCandidates;
  };
  ASSAY_CHECK(spec::for_each_configuration(spec, keep));
  if (candidates.empty()) {
    report.nothing = "every configuration has been measured here; what is left is in the source";
    return report;
  }
  ASSAY_TRY(const spec::Configuration standard, chosen_configuration(spec, ""));
  learn::Values from = learn::read_values(standard.id());
  if (const learn::Trial* best = here.best()) {
    report.best = learn::to_text(best->values);
    report.best_us = best->time_us;
    from = best->values;
  }
  const std::vector<learn::Pattern> patterns = learn::mine(trials);
  for (const learn::Values& values : learn::ranked(effects, std::move(candidates))) {
    if (report.suggestions.size() == request.count) break;
    report.suggestions.push_back(
        {learn::to_text(values), effects.factor(from) / effects.factor(values), reasons(patterns, from, values)});
  }
  ASSAY_CHECK(remember_advice(ledger, report, newest));
  return report;
}

std::string to_json(const AdviceReport& report) {
  json document = document_head("advise");
  document["kernel"] = report.kernel;
  document["device"] = report.device;
  document["shape"] = report.shape;
  document["trials_here"] = report.trials_here;
  document["trials_elsewhere"] = report.trials_elsewhere;
  if (!report.best.empty()) document["best"] = {{"configuration", report.best}, {"p50_us", report.best_us}};
  document["suggestions"] = json::array();
  for (const Suggestion& each : report.suggestions)
    document["suggestions"].push_back(
        {{"configuration", each.configuration}, {"expected_ratio", each.expected_ratio}, {"because", each.because}});
  if (!report.nothing.empty()) document["nothing"] = report.nothing;
  document["advice"] = {{"tried", report.advised}, {"held", report.advice_held}};
  return document_text(document);
}

}  // namespace assay::work
