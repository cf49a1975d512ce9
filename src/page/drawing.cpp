// SPDX-License-Identifier: MIT
#include "page/drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

#include "base/escape.hpp"

namespace assay::page {
namespace {

constexpr double kLabelHeight = 14;

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// Of a label, at 12 pixels, in a wide font.
double character_width(char c) {
  if (!begins_character(c)) return 0;
  if ((c >= 'A' && c <= 'Z') || c == '=' || c == '+' || c == '<' || c == '>') return 9;
  if (c == 'm' || c == 'w' || c == '%' || c == '@') return 11;
  if (std::string_view("ijlt,.;:|'! ()[]").find(c) != std::string_view::npos) return 4.5;
  return 7.4;
}

}  // namespace

Scale::Scale(double low, double high, double from, double to, bool logarithmic)
    : low_(low), high_(high), from_(from), to_(to), logarithmic_(logarithmic) {
  if (logarithmic_) low_ = std::max(low_, 1e-12);
  if (!(high_ > low_)) high_ = logarithmic_ ? low_ * 10 : low_ + 1;
}

double Scale::operator()(double value) const {
  const double part = logarithmic_ ? std::log(std::max(value, low_ * 1e-6) / low_) / std::log(high_ / low_)
                                   : (value - low_) / (high_ - low_);
  return from_ + part * (to_ - from_);
}

std::vector<double> Scale::ticks(int about) const {
  std::vector<double> found;
  constexpr double kSlack = 1e-9;
  if (logarithmic_) {
    const int first = static_cast<int>(std::ceil(std::log10(low_) - kSlack));
    const int last = static_cast<int>(std::floor(std::log10(high_) + kSlack));
    const int step = std::max(1, (last - first + about) / std::max(1, about));
    for (int power = first; power <= last; power += step) found.push_back(std::pow(10.0, power));
    if (found.size() >= 3) return found;
    found.clear();
    for (int power = first - 1; power <= last; ++power) {
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * std::pow(10.0, power);
        if (value >= low_ * (1 - kSlack) && value <= high_ * (1 + kSlack)) found.push_back(value);
      }
    }
    if (found.size() >= 2) return found;
    found.clear();
  }
  const double rough = (high_ - low_) / std::max(1, about);
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  for (double k = std::ceil(low_ / step - kSlack); k * step <= high_ + kSlack * step; ++k) found.push_back(k * step);
  return found;
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const double size = std::abs(value);
  if (size >= 1e7 || size < 1e-4) return fmt::format("{:.3g}", value);
  if (size >= 100) return fmt::format("{:.0f}", value);
  const int digits = std::max(0, 2 - static_cast<int>(std::floor(std::log10(size))));
  std::string text = fmt::format("{:.{}f}", value, digits);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

std::string grouped(double whole) {
  std::string text = fmt::format("{:.0f}", std::abs(whole));
  for (size_t end = text.size(); end > 3; end -= 3) text.insert(end - 3, ",");
  return whole < 0 ? "-" + text : text;
}

double text_width(std::string_view text) {
  double wide = 0;
  for (const char c : text) wide += character_width(c);
  return wide;
}

std::string shortened(const std::string& text, double width) {
  std::string clean = valid_utf8(text);
  if (text_width(clean) <= width) return clean;
  constexpr double kEllipsis = 12;
  size_t end = 0;
  double wide = 0;
  for (; end < clean.size(); ++end) {
    wide += character_width(clean[end]);
    if (begins_character(clean[end]) && wide > width - kEllipsis) break;
  }
  return clean.substr(0, end) + "…";
}

std::string at(double x, double y) {
  return fmt::format("{:.1f},{:.1f}", x, y);
}

void Drawing::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  content_ += fmt::format("<path class=\"{}\" d=\"M{}L{}\"/>", classes, at(x1, y1), at(x2, y2));
}

void Drawing::path(const std::string& steps, std::string_view classes) {
  if (!steps.empty()) content_ += fmt::format("<path class=\"{}\" d=\"{}\"/>", classes, steps);
}

void Drawing::rectangle(double x, double y, double width, double height, std::string_view classes,
                        const std::string& title) {
  content_ += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"", classes, x,
                          y, std::max(0.0, width), height);
  content_ += title.empty() ? "/>" : fmt::format("><title>{}</title></rect>", escape_html(title));
}

void Drawing::mark(double x, double y, double width, double height, std::string_view classes, double near,
                   const std::string& title) {
  content_ += fmt::format(
      "<rect class=\"{}\" style=\"--near:{:.0f}%\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\">"
      "<title>{}</title></rect>",
      classes, 100 * near, x, y, std::max(0.0, width), height, escape_html(title));
}

void Drawing::row_line(const std::string& steps, std::string_view classes, double near, size_t row) {
  content_ += fmt::format("<path class=\"{}\" style=\"--near:{:.0f}%\" data-row=\"{}\" d=\"{}\"/>", classes, 100 * near,
                          row, steps);
}

