// SPDX-License-Identifier: MIT
#include "report/terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace assay::report {
namespace {

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

// Columns on the screen: a UTF-8 character of several bytes takes one.
size_t width(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

}  // namespace

Terminal::Terminal() : colours_(::isatty(STDOUT_FILENO) == 1 && std::getenv("NO_COLOR") == nullptr) {}

std::string Terminal::paint(Colour colour, const std::string& text) const {
  if (!colours_ || colour == Colour::none || text.empty()) return text;
  return std::string("\x1b[") + code(colour) + "m" + text + "\x1b[0m";
}

std::string Table::render(const Terminal& terminal) const {
  std::vector<size_t> widths;
  for (const std::string& title : header_) widths.push_back(width(title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size() && i < widths.size(); ++i) widths[i] = std::max(widths[i], width(row[i].text));
  }
  std::string text;
  const auto line = [&](auto cell_of, size_t count) {
    std::string out;
    for (size_t i = 0; i < count; ++i) {
      const auto [content, colour] = cell_of(i);
      out += terminal.paint(colour, content);
      if (i + 1 < count) out += std::string(widths[i] - width(content) + 2, ' ');
    }
    text += out + "\n";
  };
  line([&](size_t i) { return std::pair{header_[i], Colour::bold}; }, header_.size());
  for (const auto& row : rows_) {
    line([&](size_t i) { return std::pair{row[i].text, row[i].colour}; }, std::min(row.size(), header_.size()));
  }
  return text;
}

}  // namespace assay::report
