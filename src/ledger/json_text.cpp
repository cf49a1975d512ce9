// SPDX-License-Identifier: MIT
#include "ledger/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay::ledger {
namespace {

constexpr size_t kSizeLimit = size_t{64} << 20;
constexpr int kDepthLimit = 200;

// The library prints recursively; text from a file must not choose how deep.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kDepthLimit) return true;
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return false;
}

nlohmann::json parsed(std::string_view text) {
  if (text.size() > kSizeLimit || is_too_deep(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace

Result<std::string> sorted_object(std::string_view what, std::string_view text) {
  const nlohmann::json document = parsed(text);
  if (!document.is_object()) return Error{fmt::format("an attempt's {} must be one JSON object", what)};
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

bool is_object(std::string_view text) {
  return parsed(text).is_object();
}

}  // namespace assay::ledger
