// SPDX-License-Identifier: MIT
#include "work/tune_answer.hpp"

#include <algorithm>

namespace assay::work {

// Of the tie group: fewer registers, then less shared memory, then the order of the group.
void choose_answer(TuneReport& report) {
  const auto find = [&](const std::string& id) -> const TunedConfiguration& {
    return *std::ranges::find(report.evaluated, id, &TunedConfiguration::configuration);
  };
  const auto key = [&](const std::string& id) {
    const TunedConfiguration& each = find(id);
    return std::pair(each.registers.value_or(1 << 20), each.shared_bytes.value_or(int64_t{1} << 40));
  };
  if (report.tie_group.empty()) {
    const TunedConfiguration* best = nullptr;
    for (const TunedConfiguration& each : report.evaluated) {
      if (each.value && (best == nullptr || *each.value < *best->value)) best = &each;
    }
    if (best == nullptr) return;
    report.answer = best->configuration;
    report.criterion = "the best that was evaluated";
    return;
  }
  report.answer = *std::ranges::min_element(report.tie_group, {}, key);
  report.criterion = report.tie_group.size() == 1 ? "no other one ties with it"
                                                  : "fewest registers, then least shared memory, of the tie group";
  // By the second criterion, not by time: what it may lose is its own bound, not that of the group's fastest.
  if (const auto bound = report.regret_bounds.find(report.answer); bound != report.regret_bounds.end())
    report.regret_bound = bound->second;
}

void judge_shapes(TuneReport& report) {
  const TunedConfiguration& single =
      *std::ranges::find(report.evaluated, report.answer, &TunedConfiguration::configuration);
  for (size_t shape = 0; shape < report.shapes.size(); ++shape) {
    const TunedConfiguration* best = nullptr;
    for (const TunedConfiguration& each : report.evaluated) {
      if (each.value && (best == nullptr || each.by_shape[shape] < best->by_shape[shape])) best = &each;
    }
    // A shape's own winner has to be better than the answer by more than the margin.
    if (single.by_shape[shape] <= best->by_shape[shape] * (1 + kMargin)) best = &single;
    report.winners.push_back(
        {report.shapes[shape], best->configuration, best->by_shape[shape], single.by_shape[shape]});
  }
  double least = 0;
  for (const TunedConfiguration& each : report.evaluated) {
    if (!each.value) continue;
    double worst = 0;
    for (size_t shape = 0; shape < report.shapes.size(); ++shape)
      worst = std::max(worst, each.by_shape[shape] / report.winners[shape].value);
    if (report.best_worst.empty() || worst < least) {
      least = worst;
      report.best_worst = each.configuration;
    }
  }
}

}  // namespace assay::work
