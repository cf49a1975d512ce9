// SPDX-License-Identifier: MIT
#include "spec/reader/prescan.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>

#include "spec/mistake.hpp"

namespace assay::spec {

namespace {

constexpr int kMaxDottedKey = 8;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// The bytes of the code point that begins here; nothing if it is not UTF-8.
std::optional<size_t> code_point_length(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t length = lead >= 0xf0 && lead < 0xf8   ? 4
                        : lead >= 0xe0 && lead < 0xf0 ? 3
                        : lead >= 0xc2 && lead < 0xe0 ? 2
                                                      : 0;
  if (length == 0 || text.size() < length) return std::nullopt;
  uint32_t value = lead & (0xffu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xc0) != 0x80) return std::nullopt;
    value = value << 6 | (byte & 0x3fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < kSmallest[length] || value > 0x10ffff || surrogate) return std::nullopt;
  return length;
}

class Prescan {
 public:
  explicit Prescan(std::string_view text) : text_(text), at_(text.starts_with(kByteOrderMark) ? 3 : 0) {}

  // The message, or nothing; at() is then where.
  std::optional<std::string> find() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        if (!string_may_begin()) return "a string cannot begin here";
        last_ = c;
        if (auto message = copy_string(c)) return message;
        at_line_start_ = false;
      } else if (c == '#') {
        if (auto message = copy_comment()) return message;
      } else if (auto message = look_at(c)) {
        return message;
      } else {
        ascii_ += c;
        ++at_;
      }
    }
    return std::nullopt;
  }

  size_t at() const { return at_; }
  std::string ascii() && { return std::move(ascii_); }

 private:
  std::optional<std::string> look_at(char c) {
    if (!is_ascii(c)) return "a character beyond ASCII outside strings and comments";
    if (c == '.' && ++dots_ > kMaxDottedKey) return fmt::format("the key has more than {} parts", kMaxDottedKey);
    if (c == '[' && at_line_start_ && open_ == 0 && !name_follows())
      return "'[' is not followed by the name of a section";
    if (c == '=' || c == ',' || c == '[' || c == ']' || c == '{' || c == '}' || c == '\n') dots_ = 0;
    if (c != ' ' && c != '\t' && c != '\r') last_ = c;
    if (c == '[' || c == '{') ++open_;
    if ((c == ']' || c == '}') && open_ > 0) --open_;
    at_line_start_ = c == '\n' || (at_line_start_ && (c == ' ' || c == '\t' || c == '\r'));
    return std::nullopt;
  }

  // A value or a quoted key.
  bool string_may_begin() const { return std::string_view("\n=,[{.").find(last_) != std::string_view::npos; }

  bool name_follows() const {
    size_t next = at_ + 1;
    if (next < text_.size() && text_[next] == '[') ++next;
    next = text_.find_first_not_of(" \t", next);
    if (next == std::string_view::npos) return false;
    const char c = text_[next];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '"' || c == '\'';
  }

  void copy(size_t count) {
    ascii_ += text_.substr(at_, count);
    at_ = std::min(at_ + count, text_.size());
  }

  std::optional<std::string> copy_beyond_ascii() {
    const auto length = code_point_length(text_.substr(at_));
    if (!length) return "not UTF-8";
    ascii_ += '?';
    at_ += *length;
    return std::nullopt;
  }

  std::optional<std::string> copy_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') {
      if (is_ascii(text_[at_])) {
        copy(1);
      } else if (auto message = copy_beyond_ascii()) {
        return message;
      }
    }
    return std::nullopt;
  }

  // Past the string that begins here.
  std::optional<std::string> copy_string(char quote) {
    const std::string triple(3, quote);
    const bool multi_line = text_.substr(at_).starts_with(triple);
    copy(multi_line ? 3 : 1);
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!is_ascii(c)) {
        if (auto message = copy_beyond_ascii()) return message;
      } else if (quote == '"' && c == '\\') {
        const size_t next = text_.find_first_not_of(" \t\r\n\v\f", at_ + 1);
        if (next != std::string_view::npos && !is_ascii(text_[next]))
          return "a character beyond ASCII follows a backslash";
        copy(2);
      } else if (multi_line && text_.substr(at_).starts_with(triple)) {
        copy(3);
        // Up to two quotes before the closing ones belong to the string.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) copy(1);
        return std::nullopt;
      } else if (!multi_line && c == '\n') {
        return std::nullopt;
      } else if (!multi_line && c == quote) {
        copy(1);
        return std::nullopt;
      } else {
        copy(1);
      }
    }
    return std::nullopt;
  }

  const std::string_view text_;
  size_t at_;
  std::string ascii_;
  int dots_ = 0;
  int open_ = 0;  // brackets and braces
  bool at_line_start_ = true;
  char last_ = '\n';  // the last character that is not a blank
};

// Columns count characters, as the library's do.
Place place_at(std::string_view text, size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const std::string_view line = before.substr(before.rfind('\n') + 1);  // npos + 1 is 0
  const auto characters =
      std::count_if(line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; });
  return Place{file, static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
               static_cast<int>(characters) + 1};
}

}  // namespace

Result<std::string> prescan(std::string_view text, const std::string& file_name) {
  Prescan scan(text);
  const auto message = scan.find();
  if (!message) return std::move(scan).ascii();
  return mistake(place_at(text, scan.at(), file_name), "not valid TOML: " + *message);
}

}  // namespace assay::spec
