// SPDX-License-Identifier: MIT
// Any bytes as a name in every medium: nothing may end the line, the cell or the element that it stands in.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/escape.hpp"
#include "require.hpp"

using namespace assay;
using fuzz::require;

namespace {

bool has_any(const std::string& text, std::string_view bytes) {
  return text.find_first_of(bytes) != std::string::npos;
}

bool has_controls(const std::string& text, std::string_view allowed = "") {
  return std::any_of(text.begin(), text.end(), [&](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return (byte < 0x20 || byte == 0x7F) && allowed.find(c) == std::string_view::npos;
  });
}

// Nothing that a terminal acts upon, and nothing left to escape.
void check_terminal(std::string_view text) {
  const std::string line = escape_terminal(text);
  require(!has_controls(line) && valid_utf8(line) == line && escape_terminal(line) == line);
  require(line.find("\xC2\x9B") == std::string::npos && line.find("\xE2\x80\xAE") == std::string::npos);
  const std::string lines = escape_lines(text);
  require(!has_controls(lines, "\n\t") && escape_lines(lines) == lines);
  require(std::count(lines.begin(), lines.end(), '\n') == std::count(text.begin(), text.end(), '\n'));
}

void check_markup(std::string_view text) {
  const std::string xml = escape_xml(text);
  require(!has_any(xml, "<>\"'") && !has_controls(xml) && valid_utf8(xml) == xml);
  const std::string markdown = escape_markdown(text);
  require(markdown.starts_with("<code>") && markdown.ends_with("</code>"));
  const std::string inside = markdown.substr(6, markdown.size() - 13);
  require(!has_any(inside, "<>|`*_[]@\\") && !has_controls(inside));
}

// One record of one line: the field, whatever it holds, reads back as one.
void check_csv(std::string_view text) {
  const std::string field = escape_csv(text);
  require(!has_controls(field));
  if (!field.starts_with('"')) {
    require(!has_any(field, ",\""));
    return;
  }
  require(field.size() >= 2 && field.ends_with('"'));
  const std::string inside = field.substr(1, field.size() - 2);
  for (size_t at = inside.find('"'); at != std::string::npos; at = inside.find('"', at + 2))
    require(inside.compare(at, 2, "\"\"") == 0);
}

void check_uri(std::string_view text) {
  const std::string path = escape_uri_path(text);
  require(!has_any(path, " ?#\"<>\\^`{|}") && !has_controls(path));
  require(path.find(':') == std::string::npos || path.find('/') < path.find(':'));
  std::string decoded;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path[i] != '%') {
      decoded += path[i];
      continue;
    }
    require(i + 2 < path.size());
    decoded += static_cast<char>(std::stoi(path.substr(i + 1, 2), nullptr, 16));
    i += 2;
  }
  require(decoded == text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require(valid_utf8(valid_utf8(text)) == valid_utf8(text));
  check_terminal(text);
  check_markup(text);
  check_csv(text);
  check_uri(text);
  return 0;
}
