// SPDX-License-Identifier: MIT
#include "report/terminal.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include "base/screen.hpp"
#include "base/text.hpp"

namespace assay::report {
namespace {

constexpr size_t kGap = 2;  // blanks between columns

const char* code(Colour colour) {
  switch (colour) {
    case Colour::red:
      return "31";
    case Colour::green:
      return "32";
    case Colour::yellow:
      return "33";
    case Colour::bold:
      return "1";
    case Colour::dim:
      return "2";
    case Colour::none:
      break;
  }
  return "0";
}

bool begins_character(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
}

// The byte behind the colour that begins at `at`: "ESC ... [ ... m".
size_t behind_escape(std::string_view text, size_t at) {
  at = std::min(text.find('[', at), text.size());
  while (at < text.size() && std::isalpha(static_cast<unsigned char>(text[at])) == 0) ++at;
  return std::min(at + 1, text.size());
}

// The byte behind the first `columns` columns. A UTF-8 character of several bytes takes one, a colour none.
size_t bytes_of(std::string_view text, size_t columns) {
  size_t at = 0;
  while (at < text.size()) {
    if (text[at] == '\x1b') {
      at = behind_escape(text, at);
      continue;
    }
    if (begins_character(text[at]) && columns-- == 0) break;
    ++at;
  }
  return at;
}

// Columns on the screen.
size_t width(std::string_view text) {
  size_t columns = 0;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == '\x1b') {
      at = behind_escape(text, at);
    } else {
      columns += begins_character(text[at++]) ? 1 : 0;
    }
  }
  return columns;
}

// Of a line with these columns.
size_t total_width(const std::vector<size_t>& widths) {
  size_t sum = widths.empty() ? 0 : kGap * (widths.size() - 1);
  for (const size_t each : widths) sum += each;
  return sum;
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool has_colours() {
  const char* const kind = std::getenv("TERM");
  const bool dumb = kind != nullptr && std::string_view(kind) == "dumb";
  return ::isatty(STDOUT_FILENO) == 1 && !dumb && !is_set("NO_COLOR");
}

size_t terminal_columns() {
  winsize size{};
  if (::isatty(STDOUT_FILENO) != 1 || ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return Terminal::kUnlimited;
  return size.ws_col;
}

// How many bytes of `text` go onto a line of `columns`: up to the last good place to break.
size_t line_bytes(std::string_view text, size_t columns) {
  const size_t most = bytes_of(text, columns);
  if (most == text.size() || text[most] == ' ') return most;
  if (const size_t blank = text.rfind(' ', most - 1); blank != std::string_view::npos && blank > 0) return blank;
  for (const char* marks : {",/", "_."}) {
    const size_t mark = text.find_last_of(marks, most - 1);
    if (mark != std::string_view::npos && mark > 0) return mark + 1;
  }
  return most;
}

}  // namespace

Terminal::Terminal() : colours_(has_colours()), columns_(terminal_columns()) {}

std::string Terminal::paint(Colour colour, const std::string& text) const {
  if (!colours_ || colour == Colour::none || text.empty()) return text;
  return screen_sequence(std::string(code(colour)) + "m") + text + screen_sequence("0m");
}

std::vector<std::string> broken_lines(const std::string& text, size_t columns) {
  std::vector<std::string> lines;
  std::string_view rest = text;
  while (width(rest) > columns) {
    const size_t bytes = line_bytes(rest, std::max<size_t>(1, columns));
    lines.emplace_back(rest.substr(0, bytes));
    rest.remove_prefix(bytes);
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  }
  if (!rest.empty() || lines.empty()) lines.emplace_back(rest);
  return lines;
}

std::string fitted(const Terminal& terminal, const std::string& text) {
  constexpr size_t kNarrowest = 40;
  if (terminal.columns() == Terminal::kUnlimited || terminal.columns() < kNarrowest) return text;
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    if (!result.empty() || line.data() != text.data()) result += "\n";
    if (width(line) <= terminal.columns() || line.starts_with("repeat: ")) {
      result += line;
      continue;
    }
    const size_t indent = std::min(line.find_first_not_of(' '), terminal.columns() / 2);
    const std::string margin(indent + 2, ' ');
    const std::vector<std::string> parts =
        broken_lines(std::string(line.substr(indent)), terminal.columns() - indent - 2);
    for (size_t i = 0; i < parts.size(); ++i) result += (i == 0 ? std::string(indent, ' ') : "\n" + margin) + parts[i];
  }
  return result;
}

