// SPDX-License-Identifier: MIT
#include "page/tuning_lines.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

#include "page/drawing.hpp"
#include "page/tuning_map.hpp"

namespace assay::page {
namespace {

constexpr size_t kOutcomes = 5;        // beside "ran"
constexpr double kSlowest = 10;        // times the best; what took longer ends there
constexpr double kPartOfPlace = 0.72;  // that the lines of one value take

// The outcomes of what failed, the most frequent first; the rest stand together.
std::vector<std::string> outcomes_of(const TunedCase& tuned, const Landscape& landscape) {
  std::map<std::string, size_t> counts;
  for (size_t i = 0; i < landscape.rows.size(); ++i) {
    if (!landscape.rows[i].ratio) ++counts[tuned.points[i].failure];
  }
  std::vector<std::string> outcomes;
  for (const auto& [failure, count] : counts) outcomes.push_back(failure);
  std::ranges::stable_sort(outcomes, std::greater(), [&](const std::string& failure) { return counts[failure]; });
  if (outcomes.size() > kOutcomes) outcomes.resize(kOutcomes);
  return outcomes;
}

class LinesDrawing {
 public:
  LinesDrawing(const TunedCase& tuned, const Landscape& landscape, const std::vector<size_t>& rows, double width)
      : tuned_(tuned),
        landscape_(landscape),
        rows_(rows),
        outcomes_(outcomes_of(tuned, landscape)),
        columns_(landscape.varied),
        narrow_(width < 500),
        left_(narrow_ ? 8 : 170),
        right_(width - 22),
        step_(narrow_ ? 66 : 54),
        time_(Scale::logarithmic(1, std::clamp(landscape.worst_ratio * 1.02, 1.02, kSlowest), left_ + 6, right_)),
        drawing_(width, height()) {
    if (columns_.size() > kDrawnAxes) columns_.resize(kDrawnAxes);
  }

  std::string svg() {
    // What is near the best lies on top, the tie group above all lines; no line covers a word.
    for (const bool tied : {false, true}) {
      for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
        if (landscape_.rows[*row].tied == tied) line(*row);
      }
    }
    for (size_t i = 0; i < columns_.size(); ++i) value_axis(i, columns_[i]);
    if (!outcomes_.empty()) outcome_axis();
    if (landscape_.best > 0) time_axis();
    return drawing_.svg();
  }

 private:
  size_t axes() const { return std::min(columns_.size(), kDrawnAxes) + (outcomes_.empty() ? 0 : 1); }
  double height() const { return y_of(axes() - (landscape_.best > 0 ? 0 : 1)) + 42; }
  double y_of(size_t axis) const { return (narrow_ ? 24 : 12) + step_ * static_cast<double>(axis); }
  double place_width(size_t places) const { return (right_ - left_) / static_cast<double>(places); }

  void axis_name(double y, const std::string& name, std::string_view classes) {
    if (narrow_) {
      drawing_.text(left_, y - 10, shortened(name, right_ - left_), classes);
    } else {
      drawing_.text(2, y + 4, shortened(name, left_ - 14), classes);
    }
    drawing_.line(left_, y, right_, y, "axis");
  }

  // A line shows in the place of its value where it ranks: the best to the left.
  double x_of(size_t place, size_t places, size_t rank) const {
    const double part = (static_cast<double>(rank) + 0.5) / static_cast<double>(landscape_.rows.size());
    return left_ + place_width(places) * (static_cast<double>(place) + 0.5 + kPartOfPlace * (part - 0.5));
  }

  void places(double y, const std::vector<std::string>& names) {
    const double wide = place_width(names.size());
    for (size_t i = 0; i < names.size() && wide > 6; ++i)
      drawing_.line(left_ + wide * (static_cast<double>(i) + 0.5 - kPartOfPlace / 2), y,
                    left_ + wide * (static_cast<double>(i) + 0.5 + kPartOfPlace / 2), y, "place");
    drawing_.values_below(left_, y + 16, wide, names);
  }

  void value_axis(size_t axis, size_t column) {
    axis_name(y_of(axis), landscape_.columns[column].name, "label");
    places(y_of(axis), landscape_.columns[column].values);
  }

  std::vector<std::string> outcome_names() const {
    std::vector<std::string> names{"ran"};
    for (const std::string& outcome : outcomes_) names.push_back(outcome_text(outcome));
    return names;
  }
  void outcome_axis() {
    axis_name(y_of(columns_.size()), "outcome", "name");
    places(y_of(columns_.size()), outcome_names());
  }

  void time_axis() {
    const double y = y_of(axes());
    axis_name(y, "times the best", "name");
    const std::vector<double> ticks = time_.ticks(narrow_ ? 4 : 8);
    const std::vector<std::string> names = tick_names(ticks);
    double free_from = 0;
    for (size_t i = 0; i < ticks.size(); ++i) {
      drawing_.line(time_(ticks[i]), y, time_(ticks[i]), y + 5, "axis");
      const double half = text_width(names[i]) / 2;
      if (time_(ticks[i]) - half < free_from) continue;
      drawing_.text(time_(ticks[i]), y + 18, names[i], "tick", Anchor::middle);
      free_from = time_(ticks[i]) + half + 8;
    }
  }

  void line(size_t index) {
    const LandscapeRow& row = landscape_.rows[index];
    std::string steps;
    const auto go = [&](double x, size_t axis) { steps += (steps.empty() ? "M" : "L") + at(x, y_of(axis)); };
    for (size_t i = 0; i < columns_.size(); ++i)
      go(x_of(row.values[columns_[i]], landscape_.columns[columns_[i]].values.size(), row.rank), i);
    if (!outcomes_.empty()) {
      const auto found = std::ranges::find(outcomes_, tuned_.points[index].failure);
      const size_t place = row.ratio ? 0 : std::min<size_t>(1 + (found - outcomes_.begin()), outcomes_.size());
      go(x_of(place, outcomes_.size() + 1, row.rank), columns_.size());
    }
    if (row.ratio) go(time_(std::min(*row.ratio, kSlowest)), axes());
    const double near = row.ratio ? nearness(*row.ratio, landscape_.worst_ratio) : 0;
    drawing_.row_line(steps, !row.ratio ? "way failed" : row.tied ? "way tied" : "way", near, index);
  }

  const TunedCase& tuned_;
  const Landscape& landscape_;
  const std::vector<size_t>& rows_;
  std::vector<std::string> outcomes_;
  std::vector<size_t> columns_;
  bool narrow_;
  double left_, right_, step_;
  Scale time_;
  Drawing drawing_;
};

}  // namespace

std::string draw_lines(const TunedCase& tuned, const Landscape& landscape, const std::vector<size_t>& rows,
                       double width) {
  return LinesDrawing(tuned, landscape, rows, width).svg();
}

}  // namespace assay::page
