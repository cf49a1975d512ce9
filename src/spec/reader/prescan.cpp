// SPDX-License-Identifier: MIT
#include "spec/reader/prescan.hpp"

#include <algorithm>
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
        if (!skip_string(c)) return "a character beyond ASCII follows a backslash";
        at_line_start_ = false;
      } else if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (auto message = look_at(c)) {
        return message;
      } else {
        ++at_;
      }
    }
    return std::nullopt;
  }

  size_t at() const { return at_; }

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

  // A value or a quoted key. Elsewhere the library would read what follows as bare text, where it takes only ASCII.
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

  // Past the string that begins here. False at a backslash that the library cannot take.
  bool skip_string(char quote) {
    const std::string triple(3, quote);
    const bool multi_line = text_.substr(at_).starts_with(triple);
    at_ += multi_line ? 3 : 1;
    while (at_ < text_.size()) {
      if (quote == '"' && text_[at_] == '\\') {
        const size_t next = text_.find_first_not_of(" \t\r\n\v\f", at_ + 1);
        if (next != std::string_view::npos && !is_ascii(text_[next])) return false;
        at_ += 2;
      } else if (multi_line && text_.substr(at_).starts_with(triple)) {
        at_ += 3;
        // Up to two quotes before the closing ones belong to the string.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return true;
      } else if (!multi_line && text_[at_] == '\n') {
        return true;
      } else if (!multi_line && text_[at_] == quote) {
        ++at_;
        return true;
      } else {
        ++at_;
      }
    }
    return true;
  }

  const std::string_view text_;
  size_t at_;
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

Result<void> prescan(std::string_view text, const std::string& file_name) {
  Prescan scan(text);
  const auto message = scan.find();
  if (!message) return {};
  return mistake(place_at(text, scan.at(), file_name), "not valid TOML: " + *message);
}

}  // namespace assay::spec
