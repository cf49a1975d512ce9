// SPDX-License-Identifier: MIT
#include "ptx/debug_bytes.hpp"

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

class DebugSectionReader {
 public:
  DebugSectionReader(std::string_view content, DebugBytes& result) : lexer_(content), result_(result) { advance(); }

  void read() {
    while (!token_.is(TokenKind::end)) {
      if (token_.is(TokenKind::name)) {
        result_.labels.emplace(token_.text, result_.bytes.size());
        advance();
        if (!token_.is(':')) return;
        advance();
        continue;
      }
      const int width = element_bytes(token_);
      if (width == 0) return;
      do {
        advance();
        if (!element(width)) return;
      } while (token_.is(','));
    }
  }

 private:
  void advance() { token_ = lexer_.next(); }

  // "12", "-1", "label", ".section", "label+4"; of the difference of two labels, which is a length, nothing is known.
  bool element(int width) {
    uint64_t bits = 0;
    std::string name;
    if (token_.is(TokenKind::name) || (token_.is(TokenKind::directive) && element_bytes(token_) == 0)) {
      if (width < 4) return false;  // no place fits into so few bytes
      name = token_.text;
      advance();
      if (!token_.is('+') && !token_.is('-')) return put(width, 0, std::move(name));
    }
    const bool negative = token_.is('-');
    if (negative || token_.is('+')) advance();
    if (token_.is(TokenKind::name)) {
      advance();
      return put(width, 0, "");
    }
    const auto value = token_.is(TokenKind::integer) ? integer_value(token_.text) : std::nullopt;
    if (!value) return false;
    bits = negative ? 0 - value->bits : value->bits;
    advance();
    return put(width, bits, std::move(name));
  }

  bool put(int width, uint64_t bits, std::string name) {
    if (!name.empty()) {
      result_.references.push_back({result_.bytes.size(), width, std::move(name), static_cast<int64_t>(bits)});
      bits = 0;
    }
    for (int byte = 0; byte < width; ++byte) result_.bytes += static_cast<char>((bits >> (8 * byte)) & 0xff);
    return true;
  }

  Lexer lexer_;
  Token token_;
  DebugBytes& result_;
};

}  // namespace

DebugBytes debug_bytes(const Module& module, std::string_view section) {
  DebugBytes result;
  for (const ModuleItem& item : module.items) {
    const auto* found = std::get_if<DebugSection>(&item);
    if (found != nullptr && found->name == section) DebugSectionReader(found->content, result).read();
  }
  return result;
}

}  // namespace assay::ptx
