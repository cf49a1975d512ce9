// SPDX-License-Identifier: MIT
// Text for people: colours on a terminal, plain elsewhere; tables with aligned columns.
#pragma once

#include <string>
#include <vector>

namespace assay::report {

enum class Colour { none, red, green, yellow, bold, dim };

// Colours are used if standard output is a terminal and NO_COLOR is not set.
class Terminal {
 public:
  Terminal();
  explicit Terminal(bool colours) : colours_(colours) {}

  std::string paint(Colour colour, const std::string& text) const;

 private:
  bool colours_;
};

class Table {
 public:
  explicit Table(std::vector<std::string> header) : header_(std::move(header)) {}

  struct Cell {
    std::string text;
    Colour colour = Colour::none;
    Cell(std::string t, Colour c = Colour::none) : text(std::move(t)), colour(c) {}
    Cell(const char* t) : text(t) {}
  };
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }
  std::string render(const Terminal& terminal) const;

 private:
  std::vector<std::string> header_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace assay::report
