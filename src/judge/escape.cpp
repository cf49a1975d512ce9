// SPDX-License-Identifier: MIT
#include "judge/escape.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>

namespace assay::judge {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// The length of the character that starts the text; 0 if it is no valid one (overlong forms, surrogates and what is
// beyond U+10FFFF are not).
size_t character_length(std::string_view text) {
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

bool plain_in_markdown(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == ' ' || c == '-' ||
         c == '=' || c == ',' || c == '/';
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const size_t length = character_length(text);
    result += length == 0 ? kReplacement : text.substr(0, length);
    text.remove_prefix(std::max<size_t>(1, length));
  }
  return result;
}

std::string escape_xml(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  const std::string valid = valid_utf8(text);
  for (size_t i = 0; i < valid.size(); ++i) {
    const char c = valid[i];
    switch (c) {
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
        result += "&#10;";
        break;
      case '\r':
        result += "&#13;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20) {
          result += kReplacement;
        } else if (valid.compare(i, 3, "\xEF\xBF\xBE") == 0 || valid.compare(i, 3, "\xEF\xBF\xBF") == 0) {
          result += kReplacement;  // U+FFFE and U+FFFF are no characters of XML
          i += 2;
        } else {
          result += c;
        }
    }
  }
  return result;
}

std::string escape_markdown(std::string_view text) {
  std::string result = "<code>";
  for (const char c : valid_utf8(text)) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '\n' || c == '\r' || c == '\t') {
      result += ' ';
    } else if (byte < 0x20 || byte == 0x7F) {
      result += kReplacement;
    } else if (byte >= 0x80 || plain_in_markdown(c)) {
      result += c;
    } else {
      result += fmt::format("&#{};", static_cast<unsigned>(byte));
    }
  }
  result += "</code>";
  return result;
}

}  // namespace assay::judge
