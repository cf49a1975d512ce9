// SPDX-License-Identifier: MIT
// What an input tensor holds before the kernel runs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/expression.hpp"

namespace assay::spec {

enum class FillKind {
  normal,   // mean, deviation
  uniform,  // low <= x < high
  zeros,
  ones,
  constant,      // value
  iota,          // 0, 1, 2, ... in row-major order
  one_hot,       // a single 1 in each row of the last dimension
  large,         // normal, scaled towards the type's largest finite value
  tiny,          // normal, scaled towards the type's smallest normal value
  signed_zeros,  // +0 and -0
  denormals,     // subnormal values of the type
};

std::string_view name(FillKind kind);
std::optional<FillKind> fill_from_name(std::string_view text);
const std::vector<std::string>& fill_names();

// As written: fill = "normal", or fill = { kind = "uniform", low = "0", high = "VOCABULARY" }, or a number.
struct FillSpec {
  FillKind kind = FillKind::normal;
  std::optional<Expression> mean, deviation, low, high, value;
};

// With its parameters evaluated.
struct Fill {
  FillKind kind = FillKind::normal;
  double mean = 0, deviation = 1;
  double low = -1, high = 1;  // integer types: 0 and 100 unless given
  double value = 0;
};

}  // namespace assay::spec
