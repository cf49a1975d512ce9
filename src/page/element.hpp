// SPDX-License-Identifier: MIT
// What a report is made of before it is HTML or Markdown: sections of paragraphs, tables, charts, listings and folds.
// All text in it is plain: only the writers (html.hpp, markdown.hpp, drawing.hpp) know what must be escaped.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace assay::page {

enum class Tone { plain, good, bad, warning, quiet };

// A piece of running text.
struct Span {
  enum class Kind { plain, code, strong, word };  // word: measured, counted, estimated

  std::string text;
  Kind kind = Kind::plain;
  Tone tone = Tone::plain;
  std::string target{};  // the id that it links to on this page; empty: none
};
using Text = std::vector<Span>;

inline Text plain(std::string text) {
  return {{std::move(text)}};
}
inline Text code(std::string text) {
  return {{std::move(text), Span::Kind::code}};
}
inline Text toned(std::string text, Tone tone) {
  return {{std::move(text), Span::Kind::plain, tone}};
}
inline Text link(std::string text, std::string target) {
  return {{std::move(text), Span::Kind::plain, Tone::plain, std::move(target)}};
}

struct Paragraph {
  Text text;
  Tone tone = Tone::plain;
};

struct Cell {
  Text text;
  std::optional<double> order{};  // what a number sorts by; empty: by its text
  std::optional<double> bar{};    // 0 to 1: how much of the cell is filled
  std::string id{};               // of the row's anchor; on a first cell
};
struct Column {
  std::string name;
  bool number = false;
};
struct Table {
  std::string id;
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<int> bands{};  // beside rows: tie groups that share a band of colour; empty: none
  bool page_only = false;    // another table sums it up where pages are short
};

struct LegendEntry {
  std::string name;
  int colour = 0;
  bool hollow = false;
  std::string mark{};  // of the style sheet: what it looks like, where it is no disc
};
struct Chart {
  std::string id;
  std::string kind;  // what the script knows it by: "roofline", "ecdf", "trace", "map", "lines"; "": it stays as it is
  std::string sentence;  // what it shows, for eyes and for screen readers
  std::string table;     // the id of the table with its figures
  std::vector<LegendEntry> legend{};
  std::function<std::string(double width)> draw;  // SVG for a page of this width
};

// One line of a source file, or a gap between lines that are shown.
struct ListedLine {
  int number = 0;  // 0: a gap; `text` says how long
  std::string text;
  double heat = 0;            // 0 to 1, by the counter that is shown first
  std::string count{};        // its value; empty: nothing was counted
  std::vector<Text> notes{};  // findings
  bool translated = false;    // PTX of this line is listed
};
struct Listing {
  std::string id;
  std::string file;
  std::string counter;  // shown first
  std::vector<ListedLine> lines;
};
// PTX in pieces that belong to one source line each.
struct Assembly {
  struct Piece {
    std::string listing;  // its id; empty: no line that is listed
    int line = 0;
    std::string text;
  };
  std::vector<Piece> pieces;
};

struct Code {
  std::string text;
};

struct Element;
struct Fold {
  Text summary;
  std::vector<Element> elements;
  bool open = false;
};

struct Element {
  std::variant<Paragraph, Table, Chart, Listing, Assembly, Code, Fold> content;
};

struct Section {
  std::string id;
  std::string title;
  std::vector<Element> elements;
};

}  // namespace assay::page
