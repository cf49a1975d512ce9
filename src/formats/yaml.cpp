// SPDX-License-Identifier: MIT
#include "formats/yaml.hpp"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"

namespace assay::formats {
namespace {

using nlohmann::ordered_json;

constexpr size_t kMostYamlBytes = size_t{4} << 20;
constexpr size_t kMostValue = size_t{64} << 10;  // of one that goes over several lines
constexpr int kMostYamlDepth = 40;
constexpr size_t kMostYamlMembers = 10'000;

struct Line {
  size_t indent = 0;
  std::string_view text;  // without the indentation; comments are still there
  int number = 0;
};

bool is_blank(std::string_view text) {
  const std::string_view rest = trim(text);
  return rest.empty() || rest[0] == '#';
}

// Without a comment: '#' at the beginning or behind a blank, outside of quotes.
std::string_view without_comment(std::string_view text) {
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == '\\' && quote == '"') ++i;
      if (c == quote) quote = 0;
    } else if ((c == '"' || c == '\'') &&
               (i == 0 || std::string_view(" \t[{,:").find(text[i - 1]) != std::string_view::npos)) {
      quote = c;
    } else if (c == '#' && (i == 0 || text[i - 1] == ' ' || text[i - 1] == '\t')) {
      return text.substr(0, i);
    }
  }
  return text;
}

ordered_json plain_scalar(std::string_view text) {
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  int64_t integer = 0;
  const char* const end = text.data() + text.size();
  if (const auto [stop, problem] = std::from_chars(text.data(), end, integer); problem == std::errc() && stop == end)
    return integer;
  const bool numeric = (text[0] >= '0' && text[0] <= '9') || text[0] == '-' || text[0] == '+' || text[0] == '.';
  double real = 0;
  const char* const begin = text.data() + (text[0] == '+' ? 1 : 0);
  if (numeric) {
    if (const auto [stop, problem] = std::from_chars(begin, end, real);
        problem == std::errc() && stop == end && std::isfinite(real))
      return real;
  }
  return valid_utf8(text);
}

class YamlReader {
 public:
  YamlReader(std::string_view text, std::string name) : name_(std::move(name)) {
    int number = 0;
    for (std::string_view line : split(text, '\n')) {
      ++number;
      if (line.ends_with('\r')) line.remove_suffix(1);
      Line entry;
      entry.number = number;
      while (entry.indent < line.size() && line[entry.indent] == ' ') ++entry.indent;
      entry.text = line.substr(entry.indent);
      lines_.push_back(entry);
    }
  }

  Result<ordered_json> whole() {
    skip_blank();
    if (at_ < lines_.size() && lines_[at_].indent == 0 && trim(lines_[at_].text) == "---") ++at_;
    skip_blank();
    if (at_ == lines_.size()) return Error{"there is nothing in it", Place{name_}};
    ordered_json value = block(lines_[at_].indent, 0);
    skip_blank();
    if (good() && at_ < lines_.size()) fail("this line belongs to nothing above it");
    if (error_) return *error_;
    return value;
  }

 private:
  bool good() const { return !error_; }
  void fail(const std::string& what) {
    if (error_) return;
    const int number = at_ < lines_.size() ? lines_[at_].number : lines_.empty() ? 1 : lines_.back().number;
    error_ = Error{what, Place{name_, number}};
  }
  void skip_blank() {
    while (at_ < lines_.size() && is_blank(lines_[at_].text)) ++at_;
  }
  void refuse_special(std::string_view text) {
    if (text.starts_with('&') || text.starts_with('*')) fail("anchors and aliases are not understood");
    if (text.starts_with('!')) fail("tags are not understood");
    if (text.starts_with('%')) fail("directives are not understood");
    if (text.starts_with('\t')) fail("a tab is no indentation");
    if (text == "---" || text == "...") fail("several documents in one file are not understood");
    if (text.starts_with("? ")) fail("keys that are no plain text are not understood");
  }

  static bool is_list_item(std::string_view text) { return text == "-" || text.starts_with("- "); }

