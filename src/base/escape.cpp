// SPDX-License-Identifier: MIT
#include "base/escape.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

#include "base/text.hpp"

namespace assay {
namespace {

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool plain_in_markdown(char c) {
  return is_letter_or_digit(c) || c == ' ' || c == '-' || c == '=' || c == ',' || c == '/';
}

// The number of a valid character.
uint32_t code_point(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(character[i])); };
  switch (character.size()) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1FU) << 6 | (byte(1) & 0x3FU);
    case 3:
      return (byte(0) & 0x0FU) << 12 | (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);
    default:
      return (byte(0) & 0x07U) << 18 | (byte(1) & 0x3FU) << 12 | (byte(2) & 0x3FU) << 6 | (byte(3) & 0x3FU);
  }
}

// Invisible, and not without effect: controls, line and paragraph separators, marks of direction.
bool acts_on_a_terminal(uint32_t code) {
  return code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0x061C || code == 0x200E || code == 0x200F ||
         (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

// Calls `each` with every character, the replacement character where there is none.
template <class Each>
void for_each_character(std::string_view text, Each&& each) {
  while (!text.empty()) {
    const size_t length = character_length(text);
    each(length == 0 ? kReplacementCharacter : text.substr(0, length));
    text.remove_prefix(std::max<size_t>(1, length));
  }
}

std::string escape_controls(std::string_view text, std::string_view kept) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](std::string_view character) {
    const std::string escape =
        kept.find(character[0]) != std::string_view::npos ? std::string() : terminal_escape_of(character);
    result += escape.empty() ? character : escape;
  });
  return result;
}

std::string percent(char c) {
  return fmt::format("%{:02X}", static_cast<uint8_t>(c));
}

// "-1.5" begins like a formula and is none.
bool is_number(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= '0' && c <= '9') || std::string_view("+-.eE").find(c) != std::string_view::npos;
  });
}

}  // namespace

size_t character_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const uint8_t second = byte(1);
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
  if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
  return length;
}

std::string terminal_escape_of(std::string_view character) {
  switch (const uint32_t code = code_point(character)) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return acts_on_a_terminal(code) ? fmt::format("\\u{:04x}", code) : "";
  }
}

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](std::string_view character) { result += character; });
  return result;
}

std::string escape_terminal(std::string_view text) {
  return escape_controls(text, "");
}

std::string escape_lines(std::string_view text) {
  return escape_controls(text, "\n\t");
}

std::string escape_xml(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](std::string_view character) {
    switch (const uint32_t code = code_point(character)) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&apos;";
        break;
      case '\n':
      case '\r':
      case '\t':
        result += fmt::format("&#{};", code);
        break;
      default:
        // U+FFFE and U+FFFF are no characters of XML either; those from U+007F to U+009F are, but not to be seen.
        if (code < 0x20 || (code >= 0x7F && code <= 0x9F) || code == 0xFFFE || code == 0xFFFF) {
          result += kReplacementCharacter;
        } else {
          result += character;
        }
    }
  });
  return result;
}

std::string escape_html(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for_each_character(text, [&](std::string_view character) {
    switch (character[0]) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&#39;";
        break;
      case '\n':
      case '\t':
        result += character;
        break;
      default: {
        const std::string shown = terminal_escape_of(character);
        result += shown.empty() ? character : shown;
      }
    }
  });
  return result;
}

std::string escape_markdown(std::string_view text) {
  std::string result = "<code>";
  for_each_character(text, [&](std::string_view character) {
    const char first = character[0];
    if (first == '\n' || first == '\r' || first == '\t') {
      result += ' ';
    } else if (acts_on_a_terminal(code_point(character))) {
      result += kReplacementCharacter;
    } else if (character.size() > 1 || plain_in_markdown(first)) {
      result += character;
    } else {
      result += fmt::format("&#{};", static_cast<unsigned>(first));
    }
  });
  result += "</code>";
  return result;
}

std::string escape_csv(std::string_view text) {
  std::string field = escape_terminal(text);
  if (!field.empty() && std::string_view("=+-@").find(field[0]) != std::string_view::npos && !is_number(field))
    field.insert(0, "'");
  if (field.find_first_of(",;\"'") == std::string::npos) return field;
  return "\"" + replace_all(field, "\"", "\"\"") + "\"";
}

std::string escape_uri_path(std::string_view path) {
  std::string result;
  result.reserve(path.size());
  const size_t first_part = path.starts_with('/') ? 0 : path.find('/');
  for (size_t i = 0; i < path.size(); ++i) {
    const char c = path[i];
    const bool colon_is_plain = c == ':' && i > first_part;
    const bool plain = is_letter_or_digit(c) || std::string_view("-._~/").find(c) != std::string_view::npos;
    result += plain || colon_is_plain ? std::string(1, c) : percent(c);
  }
  return result;
}

}  // namespace assay
