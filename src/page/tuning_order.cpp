// SPDX-License-Identifier: MIT
#include "page/tuning_order.hpp"

#include <algorithm>

#include "page/drawing.hpp"

namespace assay::page {
namespace {

constexpr size_t kDrawnPoints = 300;  // points; of more, every n-th and whatever was the best so far
constexpr double kHighest = 10;       // times the best; what took longer is drawn there

struct Order {
  std::vector<std::pair<double, double>> points;  // number of the evaluation, value over the best
  std::vector<std::pair<double, double>> best;    // steps of the best so far
  std::vector<double> failed;                     // numbers
};

Order order_of(const Landscape& landscape) {
  Order shown;
  const size_t step = std::max<size_t>(1, landscape.rows.size() / kDrawnPoints);
  double so_far = 0;
  for (size_t i = 0; i < landscape.rows.size(); ++i) {
    const auto number = static_cast<double>(i + 1);
    if (!landscape.rows[i].ratio) {
      if (i % step == 0) shown.failed.push_back(number);
      continue;
    }
    const double ratio = std::min(*landscape.rows[i].ratio, kHighest);
    const bool better = so_far == 0 || ratio < so_far;
    if (better) {
      if (so_far > 0) shown.best.emplace_back(number, so_far);
      shown.best.emplace_back(number, ratio);
      so_far = ratio;
    }
    if (better || i % step == 0) shown.points.emplace_back(number, ratio);
  }
  if (so_far > 0) shown.best.emplace_back(static_cast<double>(landscape.rows.size()), so_far);
  return shown;
}

}  // namespace

std::string draw_order(const Landscape& landscape, double width) {
  const Order shown = order_of(landscape);
  const double height = width < 500 ? 230 : 280;
  Drawing drawing(width, height);
  double most = 1.1;
  for (const auto& [number, ratio] : shown.points) most = std::max(most, ratio);
  const Scale x = Scale::linear(0, std::max(10.0, static_cast<double>(landscape.rows.size())), 48, width - 14);
  const Scale y = Scale::logarithmic(1, most * 1.05, height - 44, 28);
  drawing.axes(x, y, "evaluation", "times the best");
  for (const double number : shown.failed) drawing.line(x(number), height - 44, x(number), height - 50, "floor");
  for (const auto& [number, ratio] : shown.points) drawing.circle(x(number), y(ratio), 2.5, "point c0");
  std::string steps;
  for (const auto& [number, ratio] : shown.best) steps += (steps.empty() ? "M" : "L") + at(x(number), y(ratio));
  drawing.path(steps, "curve c1");
  return drawing.svg();
}

}  // namespace assay::page
