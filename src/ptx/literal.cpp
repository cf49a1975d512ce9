// SPDX-License-Identifier: MIT
#include "ptx/literal.hpp"

#include <bit>
#include <charconv>
#include <system_error>

namespace assay::ptx {
namespace {

std::optional<uint64_t> digits(std::string_view text, int base) {
  uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value, base);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return value;
}

bool has_prefix(std::string_view text, char lower) {
  return text.size() > 2 && text[0] == '0' && (text[1] | 0x20) == lower;
}

}  // namespace

std::optional<IntegerValue> integer_value(std::string_view text) {
  IntegerValue result;
  if (!text.empty() && text.back() == 'U') {
    result.is_unsigned = true;
    text.remove_suffix(1);
  }
  std::optional<uint64_t> value;
  if (has_prefix(text, 'x')) {
    value = digits(text.substr(2), 16);
  } else if (has_prefix(text, 'b')) {
    value = digits(text.substr(2), 2);
  } else if (text.size() > 1 && text[0] == '0') {
    value = digits(text.substr(1), 8);
  } else {
    value = digits(text, 10);
  }
  if (!value) return std::nullopt;
  result.bits = *value;
  result.is_unsigned = result.is_unsigned || (*value >> 63) != 0;
  return result;
}

std::optional<FloatLiteral> real_value(std::string_view text) {
  const int width = has_prefix(text, 'f') ? 32 : 64;
  if (width == 32 || has_prefix(text, 'd')) {
    const auto bits = digits(text.substr(2), 16);
    if (!bits) return std::nullopt;
    return FloatLiteral{*bits, width};
  }
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return FloatLiteral{std::bit_cast<uint64_t>(value), 64};
}

}  // namespace assay::ptx
