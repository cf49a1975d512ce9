// SPDX-License-Identifier: MIT
#include "page/html.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

#include "base/escape.hpp"

namespace assay::page {
namespace {

// Charts are drawn for the two widths between which a browser may scale them without making their text too small.
constexpr double kWide = 760;
constexpr double kNarrow = 330;

std::string_view class_of(Tone tone) {
  switch (tone) {
    case Tone::good:
      return "good";
    case Tone::bad:
      return "bad";
    case Tone::warning:
      return "warning";
    case Tone::quiet:
      return "quiet";
    case Tone::plain:
      break;
  }
  return "";
}

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, escape_html(value));
}

bool is_date(std::string_view text) {
  constexpr std::string_view kPattern = "0000-00-00";
  if (text.size() < kPattern.size()) return false;
  for (size_t i = 0; i < kPattern.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kPattern[i] == '0' ? !digit : text[i] != kPattern[i]) return false;
  }
  return true;
}

// Words may be cut after a comma or a slash, between a date and its time, and long names after an underscore. What has
// no such place for long may be cut anywhere.
std::string breakable(const std::string& text) {
  constexpr size_t kDate = 10;
  constexpr size_t kLongName = 20;
  std::string out;
  size_t word_end = 0;
  bool long_name = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (is_date(std::string_view(text).substr(i))) {
      out += fmt::format("<span class=\"date\">{}</span><wbr>", text.substr(i, kDate));
      i += kDate - 1;
      continue;
    }
    if (i >= word_end) {
      word_end = std::min(text.find_first_of(" ,/", i), text.size());
      long_name = word_end - i > kLongName;
      ++word_end;
    }
    out += text[i];
    if (long_name && text[i] == '_' && i + 2 < word_end && text[i + 1] != '_') out += "<wbr>";
    const bool place = (text[i] == ',' || text[i] == '/') && i + 1 < text.size() && text[i + 1] != ' ' &&
                       text[i + 1] != '<' && !(text[i + 1] >= '0' && text[i + 1] <= '9');
    if (place) out += "<wbr>";
  }
  return out;
}

bool has_long_word(const Text& text) {
  constexpr size_t kLong = 24;
  for (const Span& span : text) {
    size_t start = 0;
    for (size_t i = 0; i <= span.text.size(); ++i) {
      if (i < span.text.size() && std::string_view(" ,/").find(span.text[i]) == std::string_view::npos) continue;
      if (i - start > kLong) return true;
      start = i + 1;
    }
  }
  return false;
}

// A figure with its unit stays in one line; one with its interval may take several.
constexpr size_t kOneLine = 14;
size_t length(const Text& text) {
  size_t sum = 0;
  for (const Span& span : text) sum += span.text.size();
  return sum;
}

using Ids = std::set<std::string>;

// `ids`: what can be linked to; null: anything.
std::string html(const Span& span, const Ids* ids) {
  std::string text = breakable(escape_html(span.text));
  const std::string_view tone = class_of(span.tone);
  switch (span.kind) {
    case Span::Kind::code:
      text = fmt::format("<code{}>{}</code>", attribute("class", tone), text);
      break;
    case Span::Kind::strong:
      text = fmt::format("<strong{}>{}</strong>", attribute("class", tone), text);
      break;
    case Span::Kind::word:
      text = fmt::format("<span class=\"word\">{}</span>", text);
      break;
    case Span::Kind::plain:
      if (!tone.empty()) text = fmt::format("<span class=\"{}\">{}</span>", tone, text);
  }
  const bool linked = !span.target.empty() && (ids == nullptr || ids->contains(span.target));
  return !linked ? text : fmt::format("<a href=\"#{}\">{}</a>", escape_html(span.target), text);
}

std::string html(const Text& text, const Ids* ids) {
  std::string out;
  for (const Span& span : text) out += html(span, ids);
  return out;
}

// The ids that the elements will have.
class Collector {
 public:
  explicit Collector(Ids& ids) : ids_(ids) {}

