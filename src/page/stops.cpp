// SPDX-License-Identifier: MIT
// Where a run or a search ended by the stop rule, and what that saved. The seconds are estimates of the commands.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "page/read_attempt.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

std::string saved_work(double shapes, double evaluations, const std::vector<std::string>& steps) {
  std::vector<std::string> parts;
  if (shapes >= 1) parts.push_back(counted(static_cast<uint64_t>(shapes), "shape"));
  if (evaluations >= 1) parts.push_back(counted(static_cast<uint64_t>(evaluations), "evaluation"));
  parts.insert(parts.end(), steps.begin(), steps.end());
  return parts.empty() ? "nothing" : join(parts, ", ");
}

Cell seconds(const std::optional<double>& value) {
  return {plain(value ? fmt::format("{:.1f} s", *value) : "not known"), value};
}

}  // namespace

std::optional<Table> stops_table(const Content& content) {
  Table table{
      "stops",
      "Stopped below half of the baseline's speed, and what that saved (seconds of the GPU are estimated)",
      {{"kernel"}, {"speed", true}, {"first finding"}, {"not done"}, {"saved (estimated)", true}, {"attempt", true}},
      {}};
  constexpr double kMostCounted = 1e9;  // the ledger may be anybody's
  double shapes = 0;
  double evaluations = 0;
  std::optional<double> total;
  for (const ledger::Attempt& attempt : content.attempts) {
    const std::optional<Stop> stop = stop_of(attempt);
    if (!stop) continue;
    const double its_shapes = std::clamp(stop->shapes, 0.0, kMostCounted);
    const double its_evaluations = std::clamp(stop->evaluations, 0.0, kMostCounted);
    shapes += its_shapes;
    evaluations += its_evaluations;
    if (stop->estimated_s) total = total.value_or(0) + *stop->estimated_s;
    table.rows.push_back(
        {{plain(attempt.kernel)},
         {plain(fmt::format("{:.2f}x of {}", stop->speed, stop->baseline)), stop->speed},
         {plain(stop->first_finding.empty() ? "none" : stop->first_finding)},
         {plain(saved_work(its_shapes, its_evaluations, stop->steps))},
         seconds(stop->estimated_s),
         {link(std::to_string(attempt.id), fmt::format("attempt-{}", attempt.id)), static_cast<double>(attempt.id)}});
  }
  if (table.rows.empty()) return std::nullopt;
  table.rows.push_back({{{{"total", Span::Kind::strong}}},
                        {plain(counted(table.rows.size(), "stop"))},
                        {plain("")},
                        {plain(saved_work(shapes, evaluations, {}))},
                        seconds(total),
                        {plain("")}});
  return table;
}

}  // namespace assay::page
