// SPDX-License-Identifier: MIT
// What experiments on the kernel said: for each resource the share of the time that goes if it is free, and the share
// that more of it adds.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

constexpr double kRow = 24;
constexpr double kBar = 15;
constexpr size_t kDrawnResources = 14;  // resources

std::string percent(const std::optional<double>& share) {
  // Nothing has no sign: what is added to -0 gives 0.
  return share ? fmt::format("{:.1f} %", std::round(1000 * *share) / 10 + 0.0) : "";
}

// Bars to the left: the gain if it is free. To the right: the cost of the first dose.
std::string draw(const std::vector<InvertedResource>& resources, double width) {
  const bool narrow = width < 500;
  const double row = narrow ? kRow * 1.8 : kRow;
  Drawing drawing(width, 34 + row * static_cast<double>(resources.size()));
  const double left = narrow ? 56 : 246;
  const double right = width - 56;
  const double middle = (left + right) / 2;
  double most = 0.05;
  for (const InvertedResource& each : resources) most = std::max({most, each.gain.value_or(0), each.cost.value_or(0)});
  const Scale gain = Scale::linear(0, most, middle, left);
  const Scale cost = Scale::linear(0, most, middle, right);
  drawing.text(middle - 6, 14, "gained if free", "name", Anchor::end);
  drawing.text(middle + 6, 14, "cost of a dose", "name");
  double y = 26;
  for (const InvertedResource& each : resources) {
    if (narrow) {
      drawing.text(4, y + 8, shortened(each.name, width - 8), "label");
      y += row - kRow;
    } else {
      drawing.text(4, y + 12, shortened(each.name, 176), "label");
    }
    const double gained = std::max(0.0, each.gain.value_or(0));
    const double costs = std::max(0.0, each.cost.value_or(0));
    if (each.gain) {
      drawing.rectangle(gain(gained), y, middle - gain(gained), kBar, "bar c0", each.name + ": gained if free");
      drawing.text(gain(gained) - 6, y + 12, percent(each.gain), "label", Anchor::end);
    }
    if (each.cost) {
      drawing.rectangle(middle, y, cost(costs) - middle, kBar, "bar c3", each.name + ": cost of the first dose");
      drawing.text(cost(costs) + 6, y + 12, percent(each.cost), "label");
    }
    y += kRow;
  }
  drawing.line(middle, 20, middle, y, "floor");
  return drawing.svg();
}

Table table_of(const InvertedCase& inverted, const char* word) {
  Table table{
      fmt::format("inversion-{}", inverted.attempt.id),
      fmt::format("{} at {} on {}: what each resource gains and costs ({})", inverted.attempt.kernel,
                  inverted.attempt.shape, inverted.attempt.device, word),
      {{"resource"}, {"verdict"}, {"gained if free", true}, {"cost of a dose", true}, {"slack", true}, {"what to do"}},
      {}};
  for (const InvertedResource& each : inverted.resources) {
    const Tone tone = each.verdict == "bottleneck" ? Tone::bad : each.verdict == "slack" ? Tone::good : Tone::plain;
    table.rows.push_back(
        {{plain(each.name)},
         {toned(each.verdict, tone)},
         {plain(percent(each.gain)), each.gain},
         {plain(percent(each.cost)), each.cost},
         {plain(each.slack ? fmt::format("{:g} dose{}", *each.slack, *each.slack == 1 ? "" : "s") : ""), each.slack},
         {plain(each.remedy)}});
  }
  return table;
}

}  // namespace

std::optional<Section> inversion_section(const Content& content) {
  Section section{"inversion", "Experiments", {}};
  for (const InvertedCase& each : content.inverted) {
    const char* word = each.measured ? "measured" : "estimated";
    std::vector<InvertedResource> drawn;
    for (const InvertedResource& resource : each.resources) {
      if ((resource.gain || resource.cost) && drawn.size() < kDrawnResources) drawn.push_back(resource);
    }
    if (!each.sentence.empty()) section.elements.push_back({Paragraph{plain(each.sentence)}});
    if (!drawn.empty())
      section.elements.push_back({Chart{
          fmt::format("inversion{}", each.attempt.id),
          "",
          fmt::format("{} at {}: to the left the share of the time that goes if the resource is free, to the right "
                      "what the first dose more of it adds ({}).",
                      each.attempt.kernel, each.attempt.shape, word),
          fmt::format("inversion-{}", each.attempt.id),
          {},
          [drawn](double width) { return draw(drawn, width); }}});
    section.elements.push_back({table_of(each, word)});
  }
  return section.elements.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace assay::page
