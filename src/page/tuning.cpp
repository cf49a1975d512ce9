// SPDX-License-Identifier: MIT
// What a tuning evaluated, in its order, with the best so far, and the tie group that is its answer.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

constexpr size_t kDrawnPoints = 300;  // points; of more, every n-th and whatever was the best so far
constexpr size_t kListed = 12;

struct Landscape {
  std::vector<std::pair<double, double>> points;  // number of the evaluation, value over the best
  std::vector<std::pair<double, double>> best;    // steps of the best so far
  std::vector<double> failed;                     // numbers
  double count = 0;
};

Landscape landscape_of(const TunedCase& tuned) {
  Landscape shown;
  shown.count = static_cast<double>(tuned.points.size());
  double least = 0;
  for (const TunedPoint& each : tuned.points) {
    if (each.value && *each.value > 0 && (least == 0 || *each.value < least)) least = *each.value;
  }
  const size_t step = std::max<size_t>(1, tuned.points.size() / kDrawnPoints);
  double so_far = 0;
  for (size_t i = 0; i < tuned.points.size(); ++i) {
    const auto number = static_cast<double>(i + 1);
    const std::optional<double>& value = tuned.points[i].value;
    if (!value || *value <= 0) {
      if (i % step == 0) shown.failed.push_back(number);
      continue;
    }
    const double ratio = std::min(*value / least, 10.0);
    const bool better = so_far == 0 || ratio < so_far;
    if (better) {
      if (so_far > 0) shown.best.emplace_back(number, so_far);
      shown.best.emplace_back(number, ratio);
      so_far = ratio;
    }
    if (better || i % step == 0) shown.points.emplace_back(number, ratio);
  }
  if (so_far > 0) shown.best.emplace_back(shown.count, so_far);
  return shown;
}

std::string draw(const Landscape& shown, double width) {
  const double height = width < 500 ? 230 : 280;
  Drawing drawing(width, height);
  double most = 1.1;
  for (const auto& [number, ratio] : shown.points) most = std::max(most, ratio);
  const Scale x = Scale::linear(0, std::max(10.0, shown.count), 48, width - 14);
  const Scale y = Scale::logarithmic(1, most * 1.05, height - 44, 28);
  drawing.axes(x, y, "evaluation", "times the best");
  for (const double number : shown.failed) drawing.line(x(number), height - 44, x(number), height - 50, "floor");
  for (const auto& [number, ratio] : shown.points) drawing.circle(x(number), y(ratio), 2.5, "point c0");
  std::string steps;
  for (const auto& [number, ratio] : shown.best) steps += (steps.empty() ? "M" : "L") + at(x(number), y(ratio));
  if (!steps.empty()) drawing.path(steps, "curve c1");
  return drawing.svg();
}

// Why configurations gave no time, the most frequent reason first.
std::optional<Table> failures_of(const TunedCase& tuned) {
  std::map<std::string, std::vector<std::string>> reasons;
  for (const TunedPoint& each : tuned.points) {
    if (!each.value) reasons[each.failure.empty() ? "not known" : each.failure].push_back(each.configuration);
  }
  if (reasons.empty()) return std::nullopt;
  Table table{fmt::format("tuning-failed-{}", tuned.attempt.id),
              fmt::format("{} on {}: configurations that gave no result", tuned.attempt.kernel, tuned.attempt.device),
              {{"failed at"}, {"configurations", true}, {"the first of them"}},
              {}};
  for (const auto& [reason, configurations] : reasons)
    table.rows.push_back(
        {{plain(reason)},
         {plain(grouped(static_cast<double>(configurations.size()))), static_cast<double>(configurations.size())},
         {code(configurations.front())}});
  std::ranges::stable_sort(table.rows, std::greater(), [](const std::vector<Cell>& row) { return *row[1].order; });
  return table;
}

Table table_of(const TunedCase& tuned) {
  std::vector<TunedPoint> fastest;
  for (const TunedPoint& each : tuned.points) {
    if (each.value) fastest.push_back(each);
  }
  std::ranges::stable_sort(fastest, {}, [](const TunedPoint& each) { return *each.value; });
  Table table{fmt::format("tuning-{}", tuned.attempt.id),
              fmt::format("{} on {}: the best of {} evaluated configurations of {} ({})", tuned.attempt.kernel,
                          tuned.attempt.device, tuned.points.size(), grouped(tuned.configurations), tuned.quantity),
              {{"configuration"}, {tuned.unit, true}, {"times the best", true}, {"tie group"}},
              {}};
  if (fastest.size() > kListed) fastest.resize(kListed);
  for (const TunedPoint& each : fastest) {
    const bool tied = std::ranges::find(tuned.tie_group, each.configuration) != tuned.tie_group.end();
    const double ratio = *each.value / *fastest.front().value;
    table.rows.push_back({{code(each.configuration)},
                          {plain(short_number(*each.value)), each.value},
                          {plain(fmt::format("{:.3f}", ratio)), ratio},
                          {tied ? toned("tied", Tone::good) : plain("")}});
  }
  return table;
}

}  // namespace

std::optional<Section> tuning_section(const Content& content) {
  Section section{"tuning", "Tuning", {}};
  for (const TunedCase& each : content.tuned) {
    const Landscape shown = landscape_of(each);
    const auto failed = std::ranges::count_if(each.points, [](const TunedPoint& point) { return !point.value; });
    if (!shown.points.empty())
      section.elements.push_back({Chart{
          fmt::format("tuning{}", each.attempt.id),
          "",
          fmt::format("Every configuration of {} that was evaluated, as a multiple of the best, in the order of its "
                      "evaluation; the line is the best so far{} ({}).",
                      each.attempt.kernel,
                      failed > 0 ? fmt::format(", and ticks at the bottom are the {} that failed", failed) : "",
                      each.quantity),
          fmt::format("tuning-{}", each.attempt.id),
          {},
          [shown](double width) { return draw(shown, width); }}});
    if (!shown.points.empty()) section.elements.push_back({table_of(each)});
    if (auto table = failures_of(each)) section.elements.push_back({std::move(*table)});
  }
  return section.elements.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace assay::page
