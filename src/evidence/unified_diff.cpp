// SPDX-License-Identifier: MIT
#include "evidence/unified_diff.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::evidence {
namespace {

constexpr size_t kContext = 3;
constexpr int64_t kFurthest = 4000;  // edits that are searched for: memory grows with their square

using Lines = std::vector<std::string_view>;

struct Edit {
  char kind;  // ' ', '-' or '+'
  size_t before;
  size_t after;
};

// With their newlines: a last line without one is another line.
Lines lines_of(std::string_view text) {
  Lines lines;
  for (size_t start = 0; start < text.size();) {
    const size_t end = std::min(text.find('\n', start), text.size() - 1) + 1;
    lines.push_back(text.substr(start, end - start));
    start = end;
  }
  return lines;
}

std::vector<Edit> replaced(const Lines& a, const Lines& b) {
  std::vector<Edit> edits;
  for (size_t i = 0; i < a.size(); ++i) edits.push_back({'-', i, 0});
  for (size_t i = 0; i < b.size(); ++i) edits.push_back({'+', a.size(), i});
  return edits;
}

// The shortest way from one to the other (Myers 1986): for each number of edits, how far each diagonal comes.
std::vector<Edit> shortest_edits(const Lines& a, const Lines& b) {
  const auto n = static_cast<int64_t>(a.size()), m = static_cast<int64_t>(b.size());
  const int64_t most = std::min(n + m, kFurthest);
  const int64_t middle = most + 1;
  std::vector<int64_t> reach(static_cast<size_t>(2 * most + 3), 0);
  std::vector<std::vector<int64_t>> history;
  const auto at = [&](std::vector<int64_t>& row, int64_t k) -> int64_t& {
    return row[static_cast<size_t>(k + middle)];
  };
  const auto comes_from_above = [&](std::vector<int64_t>& row, int64_t d, int64_t k) {
    return k == -d || (k != d && at(row, k - 1) < at(row, k + 1));
  };
  int64_t needed = -1;
  for (int64_t d = 0; d <= most && needed < 0; ++d) {
    history.push_back(reach);
    for (int64_t k = -d; k <= d; k += 2) {
      int64_t x = comes_from_above(reach, d, k) ? at(reach, k + 1) : at(reach, k - 1) + 1;
      int64_t y = x - k;
      while (x < n && y < m && a[static_cast<size_t>(x)] == b[static_cast<size_t>(y)]) ++x, ++y;
      at(reach, k) = x;
      if (x >= n && y >= m) {
        needed = d;
        break;
      }
    }
  }
  if (needed < 0) return replaced(a, b);
  std::vector<Edit> edits;
  int64_t x = n, y = m;
  for (int64_t d = needed; d >= 0; --d) {
    std::vector<int64_t>& row = history[static_cast<size_t>(d)];
    const int64_t k = x - y;
    const int64_t from = comes_from_above(row, d, k) ? k + 1 : k - 1;
    const int64_t from_x = d == 0 ? 0 : at(row, from), from_y = d == 0 ? 0 : from_x - from;
    while (x > from_x && y > from_y) edits.push_back({' ', static_cast<size_t>(--x), static_cast<size_t>(--y)});
    if (d == 0) break;
    if (x == from_x) {
      edits.push_back({'+', static_cast<size_t>(x), static_cast<size_t>(--y)});
    } else {
      edits.push_back({'-', static_cast<size_t>(--x), static_cast<size_t>(y)});
    }
  }
  std::reverse(edits.begin(), edits.end());
  return edits;
}

// "12,5": the first line, from 1, and how many; of none, the line before.
std::string range_text(size_t first, size_t count) {
  return count == 1 ? fmt::format("{}", first + 1) : fmt::format("{},{}", count == 0 ? first : first + 1, count);
}

std::string hunk_text(const std::vector<Edit>& edits, size_t from, size_t to, const Lines& a, const Lines& b) {
  size_t before = 0, after = 0;
  std::string body;
  for (size_t i = from; i < to; ++i) {
    const Edit& edit = edits[i];
    const bool added = edit.kind == '+';
    before += added ? 0 : 1;
    after += edit.kind == '-' ? 0 : 1;
    const std::string_view line = added ? b[edit.after] : a[edit.before];
    body += fmt::format("{}{}", edit.kind, line);
    if (!line.ends_with('\n')) body += "\n\\ No newline at end of file\n";
  }
  return fmt::format("@@ -{} +{} @@\n{}", range_text(edits[from].before, before), range_text(edits[from].after, after),
                     body);
}

// As git tells them: a byte 0 in the beginning.
bool is_binary(std::string_view text) {
  return text.substr(0, 8000).find('\0') != text.npos;
}

std::string diff_of(std::string_view before, std::string_view after, const std::string& old_name,
                    const std::string& new_name) {
  if (before == after) return "";
  if (is_binary(before) || is_binary(after)) return fmt::format("Binary files {} and {} differ\n", old_name, new_name);
  const Lines a = lines_of(before), b = lines_of(after);
  const std::vector<Edit> edits = shortest_edits(a, b);
  std::string text = fmt::format("--- {}\n+++ {}\n", old_name, new_name);
  for (size_t i = 0; i < edits.size();) {
    if (edits[i].kind == ' ') {
      ++i;
      continue;
    }
    const size_t from = i > kContext ? i - kContext : 0;
    size_t last = i;  // the last change of this hunk
    for (size_t k = i; k < edits.size() && k <= last + 2 * kContext; ++k) {
      if (edits[k].kind != ' ') last = k;
    }
    const size_t to = std::min(last + kContext + 1, edits.size());
    text += hunk_text(edits, from, to, a, b);
    i = to;
  }
  return text;
}

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, const std::string& name) {
  const std::string shown = escape_terminal(name);
  return diff_of(before, after, "a/" + shown, "b/" + shown);
}

std::string unified_diff(const std::map<std::string, std::string>& before,
                         const std::map<std::string, std::string>& after) {
  std::map<std::string, std::pair<const std::string*, const std::string*>> files;
  for (const auto& [path, content] : before) files[path].first = &content;
  for (const auto& [path, content] : after) files[path].second = &content;
  std::string text;
  for (const auto& [path, contents] : files) {
    const std::string shown = escape_terminal(path);
    const auto& [old_content, new_content] = contents;
    text += diff_of(old_content ? *old_content : "", new_content ? *new_content : "",
                    old_content ? "a/" + shown : "/dev/null", new_content ? "b/" + shown : "/dev/null");
  }
  return text;
}

std::string unified_diff(const std::vector<ledger::SourceFile>& before, const std::vector<ledger::SourceFile>& after) {
  const auto by_path = [](const std::vector<ledger::SourceFile>& files) {
    std::map<std::string, std::string> found;
    for (const ledger::SourceFile& file : files) found[file.path] = file.content;
    return found;
  };
  return unified_diff(by_path(before), by_path(after));
}

}  // namespace assay::evidence
