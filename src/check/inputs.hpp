// SPDX-License-Identifier: MIT
// What the kernel's input tensors hold: seeded, and rounded to the tensor's type first, so that the reference sees
// exactly what the kernel sees.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/numbers.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::check {

// A distribution of a test case replaces the fill of floating-point tensors that ask for "normal"; every other fill has
// a meaning that the specification's author chose (indices, weights of one) and stays.
enum class Distribution {
  specified,           // every tensor as the specification says
  large,               // deviation 16: exp() overflows unless the maximum is subtracted, sums of products do not
  tiny,                // small, yet products of two are normal numbers of the accumulator
  constant,            // every element the same
  one_hot,             // a single 1 in each row of the last dimension
  with_negative_zero,  // one in four is +0, one in four is -0
  denormals,           // subnormal numbers of the type
  infinities,          // normal, with one infinity in each matrix of tensors where the reference allows it
};

std::string_view name(Distribution distribution);
std::optional<Distribution> distribution_from_name(std::string_view text);
const std::vector<Distribution>& all_distributions();

struct InputOptions {
  Distribution distribution = Distribution::specified;
  uint64_t seed = 0;
  bool allow_infinities = false;  // in this tensor
};

// The tensor's elements, row-major. The seed is mixed with the name: two tensors of one case differ, and a tensor keeps
// its values when another argument is added.
reference::Numbers make_input(const std::string& tensor_name, const spec::ResolvedTensor& tensor,
                              const InputOptions& options);

}  // namespace assay::check
