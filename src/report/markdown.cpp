// SPDX-License-Identifier: MIT
#include "report/markdown.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::report {
namespace {

using namespace judge;  // what is written here is its result

std::string change_percent(double ratio) {
  return std::isfinite(ratio) ? fmt::format("{:+.2f} %", (ratio - 1.0) * 100.0) : "unbounded";
}

std::string bold_if_bad(GateVerdict verdict) {
  return verdict == GateVerdict::pass ? "PASS" : fmt::format("**{}**", to_string(verdict));
}

std::string time_row(const GateCaseResult& test) {
  const Comparison& comparison = *test.comparison;
  return fmt::format("| {} | {} | {} | {:.3f} | {:.3f} | {} | {} to {} | {:.2g} |\n", escape_markdown(test.name),
                     bold_if_bad(test.verdict), to_string(comparison.verdict), comparison.baseline.time_us.p50,
                     comparison.candidate.time_us.p50, change_percent(comparison.ratio),
                     change_percent(comparison.interval.low), change_percent(comparison.interval.high),
                     test.adjusted_p);
}

std::string time_table(const GateResult& result) {
  std::string rows;
  for (const GateCaseResult& test : result.cases) {
    if (test.comparison) rows += time_row(test);
  }
  if (rows.empty()) return "";
  return "\n| case | gate | verdict | baseline p50 (us) | candidate p50 (us) | time | interval | p (Holm) |\n"
         "|---|---|---|---:|---:|---:|---:|---:|\n" +
         rows;
}

std::string counter_table(const GateResult& result) {
  std::string rows;
  for (const GateCaseResult& test : result.cases) {
    for (const CounterChange& change : test.counters) {
      if (!worth_showing(change)) continue;
      rows += fmt::format("| {} | {} | {} | {} | {} | {} |\n", escape_markdown(test.name), escape_markdown(change.name),
                          change.baseline, change.candidate, change_percent(1.0 + change.growth),
                          fmt::format("{}{}", to_string(change.trend), change.judged ? "" : ", not judged"));
    }
  }
  if (rows.empty()) return "";
  return "\n| case | counter | baseline | candidate | change | |\n|---|---|---:|---:|---:|---|\n" + rows;
}

std::string reasons(const GateResult& result) {
  std::string lines;
  for (const GateCaseResult& test : result.cases) {
    if (test.verdict == GateVerdict::pass) continue;
    lines +=
        fmt::format("- {} {}: {}\n", escape_markdown(test.name), to_string(test.verdict), escape_markdown(test.reason));
  }
  return lines.empty() ? "" : "\n" + lines;
}

std::string warnings(const GateResult& result) {
  std::set<std::string> all;
  for (const GateCaseResult& test : result.cases) {
    if (test.comparison) all.insert(test.comparison->warnings.begin(), test.comparison->warnings.end());
  }
  std::string lines;
  for (const std::string& warning : all) lines += fmt::format("- warning: {}\n", escape_markdown(warning));
  return lines.empty() ? "" : "\n" + lines;
}

std::string section(const GatedKernel& gated) {
  const GateResult& result = gated.result;
  const bool counted = std::ranges::any_of(result.cases, [](const auto& test) { return !test.counters.empty(); });
  const bool timed = std::ranges::any_of(result.cases, [](const auto& test) { return test.comparison.has_value(); });
  std::vector<std::string> thresholds;
  if (timed || !counted) thresholds.push_back(fmt::format("threshold {:g} %", result.options.threshold * 100.0));
  if (counted) thresholds.push_back(fmt::format("counters {:g} %", result.options.counter_threshold * 100.0));
  const std::string trust = counted && !timed    ? "Counted exactly, no noise"
                            : result.calibration ? "This machine: " + describe(*result.calibration)
                                                 : "This machine is not calibrated";
  std::string text = fmt::format("## assay gate: {}: {} on {}\n\n{} ({}). {}.\n", to_string(result.verdict),
                                 escape_markdown(gated.kernel), escape_markdown(gated.device), result.reason,
                                 join(thresholds, ", "), trust);
  text += reasons(result);
  text += time_table(result);
  text += counter_table(result);
  text += warnings(result);
  return text;
}

}  // namespace

std::string markdown(const GatedKernels& kernels) {
  std::string text;
  for (const GatedKernel& gated : kernels) text += (text.empty() ? "" : "\n") + section(gated);
  return text;
}

}  // namespace assay::report
