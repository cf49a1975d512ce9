// SPDX-License-Identifier: MIT
// The values of the numbers in PTX text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "ptx/syntax.hpp"

namespace assay::ptx {

struct IntegerValue {
  uint64_t bits = 0;
  bool is_unsigned = false;  // written with U, or too large for 64 signed bits
};

// Of the text of an integer or real token. Nothing if digits do not fit the base or the value does not fit 64 bits.
std::optional<IntegerValue> integer_value(std::string_view text);
std::optional<FloatLiteral> real_value(std::string_view text);

}  // namespace assay::ptx
