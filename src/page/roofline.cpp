// SPDX-License-Identifier: MIT
// Operations per byte against operations per second, below the roofs of the GPU.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "page/ceilings.hpp"
#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

struct Range {
  double x_low, x_high, y_low, y_high;
};

// Whole decades, with all points, the highest roof, and the place where it meets the memory's.
Range range_of(const Roofline& roofline) {
  const double top = roofline.ceilings.compute.front().tflops;
  const double ridge = top * 1e3 / roofline.ceilings.memory.front().gb_per_s;
  Range range{ridge / 100, ridge * 8, top / 1e4, top * 1.6};
  for (const RooflinePoint& point : roofline.points) {
    range.x_low = std::min(range.x_low, point.intensity / 2);
    range.x_high = std::max(range.x_high, point.intensity * 2);
    range.y_low = std::min(range.y_low, point.tflops / 2);
    range.y_high = std::max(range.y_high, point.tflops * 2);
  }
  return range;
}

std::string draw(const Roofline& roofline, double width) {
  const bool narrow = width < 500;
  const double height = narrow ? 300 : 400;
  const Range range = range_of(roofline);
  Drawing drawing(width, height);
  const Scale x = Scale::logarithmic(range.x_low, range.x_high, 58, width - 14);
  const Scale y = Scale::logarithmic(range.y_low, range.y_high, height - 44, 28);
  drawing.axes(x, y, "FLOP per byte", "TFLOP/s");
  const double bandwidth = roofline.ceilings.memory.front().gb_per_s * 1e-3;  // TB/s
  const double top = roofline.ceilings.compute.front().tflops;
  const double foot = std::max(range.x_low, range.y_low / bandwidth);
  drawing.line(x(foot), y(foot * bandwidth), x(top / bandwidth), y(top), "roof");
  double above = -100;     // the roof before
  double baseline = -100;  // and its label
  for (const ComputeRoof& roof : roofline.ceilings.compute) {
    if (roof.tflops < range.y_low) continue;
    const double height_of_roof = y(roof.tflops);
    drawing.line(x(roof.tflops / bandwidth), height_of_roof, x(range.x_high), height_of_roof, "roof");
    // Below its line where the next roof above is near; nowhere if there is no room there either.
    constexpr double kLine = 14;
    const bool over = height_of_roof - above >= 22 && height_of_roof - 5 - baseline >= kLine;
    above = height_of_roof;
    const double place = height_of_roof + (over ? -5 : kLine);
    if (place - baseline < kLine) continue;
    drawing.text(x(range.x_high) - 2, place, fmt::format("{} {}", roof.name, short_number(roof.tflops)), "label",
                 Anchor::end);
    baseline = place;
  }
  // Levels of one case are joined.
  std::map<std::pair<std::string, int64_t>, std::vector<const RooflinePoint*>> cases;
  for (const RooflinePoint& point : roofline.points) cases[{point.contender, point.attempt}].push_back(&point);
  for (const auto& [key, points] : cases) {
    for (size_t i = 1; i < points.size(); ++i)
      drawing.line(x(points[i - 1]->intensity), y(points[i - 1]->tflops), x(points[i]->intensity), y(points[i]->tflops),
                   fmt::format("join c{}", points[i]->colour));
  }
  for (const RooflinePoint& point : roofline.points)
    drawing.circle(x(point.intensity), y(point.tflops), 5,
                   fmt::format("point c{}{}", point.colour, point.measured ? "" : " hollow"),
                   fmt::format("{} {}: {} TFLOP/s at {} FLOP per byte ({}; {})", point.contender, point.shape,
                               short_number(point.tflops), short_number(point.intensity), point.level,
                               point.measured ? "measured" : "estimated"));
  const double middle = std::sqrt(foot * top / bandwidth);
  drawing.label(x(middle), y(middle * bandwidth),
                fmt::format("{} {} GB/s", roofline.ceilings.memory.front().name,
                            short_number(roofline.ceilings.memory.front().gb_per_s)),
                "label");
  if (!narrow && roofline.points.size() <= 14) {
    for (const auto& [key, points] : cases)
      drawing.label(x(points.front()->intensity), y(points.front()->tflops), shortened(key.first, 130), "label");
  }
  return drawing.svg();
}

Table table_of(const Roofline& roofline, const std::string& id) {
  Table table{id,
              fmt::format("Points of the roofline of {}", roofline.gpu),
              {{"case"},
               {"contender"},
               {"memory level"},
               {"FLOP per byte", true},
               {"TFLOP/s", true},
               {"of the roof", true},
               {"known by"}},
              {}};
  const double bandwidth = roofline.ceilings.memory.front().gb_per_s * 1e-3;
  for (const RooflinePoint& point : roofline.points) {
    const double roof = std::min(roofline.ceilings.compute.front().tflops, point.intensity * bandwidth);
    const bool of_memory = point.level.starts_with("bytes") || point.level == "DRAM";
    table.rows.push_back(
        {{plain(point.shape)},
         {plain(point.contender)},
         {plain(point.level)},
         {plain(short_number(point.intensity)), point.intensity},
         {plain(short_number(point.tflops)), point.tflops},
         of_memory ? Cell{plain(fmt::format("{:.1f} %", 100 * point.tflops / roof)), point.tflops / roof} : Cell{},
         {Text{{point.measured ? "measured" : "estimated", Span::Kind::word}}}});
  }
  return table;
}

}  // namespace

std::optional<Section> roofline_section(const Content& content) {
  const std::vector<Roofline> list = rooflines_of(content);
  if (list.empty()) return std::nullopt;
  Section section{"roofline", "Roofline", {}};
  for (size_t i = 0; i < list.size(); ++i) {
    const Roofline& roofline = list[i];
    const std::string id = fmt::format("roofline{}", i);
    std::vector<LegendEntry> legend;
    for (const RooflinePoint& point : roofline.points) {
      const std::string name = point.contender + (point.measured ? " (measured)" : " (estimated)");
      if (std::ranges::none_of(legend, [&](const LegendEntry& entry) { return entry.name == name; }))
        legend.push_back({name, point.colour, !point.measured});
    }
    section.elements.push_back({Chart{
        id, "roofline",
        fmt::format("Roofline of {}: {} below the roofs of the DRAM and of each kind of instruction; measured points "
                    "are filled, estimated ones hollow.",
                    roofline.gpu,
                    roofline.points.size() == 1 ? "one point" : fmt::format("{} points", roofline.points.size())),
        id + "-table", std::move(legend), [roofline](double width) { return draw(roofline, width); }}});
    section.elements.push_back({Fold{plain("The points as a table"), {{table_of(roofline, id + "-table")}}}});
  }
  return section;
}

}  // namespace assay::page