  void operator()(const Table& table) { ids_.insert(table.id); }
  void operator()(const Chart& chart) { ids_.insert(chart.id); }
  void operator()(const Listing& listing) {
    for (const ListedLine& line : listing.lines) ids_.insert(fmt::format("{}L{}", listing.id, line.number));
  }
  void operator()(const Fold& fold) {
    for (const Element& element : fold.elements) std::visit(*this, element.content);
  }
  template <class Other>
  void operator()(const Other&) {}

 private:
  Ids& ids_;
};

class HtmlWriter {
 public:
  explicit HtmlWriter(const Ids& ids) : ids_(ids) {}

  std::string take() { return std::move(out_); }

  void operator()(const Paragraph& paragraph) {
    out_ += fmt::format("<p{}>{}</p>\n", attribute("class", class_of(paragraph.tone)), text(paragraph.text));
  }

  // The roles keep it a table for screen readers where a narrow page shows its rows as cards.
  void operator()(const Table& table) {
    out_ += fmt::format(
        "<div class=\"table{}\"><table role=\"table\" id=\"{}\"><caption>{}</caption><thead role=\"rowgroup\"><tr "
        "role=\"row\">",
        table.columns.size() >= 7 ? " broad" : "", escape_html(table.id), escape_html(table.caption));
    for (const Column& column : table.columns) {
      const bool is_long = has_long_word(plain(column.name));
      out_ += fmt::format("<th role=\"columnheader\" scope=\"col\"{}>{}</th>",
                          column.number ? " class=\"number\""
                          : is_long     ? " class=\"long\""
                                        : "",
                          is_long ? breakable(escape_html(column.name)) : escape_html(column.name));
    }
    out_ += "</tr></thead><tbody role=\"rowgroup\">\n";
    for (size_t i = 0; i < table.rows.size(); ++i) row(table, i);
    out_ += "</tbody></table></div>\n";
  }

  void operator()(const Chart& chart) {
    out_ += fmt::format("<figure id=\"{}\"{}>", escape_html(chart.id), attribute("data-chart", chart.kind));
    for (const auto& [name, width] : {std::pair{"wide", kWide}, {"narrow", kNarrow}}) {
      std::string drawn = chart.draw(width);
      drawn.insert(4, fmt::format(" class=\"{}\" role=\"img\" aria-label=\"{}\"", name, escape_html(chart.sentence)));
      out_ += drawn;
    }
    if (!chart.legend.empty()) {
      out_ += "<ul class=\"legend\">";
      for (const LegendEntry& entry : chart.legend)
        out_ += fmt::format("<li class=\"c{}{}{}\">{}</li>", entry.colour, entry.hollow ? " hollow" : "",
                            entry.mark.empty() ? "" : " mark " + entry.mark, escape_html(entry.name));
      out_ += "</ul>";
    }
    out_ += fmt::format("<figcaption>{}", escape_html(chart.sentence));
    if (!chart.table.empty())
      out_ += fmt::format(" <a href=\"#{}\">The figures as a table.</a>", escape_html(chart.table));
    out_ += "</figcaption></figure>\n";
  }

  void operator()(const Listing& listing) {
    const std::string id = escape_html(listing.id);
    out_ += fmt::format(
        "<div class=\"listing{}\" id=\"{}\"><table role=\"table\"><caption>{}</caption><thead><tr>"
        "<th scope=\"col\" class=\"number\">line</th><th scope=\"col\" class=\"number\" data-counter>{}</th>"
        "<th scope=\"col\">source</th></tr></thead><tbody>\n",
        listing.counter.empty() ? " uncounted" : "", id, escape_html(listing.file), escape_html(listing.counter));
    listed_columns_ = listing.counter.empty() ? 2 : 3;
    for (const ListedLine& line : listing.lines) listed(id, line);
    out_ += "</tbody></table></div>\n";
  }

  void operator()(const Assembly& assembly) {
    out_ += "<div class=\"ptx\" tabindex=\"0\" role=\"region\" aria-label=\"PTX, by source line\">";
    for (const Assembly::Piece& piece : assembly.pieces) {
      const bool placed = !piece.listing.empty();
      out_ += placed ? fmt::format("<div class=\"k{}\" data-line=\"{}L{}\"><a href=\"#{}L{}\">{}</a>", piece.line % 6,
                                   escape_html(piece.listing), piece.line, escape_html(piece.listing), piece.line,
                                   piece.line)
                     : std::string("<div><span></span>");
      out_ += fmt::format("<pre>{}</pre></div>\n", escape_html(piece.text));
    }
    out_ += "</div>\n";
  }

