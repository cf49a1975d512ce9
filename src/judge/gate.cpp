// SPDX-License-Identifier: MIT
#include "judge/gate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "stats/holm.hpp"

namespace assay::judge {
namespace {

struct Judgement {
  GateVerdict verdict = GateVerdict::pass;
  std::string reason;
};

// From good to bad: the worst decides.
int severity(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::pass:
      return 0;
    case GateVerdict::trade:
      return 1;
    case GateVerdict::inconclusive:
      return 2;
    case GateVerdict::regression:
      return 3;
    case GateVerdict::incorrect:
      return 4;
  }
  return 4;
}

Judgement judge_time(const Comparison& comparison, double adjusted_p, const GateOptions& options) {
  const std::string difference = describe_difference(comparison.ratio, comparison.interval, comparison.options.alpha);
  if (comparison.verdict == Verdict::throttled) return {GateVerdict::inconclusive, comparison.reason};
  if (!comparison.replicated && !comparison.options.process_spread)
    return {GateVerdict::inconclusive, comparison.reason};
  if (comparison.interval.high < 1 + options.threshold) return {GateVerdict::pass, difference};
  const bool likely = comparison.likely.high >= 1 + GateOptions::kGrain * options.threshold;
  if (comparison.ratio > 1 && adjusted_p < options.alpha && likely) {
    if (!comparison.cycles || comparison.cycles->confirms) return {GateVerdict::regression, difference};
    return {GateVerdict::inconclusive, comparison.reason};
  }
  return {GateVerdict::inconclusive, fmt::format("a slowdown of {:g} % is neither likely nor ruled out: {}",
                                                 options.threshold * 100.0, difference)};
}

// Never what grew alone: that stays exact.
Judgement settle_trade(Judgement trade, const EstimatedChange& estimated) {
  if (estimated.slower()) trade.verdict = GateVerdict::regression;
  if (estimated.faster()) trade.verdict = GateVerdict::pass;
  trade.reason += "; " + describe(estimated);
  return trade;
}

Judgement judge(const GateCase& test, double adjusted_p, const GateOptions& options) {
  if (test.incorrect) return {GateVerdict::incorrect, *test.incorrect};
  if (!test.comparison && test.counters.empty()) return {GateVerdict::inconclusive, "nothing was measured or counted"};
  Judgement time;
  Judgement counters;
  if (test.comparison) time = judge_time(*test.comparison, adjusted_p, options);
  if (!test.counters.empty()) {
    auto [verdict, reason] = judge_counters(test.counters, options.counter_threshold, options.strict);
    counters = {verdict, std::move(reason)};
  }
  if (!test.comparison) {
    const bool open = counters.verdict == GateVerdict::trade && test.estimated;
    return open ? settle_trade(std::move(counters), *test.estimated) : counters;
  }
  // What was measured settles what counters cannot.
  if (counters.verdict == GateVerdict::trade)
    return {time.verdict, fmt::format("{}; {}", time.reason, counters.reason)};
  if (test.counters.empty() || severity(counters.verdict) < severity(time.verdict)) return time;
  if (severity(counters.verdict) > severity(time.verdict)) return counters;
  return {time.verdict, fmt::format("{}; {}", time.reason, counters.reason)};
}

std::vector<double> adjusted_p_values(const std::vector<GateCase>& cases) {
  std::vector<double> compared;
  compared.reserve(cases.size());
  for (const GateCase& test : cases) {
    if (test.comparison) compared.push_back(test.comparison->p);
  }
  const std::vector<double> adjusted = stats::holm(compared);
  std::vector<double> result(cases.size(), 1.0);
  size_t next = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].comparison) result[i] = adjusted[next++];
  }
  return result;
}

ExitCode exit_code(GateVerdict verdict, const GateOptions& options) {
  switch (verdict) {
    case GateVerdict::pass:
      return ExitCode::good;
    case GateVerdict::regression:
      return ExitCode::regression;
    case GateVerdict::trade:
    case GateVerdict::inconclusive:
      return options.inconclusive_passes ? ExitCode::good : ExitCode::inconclusive;
    case GateVerdict::incorrect:
      return ExitCode::incorrect;
  }
  return ExitCode::internal;
}

std::string summarize(const GateResult& result) {
  if (result.cases.empty()) return "there was nothing to judge";
  std::string text = fmt::format("{} of {} cases pass", result.count(GateVerdict::pass), result.cases.size());
  for (const auto& [verdict, word] : {std::pair{GateVerdict::incorrect, "incorrect"},
                                      {GateVerdict::regression, "regressed"},
                                      {GateVerdict::trade, "a trade"},
                                      {GateVerdict::inconclusive, "inconclusive"}}) {
    if (const size_t cases = result.count(verdict)) text += fmt::format(", {} {}", cases, word);
  }
  return text;
}

}  // namespace

std::string_view to_string(GateVerdict verdict) {
  switch (verdict) {
    case GateVerdict::pass:
      return "PASS";
    case GateVerdict::trade:
      return "TRADE";
    case GateVerdict::regression:
      return "REGRESSION";
    case GateVerdict::inconclusive:
      return "INCONCLUSIVE";
    case GateVerdict::incorrect:
      return "INCORRECT";
  }
  return "INCONCLUSIVE";
}

size_t GateResult::count(GateVerdict wanted) const {
  return static_cast<size_t>(
      std::count_if(cases.begin(), cases.end(), [&](const GateCaseResult& test) { return test.verdict == wanted; }));
}

GateResult gate(std::vector<GateCase> cases, const GateOptions& options, std::optional<Calibration> calibration) {
  GateResult result;
  result.options = options;
  result.calibration = std::move(calibration);
  result.verdict = cases.empty() ? GateVerdict::inconclusive : GateVerdict::pass;
  const std::vector<double> adjusted = adjusted_p_values(cases);
  result.cases.reserve(cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    auto [verdict, reason] = judge(cases[i], adjusted[i], options);
    if (severity(verdict) > severity(result.verdict)) result.verdict = verdict;
    result.cases.push_back({std::move(cases[i].name), verdict, std::move(reason), adjusted[i],
                            std::move(cases[i].comparison), std::move(cases[i].counters), cases[i].estimated});
  }
  result.exit_code = exit_code(result.verdict, options);
  result.reason = summarize(result);
  return result;
}

}  // namespace assay::judge
