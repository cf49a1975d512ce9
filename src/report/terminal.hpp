// SPDX-License-Identifier: MIT
// Text for people: colours on a terminal, plain elsewhere; tables with aligned columns that fit the terminal.
#pragma once

#include <string>
#include <vector>

namespace assay::report {

enum class Colour { none, red, green, yellow, bold, dim };

// Colours are used if standard output is a terminal that knows them (TERM is not "dumb") and NO_COLOR is not set.
class Terminal {
 public:
  static constexpr size_t kUnlimited = static_cast<size_t>(-1);

  Terminal();
  explicit Terminal(bool colours, size_t columns = kUnlimited) : colours_(colours), columns_(columns) {}

  // Of a line; unlimited if standard output is no terminal: what a program reads is never broken.
  size_t columns() const { return columns_; }

  std::string paint(Colour colour, const std::string& text) const;

 private:
  bool colours_;
  size_t columns_;
};

// The text in lines of at most `columns`, broken between words, else behind a comma or slash, else behind an underscore
// or dot, else anywhere.
std::vector<std::string> broken_lines(const std::string& text, size_t columns);

// Every line of the text that is longer than the terminal is broken; what follows is indented. Lines that begin with
// "repeat: " hold a command to be copied and stay whole.
std::string fitted(const Terminal& terminal, const std::string& text);

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
  // Columns that may go where there is no room, the first one first.
  void leave_out(std::vector<std::string> titles) { dispensable_ = std::move(titles); }
  // A column whose cells are cut where there is no room, instead of taking several lines: lines of source.
  void cut(std::string title) { cut_ = std::move(title); }
  bool empty() const { return rows_.empty(); }
  // Of its lines where there is room for all.
  size_t columns() const;
  // A column without any text is not shown. Where the table is wider than the terminal, its widest columns become
  // narrower and their cells take several lines; if that does not help, dispensable columns go.
  std::string render(const Terminal& terminal) const;

 private:
  bool has_text(size_t column) const;
  std::vector<size_t> shown() const;  // columns with text
  // The widths of these columns in the room that there is; `fits` tells whether it is enough.
  std::vector<size_t> widths_of(const std::vector<size_t>& columns, size_t room, bool& fits) const;

  std::vector<std::string> header_;
  std::vector<std::vector<Cell>> rows_;
  std::vector<std::string> dispensable_;
  std::string cut_;
};

}  // namespace assay::report