  void operator()(const Code& code) {
    out_ += fmt::format("<pre class=\"command\">{}</pre>\n", escape_html(code.text));
  }

  void operator()(const Fold& fold) {
    out_ += fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", fold.open ? " open" : "",
                        text(fold.summary), elements(fold.elements));
  }

 private:
  std::string text(const Text& of) const { return html(of, &ids_); }
  std::string elements(const std::vector<Element>& list) const {
    HtmlWriter inner(ids_);
    for (const Element& element : list) std::visit(inner, element.content);
    return inner.take();
  }

  void row(const Table& table, size_t index) {
    const std::vector<Cell>& cells = table.rows[index];
    std::string classes;
    if (index < table.bands.size()) classes = fmt::format(" class=\"band{}\"", table.bands[index] % 2);
    out_ += fmt::format("<tr role=\"row\"{}{}>", classes, attribute("id", cells.empty() ? "" : cells.front().id));
    for (size_t i = 0; i < cells.size(); ++i) {
      const Cell& cell = cells[i];
      const Column& column = table.columns[i];
      std::string attributes;
      std::vector<std::string_view> classes_of_cell;
      if (column.number) classes_of_cell.push_back("number");
      if (column.number && length(cell.text) > kOneLine) classes_of_cell.push_back("lines");
      if (has_long_word(cell.text)) classes_of_cell.push_back("long");
      if (!classes_of_cell.empty()) attributes += fmt::format(" class=\"{}\"", fmt::join(classes_of_cell, " "));
      if (cell.order) attributes += fmt::format(" data-order=\"{}\"", *cell.order);
      if (cell.bar) attributes += fmt::format(" style=\"--bar:{:.1f}%\"", 100 * *cell.bar);
      const char* tag = i == 0 ? "th" : "td";
      const char* role = i == 0 ? " role=\"rowheader\" scope=\"row\"" : " role=\"cell\"";
      // On a narrow page the column's name stands beside the cell: what it holds stays together.
      const std::string held = text(cell.text);
      const bool several = cell.text.size() > 1 || held.find("<wbr>") != std::string::npos;
      out_ += fmt::format("<{}{}{}{}>{}{}{}</{}>", tag, role, attribute("data-name", column.name), attributes,
                          several ? "<span>" : "", held, several ? "</span>" : "", tag);
    }
    out_ += "</tr>\n";
  }

  void listed(const std::string& id, const ListedLine& line) {
    if (line.number == 0) {
      out_ +=
          fmt::format("<tr class=\"gap\"><td colspan=\"{}\">{}</td></tr>\n", listed_columns_, escape_html(line.text));
      return;
    }
    out_ += fmt::format("<tr id=\"{}L{}\"", id, line.number);
    if (line.heat > 0) out_ += fmt::format(" style=\"--heat:{:.0f}%\"", 100 * line.heat);
    out_ += line.translated ? fmt::format(" class=\"k{}\"><td>", line.number % 6) : "><td>";
    out_ += fmt::format("{}</td><td>{}</td><td><code>{}</code></td></tr>\n", line.number, line.count,
                        escape_html(line.text));
    for (const Text& note : line.notes)
      out_ += fmt::format("<tr class=\"note\"><td colspan=\"{}\">{}</td></tr>\n", listed_columns_, text(note));
  }

  const Ids& ids_;
  std::string out_;
  int listed_columns_ = 3;  // that are shown of the listing at hand
};

}  // namespace

std::string html(const Text& text) {
  return html(text, nullptr);
}

std::string html(const std::vector<Section>& sections) {
  Ids ids;
  Collector collector(ids);
  for (const Section& section : sections) {
    ids.insert(section.id);
    for (const Element& element : section.elements) std::visit(collector, element.content);
  }
  std::string out;
  for (const Section& section : sections) {
    HtmlWriter writer(ids);
    for (const Element& element : section.elements) std::visit(writer, element.content);
    out +=
        fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
                    escape_html(section.id), escape_html(section.title), writer.take());
  }
  return out;
}

}  // namespace assay::page
