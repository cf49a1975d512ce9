// SPDX-License-Identifier: MIT
#include "claims/document.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/text.hpp"
#include "claims/expression.hpp"

namespace assay::claims {
namespace {

constexpr std::string_view kOpening = "<!--claim";  // and a blank or a new line
constexpr std::string_view kClosing = "-->";

bool is_fence(std::string_view line) {
  return trim(line).starts_with("```") || trim(line).starts_with("~~~");
}

// By four blanks or more, as Markdown has it.
bool is_indented_code(std::string_view line) {
  return line.starts_with("    ");
}

// Where fenced and indented blocks and code within lines are, as blanks: nothing of it claims anything.
std::string without_code(std::string_view text) {
  std::string shown(text);
  bool fenced = false;
  for (size_t start = 0; start < shown.size();) {
    const size_t end = std::min(shown.find('\n', start), shown.size());
    const std::string_view line = text.substr(start, end - start);
    const bool fence = is_fence(line);
    const bool block = fenced || fence || is_indented_code(line);
    bool code = false;
    for (size_t i = start; i < end; ++i) {
      if (shown[i] == '`') code = !code;
      if (block || code) shown[i] = ' ';
    }
    fenced ^= fence;
    start = end + 1;
  }
  return shown;
}

int line_at(std::string_view text, size_t at) {
  return 1 + static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

// The text that a figure before `at` stands in: its paragraph or its cell, and nothing of an earlier comment.
std::string_view context_before(std::string_view text, size_t at) {
  size_t start = 0;
  const std::string_view before = text.substr(0, at);
  if (const size_t blank = before.rfind("\n\n"); blank != before.npos) start = std::max(start, blank + 2);
  if (const size_t comment = before.rfind(kClosing); comment != before.npos) start = std::max(start, comment + 3);
  const size_t line = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
  if (before.substr(line).starts_with('|')) {
    const size_t bar = before.rfind('|');
    start = std::max({start, line, bar + 1});
  }
  return before.substr(start);
}

std::vector<std::string> cells_of(std::string_view line) {
  line = trim(line);
  if (line.starts_with('|')) line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  std::vector<std::string> cells;
  for (const std::string_view cell : split(line, '|')) cells.emplace_back(trim(cell));
  return cells;
}

// The rows of the table that begins on the first line of `text` that is not blank; `line` is that of its beginning.
std::vector<Claim::Row> rows_below(std::string_view text, int line) {
  std::vector<Claim::Row> rows;
  size_t seen = 0;
  for (const std::string_view each : split(text, '\n')) {
    const std::string_view shown = trim(each);
    const int number = line++;
    if (shown.empty() && seen == 0) continue;
    if (!shown.starts_with('|')) break;
    if (++seen > 2) rows.push_back({number, cells_of(shown)});
  }
  return rows;
}

std::string without_comments(std::string_view text) {
  std::string shown;
  while (!text.empty()) {
    const size_t open = std::min(text.find("<!--"), text.size());
    shown += text.substr(0, open);
    const size_t close = text.find(kClosing, open);
    if (open == text.size() || close == text.npos) break;
    text.remove_prefix(close + kClosing.size());
  }
  return shown;
}

Result<Claim> read_claim(std::string_view text, size_t at, size_t end, const std::string& file) {
  Claim claim;
  claim.line = line_at(text, at);
  const Place place{file, claim.line, 1};
  std::string_view body = trim(text.substr(at + kOpening.size(), end - at - kOpening.size()));
  if (body.starts_with("table ")) claim.kind = Claim::Kind::table;
  if (body.starts_with("rows ")) claim.kind = Claim::Kind::rows;
  if (body.starts_with("numbers ")) claim.kind = Claim::Kind::numbers;
  if (claim.kind != Claim::Kind::figure) body = trim(body.substr(body.find(' ')));
  const size_t colon = std::min(body.find(": "), body.find(":\n"));
  if (colon == body.npos)
    return Error{"this claim names no source", place, "<!--claim FILE: EXPRESSION-->, or <!--claim attempt N: ...-->"};
  claim.source = trim(body.substr(0, colon));
  claim.expression = replace_all(std::string(trim(body.substr(colon + 2))), "\n", " ");
  if (claim.kind == Claim::Kind::figure) {
    const std::optional<Figure> figure = last_figure(context_before(text, at));
    if (!figure) return Error{"there is no figure before this claim", place, "the comment stands behind its figure"};
    claim.figure = *figure;
    return claim;
  }
  const size_t behind = end + kClosing.size();
  if (claim.kind == Claim::Kind::numbers) {
    const std::string_view rest = text.substr(behind);
    const size_t first = rest.find_first_not_of('\n');
    claim.below = without_comments(first == rest.npos ? "" : rest.substr(first, rest.find("\n\n", first) - first));
    if (trim(claim.below).empty()) return Error{"there is nothing below this claim", place};
    return claim;
  }
  claim.rows = rows_below(text.substr(behind), line_at(text, behind));
  if (claim.rows.empty()) return Error{"there is no table below this claim", place};
  return claim;
}

std::string number_text(double value) {
  return fmt::format("{:.6g}", value);
}

// --- tables

struct Part {
  bool is_expression = false;
  std::string text;
};

Result<std::vector<Part>> parts_of(const std::string& cell, const Place& place) {
  std::vector<Part> parts;
  for (size_t i = 0; i < cell.size();) {
    const size_t open = std::min(cell.find('{', i), cell.size());
    if (open > i) parts.push_back({false, cell.substr(i, open - i)});
    if (open == cell.size()) break;
    const size_t close = cell.find('}', open);
    if (close == cell.npos) return Error{"a '}' is missing in the row", place};
    parts.push_back({true, cell.substr(open + 1, close - open - 1)});
    i = close + 1;
  }
  return parts;
}

// How a cell compares with a recorded row.
struct Match {
  bool like = true;  // texts agree: it is the row that is meant
  size_t figures = 0;
  std::vector<std::pair<std::string, std::string>> differences;  // figure, recorded
};

bool is_plain_name(const std::string& text) {
  return !text.empty() && text.find_first_of("()[]+-*/. \"") == text.npos;
}

Result<void> match_cell(const std::vector<Part>& parts, const std::string& cell, const nlohmann::json& row,
                        Match& match) {
  size_t at = 0;
  const auto skip_blanks = [&] {
    while (at < cell.size() && cell[at] == ' ') ++at;
  };
  // A recorded row without this value: nothing may stand there.
  const bool missing = std::ranges::any_of(parts, [&](const Part& part) {
    return part.is_expression && is_plain_name(part.text) && !row.contains(part.text);
  });
  if (missing) {
    match.like = match.like && cell.empty();
    return {};
  }
  for (const Part& part : parts) {
    skip_blanks();
    if (!part.is_expression) {
      const std::string literal(trim(part.text));
      match.like = match.like && cell.compare(at, literal.size(), literal) == 0;
      at += literal.size();
    } else if (is_plain_name(part.text) && row[part.text].is_string()) {
      const auto& wanted = row[part.text].get_ref<const std::string&>();
      match.like = match.like && cell.compare(at, wanted.size(), wanted) == 0;
      at += wanted.size();
    } else {
      ASSAY_TRY(const double value, evaluate(part.text, row));
      const std::optional<Figure> figure = figure_at(cell, std::min(at, cell.size()));
      match.like = match.like && figure.has_value();
      if (!figure) return {};
      ++match.figures;
      if (!figure->agrees(value)) match.differences.emplace_back(figure->text, number_text(value));
      at += figure->text.size();
    }
    if (!match.like || at > cell.size()) {
      match.like = false;
      return {};
    }
  }
  skip_blanks();
  match.like = match.like && at == cell.size();
  return {};
}

Result<CheckedClaim> check_table(const Claim& claim, const nlohmann::json& recorded, const std::string& file) {
  const Place place{file, claim.line, 1};
  if (!recorded.is_array()) return Error{claim.source + " is no table", place};
  std::vector<std::vector<Part>> cells;
  for (const std::string& cell : cells_of(claim.expression)) {
    ASSAY_TRY(std::vector<Part> parts, parts_of(cell, place));
    cells.push_back(std::move(parts));
  }
  CheckedClaim checked;
  std::set<size_t> shown;
  for (const Claim::Row& row : claim.rows) {
    if (row.cells.size() != cells.size())
      return Error{fmt::format("the row has {} cells, the claim {}", row.cells.size(), cells.size()),
                   {file, row.line, 1}};
    std::optional<std::pair<size_t, Match>> best;
    for (size_t i = 0; i < recorded.size(); ++i) {
      Match match;
      for (size_t k = 0; k < cells.size() && match.like; ++k) {
        if (auto matched = match_cell(cells[k], row.cells[k], recorded[i], match); !matched) {
          Error error = matched.error();
          error.place = place;
          return error;
        }
      }
      if (!match.like) continue;
      if (!best || match.differences.size() < best->second.differences.size()) best = {i, std::move(match)};
    }
    if (!best) {
      checked.disagreements.push_back({row.line, join(row.cells, " | "), "no recorded row is like that"});
      continue;
    }
    shown.insert(best->first);
    checked.figures += best->second.figures;
    for (const auto& [figure, value] : best->second.differences)
      checked.disagreements.push_back({row.line, figure, value});
  }
  for (size_t i = 0; claim.kind == Claim::Kind::table && i < recorded.size(); ++i) {
    if (!shown.contains(i))
      checked.disagreements.push_back({claim.line, "nothing", "a row that the table lacks: " + recorded[i].dump()});
  }
  return checked;
}

Result<CheckedClaim> check_numbers(const Claim& claim, const nlohmann::json& recorded) {
  ASSAY_TRY(const std::vector<double> values, numbers_at(claim.expression, recorded));
  const std::vector<Figure> figures = figures_in(claim.below);
  CheckedClaim checked;
  checked.figures = values.size();
  for (const double value : values) {
    const bool there = std::ranges::any_of(figures, [&](const Figure& figure) { return figure.agrees(value); });
    if (!there) checked.disagreements.push_back({claim.line, "nothing of the kind is below", number_text(value)});
  }
  return checked;
}

Error placed(Error error, const Claim& claim, const std::string& file) {
  error.place = {file, claim.line, 1};
  error.hint = fmt::format("in the claim '{}: {}'", claim.source, claim.expression);
  return error;
}

}  // namespace

Result<std::vector<Claim>> find_claims(std::string_view text, const std::string& file) {
  const std::string shown = without_code(text);
  std::vector<Claim> claims;
  for (size_t at = shown.find(kOpening); at != shown.npos; at = shown.find(kOpening, at + 1)) {
    const size_t behind_word = at + kOpening.size();
    if (behind_word < shown.size() && shown[behind_word] != ' ' && shown[behind_word] != '\n') continue;
    const size_t end = shown.find(kClosing, at);
    if (end == shown.npos) return Error{"this comment has no end", {file, line_at(shown, at), 1}};
    ASSAY_TRY(Claim claim, read_claim(shown, at, end, file));
    // Code within the table is a part of it.
    if (claim.kind == Claim::Kind::table || claim.kind == Claim::Kind::rows) {
      const size_t behind = end + kClosing.size();
      claim.rows = rows_below(text.substr(behind), line_at(text, behind));
    }
    claims.push_back(std::move(claim));
  }
  return claims;
}

Result<CheckedClaim> check_claim(const Claim& claim, const nlohmann::json& recorded, const std::string& file) {
  if (claim.kind == Claim::Kind::numbers) {
    auto checked = check_numbers(claim, recorded);
    return checked ? std::move(checked) : placed(checked.error(), claim, file);
  }
  if (claim.kind != Claim::Kind::figure) return check_table(claim, recorded, file);
  const auto value = evaluate(claim.expression, recorded);
  if (!value) return placed(value.error(), claim, file);
  CheckedClaim checked;
  checked.figures = 1;
  if (!claim.figure.agrees(*value))
    checked.disagreements.push_back({claim.line, claim.figure.text, number_text(*value)});
  return checked;
}

}  // namespace assay::claims