void Drawing::circle(double x, double y, double radius, std::string_view classes, const std::string& title) {
  content_ += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"", classes, x, y, radius);
  content_ += title.empty() ? "/>" : fmt::format("><title>{}</title></circle>", escape_html(title));
}

void Drawing::text(double x, double y, const std::string& text, std::string_view classes, Anchor anchor) {
  const double wide = text_width(text);
  const double left = anchor == Anchor::start ? x : anchor == Anchor::end ? x - wide : x - wide / 2;
  taken_.push_back({left, y - kLabelHeight + 3, left + wide, y + 3});
  constexpr std::array<std::string_view, 3> kAnchors = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  content_ += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>", classes, x, y,
                          kAnchors[static_cast<size_t>(anchor)], escape_html(text));
}

bool Drawing::is_free(const Box& box) const {
  if (box.left < 0 || box.right > width_ || box.top < 0 || box.bottom > height_) return false;
  return std::ranges::none_of(taken_, [&](const Box& other) {
    return box.left < other.right && other.left < box.right && box.top < other.bottom && other.top < box.bottom;
  });
}

bool Drawing::label(double x, double y, const std::string& text, std::string_view classes) {
  const double wide = text_width(text);
  struct Place {
    double x, y;
  };
  // Right of the point, left of it, above, below, and the corners.
  const Place places[] = {{x + 8, y + 4},         {x - 8 - wide, y + 4}, {x - wide / 2, y - 8}, {x - wide / 2, y + 18},
                          {x + 8, y - 8},         {x - 8 - wide, y - 8}, {x + 8, y + 16},       {x - 8 - wide, y + 16},
                          {x - wide / 2, y - 22}, {x - wide / 2, y + 32}};
  for (const Place& place : places) {
    if (!is_free({place.x, place.y - kLabelHeight + 3, place.x + wide, place.y + 3})) continue;
    this->text(place.x, place.y, text, classes);
    return true;
  }
  return false;
}

// Three digits that count, and more where neighbours would read the same: 10.005, 10.010.
std::vector<std::string> tick_names(const std::vector<double>& ticks) {
  std::vector<std::string> names;
  for (const double tick : ticks) names.push_back(short_number(tick));
  if (std::ranges::adjacent_find(names) == names.end()) return names;
  const int digits = static_cast<int>(std::ceil(-std::log10(ticks[1] - ticks[0]) - 1e-9));
  for (size_t i = 0; i < ticks.size(); ++i) names[i] = fmt::format("{:.{}f}", ticks[i], std::clamp(digits, 0, 9));
  return names;
}

void Drawing::axes(const Scale& x, const Scale& y, const std::string& x_name, const std::string& y_name) {
  const double left = x(x.low());
  const double right = x(x.high());
  const double bottom = y(y.low());
  const double top = y(y.high());
  const std::vector<double> rows = y.ticks(5);
  const std::vector<std::string> row_names = tick_names(rows);
  for (size_t i = 0; i < rows.size(); ++i) {
    line(left, y(rows[i]), right, y(rows[i]), "grid");
    text(left - 6, y(rows[i]) + 4, row_names[i], "tick", Anchor::end);
  }
  const std::vector<double> columns = x.ticks(static_cast<int>((right - left) / 90));
  const std::vector<std::string> column_names = tick_names(columns);
  double free_from = -1e9;
  for (size_t i = 0; i < columns.size(); ++i) {
    line(x(columns[i]), bottom, x(columns[i]), top, "grid");
    const double half = text_width(column_names[i]) / 2 + 2;
    const double middle = std::min(x(columns[i]), width_ - half);
    if (middle - half < free_from) continue;
    text(middle, bottom + 16, column_names[i], "tick", Anchor::middle);
    free_from = middle + half + 4;
  }
  line(left, bottom, right, bottom, "axis");
  line(left, bottom, left, top, "axis");
  text(right, bottom + 34, x_name, "name", Anchor::end);
  text(std::max(2.0, left - 40), top - 10, y_name, "name");
}

void Drawing::values_below(double left, double y, double place, const std::vector<std::string>& texts) {
  constexpr double kBetween = 8;
  constexpr double kNarrow = 40;  // a place in which nothing can be read: its text may reach over the next ones
  constexpr double kReach = 90;
  double free_from = 0;
  for (size_t i = 0; i < texts.size(); ++i) {
    const double middle = left + place * (static_cast<double>(i) + 0.5);
    const std::string text = shortened(texts[i], place >= kNarrow ? place - kBetween : kReach);
    const double half = text_width(text) / 2;
    if (middle - half < free_from || middle + half > width_) continue;
    this->text(middle, y, text, "tick", Anchor::middle);
    free_from = middle + half + kBetween;
  }
}

std::string Drawing::svg() const {
  return fmt::format("<svg viewBox=\"0 0 {:.0f} {:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\">{}</svg>", width_, height_,
                     width_, height_, content_);
}

}  // namespace assay::page