bool Table::has_text(size_t column) const {
  return rows_.empty() || std::ranges::any_of(rows_, [&](const std::vector<Cell>& row) {
           return column < row.size() && !row[column].text.empty();
         });
}

std::vector<size_t> Table::widths_of(const std::vector<size_t>& columns, size_t room, bool& fits) const {
  constexpr size_t kNarrowest = 10;  // of a column that becomes narrower
  constexpr size_t kShortest = 24;   // of cells that are cut: what is left must tell something
  std::vector<size_t> least;
  std::vector<size_t> widths;
  for (const size_t column : columns) {
    least.push_back(width(header_[column]));
    widths.push_back(least.back());
    for (const auto& row : rows_) {
      if (column < row.size()) widths.back() = std::max(widths.back(), width(row[column].text));
    }
    if (header_[column] == cut_) least.back() = std::min(widths.back(), kShortest);
  }
  std::vector<size_t> fitting = widths;
  for (size_t cap = widths.empty() ? 0 : *std::ranges::max_element(widths); total_width(fitting) > room; --cap) {
    if (cap < kNarrowest) break;
    for (size_t i = 0; i < fitting.size(); ++i) fitting[i] = std::min(widths[i], std::max(cap, least[i]));
  }
  fits = total_width(fitting) <= room;
  return fitting;
}

std::vector<size_t> Table::shown() const {
  std::vector<size_t> columns;
  for (size_t i = 0; i < header_.size(); ++i) {
    if (has_text(i)) columns.push_back(i);
  }
  return columns;
}

size_t Table::columns() const {
  bool fits = false;
  return total_width(widths_of(shown(), Terminal::kUnlimited, fits));
}

std::string Table::render(const Terminal& terminal) const {
  std::vector<size_t> columns = shown();
  bool fits = false;
  std::vector<size_t> widths = widths_of(columns, terminal.columns(), fits);
  for (const std::string& title : dispensable_) {
    if (fits) break;
    std::erase_if(columns, [&](size_t column) { return header_[column] == title; });
    widths = widths_of(columns, terminal.columns(), fits);
  }

  std::string text;
  const auto add_row = [&](const std::vector<Cell>& row) {
    std::vector<std::vector<std::string>> cells;
    size_t lines = 1;
    for (size_t i = 0; i < columns.size() && columns[i] < row.size(); ++i) {
      const std::string& content = row[columns[i]].text;
      const bool too_long = header_[columns[i]] == cut_ && width(content) > widths[i];
      cells.push_back(too_long ? std::vector{content.substr(0, bytes_of(content, widths[i] - 3)) + "..."}
                               : broken_lines(content, widths[i]));
      lines = std::max(lines, cells.back().size());
    }
    for (size_t line = 0; line < lines; ++line) {
      size_t pending = 0;  // blanks before the next cell that is not empty
      for (size_t i = 0; i < cells.size(); ++i) {
        const std::string part = line < cells[i].size() ? cells[i][line] : "";
        if (!part.empty())
          text += std::string(std::exchange(pending, 0), ' ') + terminal.paint(row[columns[i]].colour, part);
        pending += widths[i] - std::min(widths[i], width(part)) + kGap;
      }
      text += "\n";
    }
  };
  std::vector<Cell> titles;
  for (const std::string& title : header_) titles.emplace_back(title, Colour::bold);
  add_row(titles);
  for (const auto& row : rows_) add_row(row);
  return text;
}

}  // namespace assay::report
