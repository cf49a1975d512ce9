// SPDX-License-Identifier: MIT
#include "learn/hypothesis.hpp"

#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "learn/hypothesis_files.hpp"
#include "stats/mann_whitney.hpp"

namespace assay::learn {
namespace {

using nlohmann::json;

std::vector<Hypothesis> read_hypotheses() {
  std::vector<Hypothesis> all;
  const json document = json::parse(hypothesis_files().front().text);
  for (const json& entry : document)
    all.push_back({entry["name"], entry["says"], entry["against"], entry["claimed"], entry["rule"],
                   entry.value("outcome", ""), entry.value("cases", ""), entry.value("needs", "")});
  return all;
}

double mean_of(const std::vector<double>& values, bool geometric) {
  if (values.empty()) return 0;
  double sum = 0;
  for (const double value : values) sum += geometric ? std::log(value) : value;
  const double mean = sum / static_cast<double>(values.size());
  return geometric ? std::exp(mean) : mean;
}

}  // namespace

const std::vector<Hypothesis>& hypotheses() {
  static const std::vector<Hypothesis> all = read_hypotheses();
  return all;
}

Tested test(const Hypothesis& hypothesis, const std::vector<Practice>& practices) {
  Tested tested;
  if (hypothesis.rule.empty()) {
    tested.verdict = "not in a ledger";
    return tested;
  }
  const bool improvement = hypothesis.outcome == "improvement";
  std::vector<double> with, without;
  for (const Practice& practice : practices) {
    if (practice.rule != hypothesis.rule || !std::isfinite(practice.outcome)) continue;
    if (improvement && practice.outcome <= 0) continue;
    (practice.followed ? with : without).push_back(practice.outcome);
  }
  tested.followed = with.size();
  tested.not_followed = without.size();
  tested.mean_followed = mean_of(with, improvement);
  tested.mean_not = mean_of(without, improvement);
  tested.verdict = "unknown";
  if (with.size() < kLeastCases || without.size() < kLeastCases) return tested;
  const auto first = stats::Sample::make(with), second = stats::Sample::make(without);
  if (!first || !second) return tested;
  const stats::MannWhitney compared = stats::mann_whitney(*first, *second);
  tested.p = compared.p;
  if (tested.p >= kSignificance) return tested;
  const double pairs = static_cast<double>(with.size()) * static_cast<double>(without.size());
  const bool larger = compared.u > pairs / 2;
  tested.verdict = larger == improvement ? "confirmed" : "refuted";
  return tested;
}

}  // namespace assay::learn
