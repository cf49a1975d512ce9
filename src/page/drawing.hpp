// SPDX-License-Identifier: MIT
// Charts as SVG: scales with round ticks, and a drawing whose labels do not overlap. Colours are classes of the page's
// style sheet, so that a drawing fits light and dark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::page {

class Scale {
 public:
  static Scale linear(double low, double high, double from, double to) { return {low, high, from, to, false}; }
  static Scale logarithmic(double low, double high, double from, double to) { return {low, high, from, to, true}; }

  double operator()(double value) const;
  std::vector<double> ticks(int about) const;  // round values inside
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  Scale(double low, double high, double from, double to, bool logarithmic);

  double low_;
  double high_;
  double from_;
  double to_;
  bool logarithmic_;
};

// 1234.5 -> "1230", 0.01234 -> "0.0123": three digits that count, no exponent between 1e-4 and 1e7.
std::string short_number(double value);
// Of neighbouring ticks no two read the same.
std::vector<std::string> tick_names(const std::vector<double>& ticks);
std::string grouped(double whole);  // "1,234,567"

enum class Anchor { start, middle, end };

class Drawing {
 public:
  Drawing(double width, double height) : width_(width), height_(height) {}

  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  void path(const std::string& steps, std::string_view classes);
  // A title is shown where a pointer rests.
  void rectangle(double x, double y, double width, double height, std::string_view classes,
                 const std::string& title = "");
  // A rectangle coloured by how near to the best it is, 0 to 1.
  void mark(double x, double y, double width, double height, std::string_view classes, double near,
            const std::string& title);
  // A line of one row of a table: coloured so too, and script leads from it to the row.
  void row_line(const std::string& steps, std::string_view classes, double near, size_t row);
  void circle(double x, double y, double radius, std::string_view classes, const std::string& title = "");
  void text(double x, double y, const std::string& text, std::string_view classes, Anchor anchor = Anchor::start);
  // The text beside the point, where it covers no other label and stays inside; left out if there is no such place.
  bool label(double x, double y, const std::string& text, std::string_view classes);

  // Texts in the middles of places side by side; cut to their place, left out where they would cover each other.
  void values_below(double left, double y, double place, const std::vector<std::string>& texts);
  // Grid, ticks and names of both axes, around the area that the scales span.
  void axes(const Scale& x, const Scale& y, const std::string& x_name, const std::string& y_name);

  double width() const { return width_; }
  std::string svg() const;

 private:
  struct Box {
    double left, top, right, bottom;
  };
  bool is_free(const Box& box) const;

  double width_;
  double height_;
  std::string content_;
  std::vector<Box> taken_;
};

double text_width(std::string_view text);                      // on the page, in the size of labels, at most
std::string shortened(const std::string& text, double width);  // with "…" where it does not fit

// The step "x,y" of a path, with one digit after the point.
std::string at(double x, double y);

}  // namespace assay::page