  // Where the colon behind a key stands.
  static size_t key_end(std::string_view text) {
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote != 0) {
        if (c == '\\' && quote == '"') ++i;
        if (c == quote) quote = 0;
      } else if ((c == '"' || c == '\'') && i == 0) {
        quote = c;
      } else if (c == ':' && (i + 1 == text.size() || text[i + 1] == ' ')) {
        return i;
      } else if ((c == '[' || c == '{') && i == 0) {
        return std::string_view::npos;
      }
    }
    return std::string_view::npos;
  }

  // A mapping, a list or a scalar that begins at the current line, whose lines have at least this indentation.
  ordered_json block(size_t indent, int depth) {
    if (depth > kMostYamlDepth) fail("it is nested too deeply");
    if (!good() || at_ == lines_.size()) return nullptr;
    const std::string_view text = without_comment(lines_[at_].text);
    refuse_special(trim(text));
    if (!good()) return nullptr;
    if (is_list_item(text)) return list(indent, depth);
    if (key_end(text) != std::string_view::npos) return mapping(indent, depth);
    std::string joined = collect(text);
    return value_of(joined, indent, depth);
  }

  ordered_json list(size_t indent, int depth) {
    ordered_json values = ordered_json::array();
    while (good()) {
      skip_blank();
      if (at_ == lines_.size() || lines_[at_].indent != indent || !is_list_item(lines_[at_].text)) break;
      // What stands behind the dash is a block of its own, indented by so much.
      Line& line = lines_[at_];
      size_t offset = 1;
      while (offset < line.text.size() && line.text[offset] == ' ') ++offset;
      if (is_blank(line.text.substr(std::min(offset, line.text.size())))) {
        ++at_;
        skip_blank();
        const bool inside = at_ < lines_.size() && lines_[at_].indent > indent;
        values.push_back(inside ? block(lines_[at_].indent, depth + 1) : ordered_json(nullptr));
      } else {
        line.indent = indent + offset;
        line.text = line.text.substr(offset);
        values.push_back(block(line.indent, depth + 1));
      }
    }
    return values;
  }

  ordered_json mapping(size_t indent, int depth) {
    ordered_json values = ordered_json::object();
    while (good()) {
      skip_blank();
      if (at_ == lines_.size() || lines_[at_].indent != indent) break;
      const std::string_view text = without_comment(lines_[at_].text);
      refuse_special(trim(text));
      const size_t colon = key_end(text);
      if (colon == std::string_view::npos) {
        fail("expected 'key: value'");
        break;
      }
      const std::string key = key_text(trim(text.substr(0, colon)));
      const std::string_view rest = trim(text.substr(colon + 1));
      if (values.contains(key)) fail(fmt::format("'{}' is there twice", escape_terminal(key)));
      if (values.size() == kMostYamlMembers) fail("a mapping has too many members");
      if (!good()) break;
      values[key] = member(rest, indent, depth);
    }
    return values;
  }

  std::string key_text(std::string_view text) {
    if (text.starts_with('"') || text.starts_with('\'')) {
      const ordered_json value = value_of(std::string(text), 0, 0);
      return value.is_string() ? value.get<std::string>() : "";
    }
    return valid_utf8(text);
  }

  ordered_json member(std::string_view rest, size_t indent, int depth) {
    refuse_special(rest);
    if (!good()) return nullptr;
    if (rest.empty()) {
      ++at_;
      skip_blank();
      if (at_ == lines_.size()) return nullptr;
      // A list may stand as far left as its key.
      const bool inside =
          lines_[at_].indent > indent || (lines_[at_].indent == indent && is_list_item(lines_[at_].text));
      return inside ? block(lines_[at_].indent, depth + 1) : ordered_json(nullptr);
    }
    if (rest[0] == '|' || rest[0] == '>') return literal(rest, indent);
    const std::string joined = collect(rest);
    return value_of(joined, indent, depth);
  }

  // Text of several lines: `|` keeps the line ends, `>` makes blanks of them; '-' drops the last one, '+' keeps all.
  ordered_json literal(std::string_view header, size_t indent) {
    const bool folded = header[0] == '>';
    const bool strip = header.find('-') != std::string_view::npos;
    const bool keep = header.find('+') != std::string_view::npos;
    if (header.find_first_not_of("|>-+") != std::string_view::npos) fail("an indentation in figures is not understood");
    ++at_;
    std::optional<size_t> own;
    std::vector<std::string> parts;
    for (; good() && at_ < lines_.size(); ++at_) {
      const Line& line = lines_[at_];
      const bool empty = trim(line.text).empty();
      if (!empty && line.indent <= indent) break;
      if (!empty && !own) own = line.indent;
      if (!empty && line.indent < *own) break;
      parts.push_back(empty ? "" : std::string(line.indent - *own, ' ') + std::string(line.text));
    }
    size_t end = parts.size();
    while (end > 0 && parts[end - 1].empty()) --end;
    std::string text;
    for (size_t i = 0; i < end; ++i) {
      text += parts[i];
      const bool last = i + 1 == end;
      if (!last) text += folded && !parts[i].empty() && !parts[i + 1].empty() && parts[i + 1][0] != ' ' ? ' ' : '\n';
    }
    if (end > 0 && !strip) text += '\n';
    for (size_t i = end; keep && i < parts.size(); ++i) text += '\n';
    return valid_utf8(text);
  }

  // What begins here and may go on over further lines: a flow collection until it is closed, a quoted text likewise.
  std::string collect(std::string_view first) {
    const size_t begin = at_;
    std::string text(trim(first));
    ++at_;
    while (at_ < lines_.size() && !closed(text) && text.size() <= kMostValue) {
      text += " ";
      text += trim(without_comment(lines_[at_].text));
      ++at_;
    }
    if (closed(text)) return text;
    at_ = begin;  // for the place of the error
    fail(text.size() > kMostValue ? "a value is too long" : "a bracket or a quote is not closed");
    return text;
  }
  static bool closed(std::string_view text) {
    if (text.empty() || std::string_view("[{\"'").find(text[0]) == std::string_view::npos) return true;
    int depth = 0;
    char quote = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (quote != 0) {
        if (c == '\\' && quote == '"') {
          ++i;
        } else if (c == quote) {
          quote = 0;
        }
      } else if (c == '"' || c == '\'') {
        quote = c;
      } else if (c == '[' || c == '{') {
        ++depth;
      } else if (c == ']' || c == '}') {
        --depth;
      }
    }
    return depth <= 0 && quote == 0;
  }

  // --- on one line
  ordered_json value_of(const std::string& text, size_t, int depth) {
    size_t at = 0;
    ordered_json value = flow(text, at, depth, false);
    while (at < text.size() && text[at] == ' ') ++at;
    if (good() && at < text.size()) {
      if (at_ > 0) --at_;
      fail(fmt::format("'{}' is not expected here", escape_terminal(text.substr(at, 20))));
    }
    return value;
  }

  ordered_json flow(const std::string& text, size_t& at, int depth, bool inside) {
    if (depth > kMostYamlDepth) fail("it is nested too deeply");
    while (at < text.size() && text[at] == ' ') ++at;
    if (!good() || at == text.size()) return nullptr;
    if (text[at] == '[') return flow_list(text, at, depth);
    if (text[at] == '{') return flow_mapping(text, at, depth);
    if (text[at] == '"' || text[at] == '\'') return quoted(text, at);
    refuse_special(std::string_view(text).substr(at));
    const size_t begin = at;
    while (at < text.size()) {
      const char c = text[at];
      if (inside && (c == ',' || c == ']' || c == '}')) break;
      if (inside && c == ':' && (at + 1 == text.size() || text[at + 1] == ' ')) break;
      ++at;
    }
    return plain_scalar(trim(std::string_view(text).substr(begin, at - begin)));
  }

  ordered_json flow_list(const std::string& text, size_t& at, int depth) {
    ordered_json values = ordered_json::array();
    ++at;
    while (good()) {
      while (at < text.size() && text[at] == ' ') ++at;
      if (at < text.size() && text[at] == ']') break;
      values.push_back(flow(text, at, depth + 1, true));
      while (at < text.size() && text[at] == ' ') ++at;
      if (at < text.size() && text[at] == ',') {
        ++at;
      } else if (at == text.size() || text[at] != ']') {
        fail("',' or ']' is missing");
      }
    }
    if (at < text.size()) ++at;  // behind a mistake it may stand at the end
    return values;
  }

  ordered_json flow_mapping(const std::string& text, size_t& at, int depth) {
    ordered_json values = ordered_json::object();
    ++at;
    while (good()) {
      while (at < text.size() && text[at] == ' ') ++at;
      if (at < text.size() && text[at] == '}') break;
      const size_t begin = at;
      const ordered_json key = flow(text, at, depth + 1, true);
      if (!good()) break;
      const std::string word =
          key.is_string() ? key.get<std::string>() : valid_utf8(trim(std::string_view(text).substr(begin, at - begin)));
      while (at < text.size() && text[at] == ' ') ++at;
      if (at == text.size() || text[at] != ':') {
        fail("':' is missing behind a key");
        break;
      }
      ++at;
      if (values.size() == kMostYamlMembers || values.contains(word))
        fail("a key is there twice, or there are too many");
      values[word] = flow(text, at, depth + 1, true);
      while (at < text.size() && text[at] == ' ') ++at;
      if (at < text.size() && text[at] == ',') {
        ++at;
      } else if (at == text.size() || text[at] != '}') {
        fail("',' or '}' is missing");
      }
    }
    if (at < text.size()) ++at;  // behind a mistake it may stand at the end
    return values;
  }

  ordered_json quoted(const std::string& text, size_t& at) {
    const char quote = text[at++];
    std::string value;
    while (at < text.size()) {
      const char c = text[at++];
      if (c == quote) {
        if (quote == '\'' && at < text.size() && text[at] == '\'') {
          value += text[at++];
          continue;
        }
        return valid_utf8(value);
      }
      if (c != '\\' || quote == '\'' || at == text.size()) {
        value += c;
        continue;
      }
      const char escaped = text[at++];
      switch (escaped) {
        case 'n':
          value += '\n';
          break;
        case 't':
          value += '\t';
          break;
        case 'r':
          value += '\r';
          break;
        case '0':
          fail("a zero byte is no text");
          break;
        case '"':
        case '\\':
        case '/':
        case ' ':
          value += escaped;
          break;
        default:
          fail(fmt::format("the escape '\\{}' is not understood", escape_terminal(std::string(1, escaped))));
      }
      if (!good()) return nullptr;
    }
    fail("a quote is not closed");
    return nullptr;
  }

  std::string name_;
  std::vector<Line> lines_;
  size_t at_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<ordered_json> parse_yaml(std::string_view text, const std::string& name) {
  if (text.size() > kMostYamlBytes) return Error{"it is larger than 4 MiB", Place{name}};
  if (text.find('\0') != std::string_view::npos) return Error{"there is a zero byte in it", Place{name}};
  return YamlReader(text, name).whole();
}

}  // namespace assay::formats
