// SPDX-License-Identifier: MIT
// A number that depends on sizes, as a product of them: 4*ROWS*(LENGTH - TAPS + 1). It is found from its values for a
// few choices of the sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace assay::describe {

using Sizes = std::vector<int64_t>;  // values, in the order of their names

// One factor: a size, or a short expression of one or two of them.
struct Factor {
  enum class Kind : uint8_t { size, minus_one, plus_one, halo, shrunk, sum, blocks };
  Kind kind = Kind::size;
  size_t first = 0;     // which size
  size_t second = 0;    // of halo (first + second - 1), shrunk (first - second + 1) and sum
  int64_t divisor = 1;  // of blocks: ceil_div(first, divisor)

  int64_t value(const Sizes& sizes) const;
  std::string text(std::span<const std::string> names) const;
  bool operator==(const Factor&) const = default;
};

struct Product {
  int64_t constant = 1;
  std::vector<Factor> factors;

  int64_t value(const Sizes& sizes) const;
  // Factors as a list of expressions, the constant before as many of them or last: a tensor's shape. {"1"} if there is
  // nothing.
  std::vector<std::string> list(std::span<const std::string> names, size_t constant_place = SIZE_MAX) const;
  std::string text(std::span<const std::string> names) const;
  bool is_one() const { return constant == 1 && factors.empty(); }
  bool operator==(const Product&) const = default;
};

// a / b, if every factor of b is one of a and the constant divides.
std::optional<Product> quotient(const Product& a, const Product& b);

// The simplest product that is values[i] for sizes[i], all of them; empty if there is none of few factors. Fewer
// choices of the sizes than two prove nothing: they give none either.
std::optional<Product> fit_product(std::span<const int64_t> values, std::span<const Sizes> sizes);

}  // namespace assay::describe
