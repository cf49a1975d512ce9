// SPDX-License-Identifier: MIT
#include "page/markdown.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::page {
namespace {

constexpr size_t kRows = 40;         // of one table
constexpr size_t kListedLines = 10;  // of a listing: those that cost most

bool is_plain(std::string_view word) {
  // What ends a sentence means nothing to Markdown at the end of a word, nor does the point of a number.
  for (size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || std::string_view(",;=+-%/()'?").find(c) != std::string_view::npos) continue;
    const bool last = i + 1 == word.size() || std::string_view(")").find(word[i + 1]) != std::string_view::npos;
    const bool in_number =
        i > 0 && !last && word[i - 1] >= '0' && word[i - 1] <= '9' && word[i + 1] >= '0' && word[i + 1] <= '9';
    if ((c == '.' || c == ':') && (i > 0 || word.size() == 1) && (last || in_number)) continue;
    return false;
  }
  return true;
}

// Plain words stay words; one that could mean something to Markdown becomes a code element.
std::string word(const std::string& text) {
  std::string out;
  for (const std::string_view part : split(text, ' ')) {
    if (part.data() != text.data()) out += ' ';
    // A list, a heading and a rule begin with what is harmless inside.
    const bool begins = out.empty() && part.find_first_of("-+=") == 0;
    out += part.empty() || (is_plain(part) && !begins) ? std::string(part) : escape_markdown(part);
  }
  return out;
}

std::string inline_text(const Text& text) {
  std::string out;
  for (const Span& span : text) {
    const std::string shown = span.kind == Span::Kind::code ? escape_markdown(span.text) : word(span.text);
    const bool bold = span.kind == Span::Kind::strong && shown.find_first_not_of(' ') != std::string::npos;
    out += bold ? "**" + shown + "**" : shown;
  }
  return out;
}

class MarkdownWriter {
 public:
  std::string take() { return std::move(out_); }

  void operator()(const Paragraph& paragraph) { out_ += inline_text(paragraph.text) + "\n\n"; }

  void operator()(const Table& table) {
    if (table.rows.empty() || table.page_only) return;
    // It says what the figures are: measured, counted, estimated.
    if (!table.caption.empty()) out_ += fmt::format("*{}*\n\n", inline_text(plain(table.caption)));
    std::string rule = "|";
    out_ += "|";
    for (const Column& column : table.columns) {
      out_ += " " + word(column.name) + " |";
      rule += column.number ? "---:|" : "---|";
    }
    out_ += "\n" + rule + "\n";
    for (size_t i = 0; i < std::min(kRows, table.rows.size()); ++i) {
      out_ += "|";
      for (const Cell& cell : table.rows[i]) out_ += " " + inline_text(cell.text) + " |";
      out_ += "\n";
    }
    if (table.rows.size() > kRows) out_ += fmt::format("\n{} more rows are on the page.\n", table.rows.size() - kRows);
    out_ += "\n";
  }

  void operator()(const Chart&) {}  // its table is there

  void operator()(const Listing& listing) {
    std::vector<const ListedLine*> lines;
    for (const ListedLine& line : listing.lines) {
      if (line.number > 0 && (line.heat > 0 || !line.notes.empty())) lines.push_back(&line);
    }
    if (lines.empty()) return;
    std::ranges::stable_sort(lines, [](const ListedLine* a, const ListedLine* b) { return a->heat > b->heat; });
    if (lines.size() > kListedLines) lines.resize(kListedLines);
    out_ += fmt::format("| {} line | {} | source |\n|---:|---:|---|\n", escape_markdown(listing.file),
                        word(listing.counter.empty() ? "counted" : listing.counter));
    for (const ListedLine* line : lines)
      out_ += fmt::format("| {} | {} | {} |\n", line->number, line->count, escape_markdown(trim(line->text)));
    out_ += "\n";
  }

  void operator()(const Assembly&) {}

  void operator()(const Code& code) {
    for (const std::string_view line : split(code.text, '\n')) out_ += escape_markdown(line) + "\n";
    out_ += "\n";
  }

  void operator()(const Fold& fold) {
    MarkdownWriter inner;
    for (const Element& element : fold.elements) std::visit(inner, element.content);
    const std::string content = inner.take();
    if (content.empty()) return;
    out_ += fmt::format("<details><summary>{}</summary>\n\n{}</details>\n\n", inline_text(fold.summary), content);
  }

 private:
  std::string out_;
};

}  // namespace

std::string markdown(const std::string& title, const Text& verdict, const std::vector<Section>& sections,
                     size_t limit) {
  std::string out = fmt::format("## {}\n\n{}\n\n", word(title), inline_text(verdict));
  std::vector<std::string> left_out;
  for (const Section& section : sections) {
    MarkdownWriter writer;
    for (const Element& element : section.elements) std::visit(writer, element.content);
    const std::string content = writer.take();
    if (content.empty()) continue;
    const std::string part = fmt::format("### {}\n\n{}", word(section.title), content);
    if (out.size() + part.size() + 200 > limit) {
      left_out.push_back(section.title);
    } else {
      out += part;
    }
  }
  if (!left_out.empty()) out += fmt::format("Omitted for length: {}. The page has them.\n", join(left_out, ", "));
  return out;
}

}  // namespace assay::page
