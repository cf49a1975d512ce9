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
  permutation,   // each row of the last dimension holds 0, 1, 2, ... in random order
  offsets,       // each row begins with 0, never falls, and ends with `total`
  sorted,        // uniform or, without low and high, normal; each row in ascending order
  sparse,        // normal with the probability `density`, else 0
  file,          // .npy, .safetensors, or raw bytes
  function,      // what a C++ or Python function returns
};

std::string_view name(FillKind kind);
std::optional<FillKind> fill_from_name(std::string_view text);
const std::vector<std::string>& fill_names();

// As written: fill = "normal", or fill = { kind = "uniform", low = "0", high = "VOCABULARY" }, or a number.
struct FillSpec {
  FillKind kind = FillKind::normal;
  std::optional<Expression> mean, deviation, low, high, value, total, density, offset;
  std::string file;    // of the kinds file and function; relative to the specification's folder
  std::string tensor;  // its name in a .safetensors file
  Place file_place;
};

// With its parameters evaluated.
struct Fill {
  FillKind kind = FillKind::normal;
  double mean = 0, deviation = 1;
  double low = -1, high = 1;  // integer types: 0 and 100 unless given
  bool bounded = false;       // low or high was given
  double value = 0;
  std::optional<int64_t> whole;  // the same, if it is an integer: a double is not all of a large one
  double total = 0;
  double density = 0;
  std::string file;  // relative to the specification's folder
  std::string tensor;
  int64_t offset = 0;  // bytes before the tensor in a raw file
  Place file_place;
};

}  // namespace assay::spec
