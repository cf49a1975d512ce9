// SPDX-License-Identifier: MIT
#include "ptx/debug_strings.hpp"

#include "ptx/demangle.hpp"
#include "ptx/lexer.hpp"
#include "ptx/literal.hpp"

namespace assay::ptx {
namespace {

int element_bytes(const Token& token) {
  if (token.is_directive("b8")) return 1;
  if (token.is_directive("b16")) return 2;
  if (token.is_directive("b32")) return 4;
  return token.is_directive("b64") ? 8 : 0;
}

}  // namespace

DebugStrings::DebugStrings(const Module& module) {
  for (const ModuleItem& item : module.items) {
    const auto* section = std::get_if<DebugSection>(&item);
    if (section && section->name == ".debug_str") add_section(section->content);
  }
}

// Data that is not a list of integers ends the section's strings: they are an aid, not worth an error.
void DebugStrings::add_section(std::string_view content) {
  Lexer lexer(content);
  for (Token token = lexer.next(); !token.is(TokenKind::end);) {
    if (token.is(TokenKind::name)) {
      starts_.emplace(token.text, bytes_.size());
      token = lexer.next();
      if (!token.is(':')) return;
      token = lexer.next();
      continue;
    }
    const int width = element_bytes(token);
    if (width == 0) return;
    do {
      token = lexer.next();
      const auto value = token.is(TokenKind::integer) ? integer_value(token.text) : std::nullopt;
      if (!value) return;
      for (int byte = 0; byte < width; ++byte) bytes_ += static_cast<char>((value->bits >> (8 * byte)) & 0xff);
      token = lexer.next();
    } while (token.is(','));
  }
}

std::optional<std::string> DebugStrings::at(const std::string& label, int64_t offset) const {
  const auto found = starts_.find(label);
  if (found == starts_.end()) return std::nullopt;
  const auto limit = static_cast<int64_t>(bytes_.size());
  const auto start = static_cast<int64_t>(found->second);
  if (offset < -start || offset >= limit - start) return std::nullopt;
  const auto first = static_cast<size_t>(start + offset);
  return bytes_.substr(first, bytes_.find('\0', first) - first);
}

std::string DebugStrings::function_of(const Location& location) const {
  if (!location.inlined_at) return "";
  const auto name = at(location.inlined_at->function_label, location.inlined_at->function_offset);
  return name ? demangle(*name) : "";
}

std::map<std::string, std::string> DebugStrings::by_label() const {
  std::map<std::string, std::string> result;
  for (const auto& [label, start] : starts_) result.emplace(label, at(label).value_or(""));
  return result;
}

}  // namespace assay::ptx
