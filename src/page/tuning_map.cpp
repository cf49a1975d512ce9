// SPDX-License-Identifier: MIT
#include "page/tuning_map.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "base/text.hpp"
#include "page/drawing.hpp"

namespace assay::page {
namespace {

constexpr size_t kPlaces = 16;  // of one axis
constexpr double kGap = 2;      // between cells

MapAxis axis_of(const TunableColumn& column) {
  MapAxis axis{column.name, {}, {}};
  const size_t count = column.values.size();
  const size_t shared = (count + kPlaces - 1) / kPlaces;
  for (size_t i = 0; i < count; ++i) {
    axis.place.push_back(i / shared);
    if (i % shared != 0) continue;
    const size_t last = std::min(i + shared, count) - 1;
    axis.labels.push_back(last == i ? column.values[i] : column.values[i] + " to " + column.values[last]);
  }
  return axis;
}

std::string cell_title(const TuningMap& map, const MapCell& cell, const Landscape& landscape, size_t x, size_t y) {
  std::string title = fmt::format("{}={}", map.across.name, map.across.labels[x]);
  if (!map.down.name.empty()) title += fmt::format(", {}={}", map.down.name, map.down.labels[y]);
  if (!cell.best) return fmt::format("{}: {}, {} tried", title, outcome_text(cell.failure), cell.tried);
  title += fmt::format(": {:.3f} times the best, {} tried", *landscape.rows[*cell.best].ratio, cell.tried);
  return cell.failed == 0 ? title : title + fmt::format(", {} of them failed", cell.failed);
}

// Where the cells of a map lie on a page of this width.
struct MapPlan {
  double left, top, across, down, height;
};
MapPlan plan_of(const TuningMap& map, double width) {
  const bool narrow = width < 500;
  double labels = map.down.name.empty() ? 0 : 20;
  for (const std::string& label : map.down.labels) labels = std::max(labels, text_width(label));
  MapPlan plan{};
  plan.left = map.down.name.empty() ? 2 : std::min(labels + 10, narrow ? 80.0 : 150.0);
  plan.top = map.down.name.empty() ? 8 : 26;
  plan.across = std::min((width - plan.left - 4) / static_cast<double>(map.across.labels.size()), 110.0);
  plan.down = map.down.labels.size() > 8 ? 26 : 38;
  plan.height = plan.top + plan.down * static_cast<double>(map.down.labels.size()) + 42;
  return plan;
}

class MapDrawing {
 public:
  MapDrawing(const TuningMap& map, const Landscape& landscape, double width)
      : map_(map), landscape_(landscape), plan_(plan_of(map, width)), drawing_(width, plan_.height) {}

  std::string svg() {
    for (size_t y = 0; y < map_.down.labels.size(); ++y) {
      for (size_t x = 0; x < map_.across.labels.size(); ++x) cell(x, y);
    }
    names();
    return drawing_.svg();
  }

 private:
  void cell(size_t x, size_t y) {
    const MapCell& cell = map_.at(x, y);
    const double left = plan_.left + plan_.across * static_cast<double>(x);
    const double top = plan_.top + plan_.down * static_cast<double>(y);
    const double wide = plan_.across - kGap;
    const double high = plan_.down - kGap;
    if (cell.tried == 0) return drawing_.circle(left + wide / 2, top + high / 2, 1.5, "untried");
    const double near = cell.best ? nearness(*landscape_.rows[*cell.best].ratio, map_.worst_ratio) : 0;
    drawing_.mark(left, top, wide, high, cell.best ? "cell" : "cell failed", near,
                  cell_title(map_, cell, landscape_, x, y));
    if (!cell.best) hatch(left, top, wide, high);
    if (cell.tied) drawing_.rectangle(left + 1, top + 1, wide - 2, high - 2, "tied");
    words(cell, left + wide / 2, top, wide, high);
  }

  void hatch(double left, double top, double wide, double high) {
    std::string lines;
    for (double start = -high + 6; start < wide; start += 8) {
      const double from = std::max(start, 0.0);
      const double to = std::min(start + high, wide);
      lines += "M" + at(left + from, top + high - (from - start)) + "L" + at(left + to, top + high - (to - start));
    }
    drawing_.path(lines, "hatch");
  }

  // The ratio and how many were tried; of what failed the reason, in two lines where it does not fit into one.
  void words(const MapCell& cell, double middle, double top, double wide, double high) {
    const bool two_lines = high > 30;
    const auto fits = [&](const std::string& text) { return text_width(text) <= wide - 4; };
    const auto write = [&](double down, const std::string& text, std::string_view classes) {
      if (fits(text)) drawing_.text(middle, top + down, text, classes, Anchor::middle);
    };
    if (!cell.best) {
      const std::string reason = outcome_text(cell.failure);
      const size_t blank = reason.rfind(' ');
      if (!two_lines || fits(reason)) {
        write(two_lines ? 16 : 17, reason, "label");
        if (two_lines) write(30, fmt::format("{} tried", cell.tried), "small");
      } else if (blank != std::string::npos && fits(reason.substr(0, blank)) && fits(reason.substr(blank + 1))) {
        write(16, reason.substr(0, blank), "label");
        write(30, reason.substr(blank + 1), "label");
      }
      return;
    }
    write(two_lines ? 16 : 17, fmt::format("{:.2f}", *landscape_.rows[*cell.best].ratio), "figure");
    const std::string below = fmt::format("best of {}", cell.tried);
    if (two_lines) write(30, fits(below) ? below : fmt::format("of {}", cell.tried), "small");
  }

  // Names at the ends of the axes, and a value beside each row and below each column that it fits.
  void names() {
    if (!map_.down.name.empty()) drawing_.text(0, 14, shortened(map_.down.name, drawing_.width()), "name");
    for (size_t y = 0; y < map_.down.labels.size() && !map_.down.name.empty(); ++y)
      drawing_.text(plan_.left - 8, plan_.top + plan_.down * (static_cast<double>(y) + 0.5) + 3,
                    shortened(map_.down.labels[y], plan_.left - 10), "tick", Anchor::end);
    const double bottom = plan_.top + plan_.down * static_cast<double>(map_.down.labels.size());
    drawing_.values_below(plan_.left, bottom + 14, plan_.across, map_.across.labels);
    const double end = plan_.left + plan_.across * static_cast<double>(map_.across.labels.size()) - kGap;
    const std::string name = shortened(map_.across.name, drawing_.width() - 4);
    drawing_.text(std::max(end, text_width(name) + 2), bottom + 32, name, "name", Anchor::end);
  }

  const TuningMap& map_;
  const Landscape& landscape_;
  MapPlan plan_;
  Drawing drawing_;
};

}  // namespace

TuningMap map_of(const TunedCase& tuned, const Landscape& landscape, const MapChoice& choice) {
  TuningMap map;
  map.across = axis_of(landscape.columns[*choice.across]);
  map.down = choice.down ? axis_of(landscape.columns[*choice.down]) : MapAxis{"", {""}, {}};
  map.cells.resize(map.across.labels.size() * map.down.labels.size());
  std::vector<std::map<std::string, size_t>> failures(map.cells.size());
  for (size_t i = 0; i < landscape.rows.size(); ++i) {
    const LandscapeRow& row = landscape.rows[i];
    const size_t x = map.across.place[row.values[*choice.across]];
    const size_t y = choice.down ? map.down.place[row.values[*choice.down]] : 0;
    const size_t index = y * map.across.labels.size() + x;
    MapCell& cell = map.cells[index];
    if (cell.tried++ == 0) cell.first = i;
    cell.tied = cell.tied || row.tied;
    if (row.ratio) {
      if (!cell.best || row.rank < landscape.rows[*cell.best].rank) cell.best = i;
      continue;
    }
    ++cell.failed;
    const size_t alike = ++failures[index][tuned.points[i].failure];
    if (alike > failures[index][cell.failure]) cell.failure = tuned.points[i].failure;
  }
  for (const MapCell& cell : map.cells) {
    if (cell.best) map.worst_ratio = std::max(map.worst_ratio, *landscape.rows[*cell.best].ratio);
  }
  return map;
}

double nearness(double ratio, double worst_ratio) {
  const double limit = std::min(worst_ratio, 4.0);
  if (limit <= 1) return 1;
  return std::clamp(1 - std::log(ratio) / std::log(limit), 0.0, 1.0);
}

std::string draw_map(const TuningMap& map, const Landscape& landscape, double width) {
  return MapDrawing(map, landscape, width).svg();
}

}  // namespace assay::page
