// SPDX-License-Identifier: MIT
// Is what the kernel computed what the reference says?
//
// 64-bit integers are compared as integers (reference/numbers.hpp), all others as float64, which holds them.
// An element is right if |got - expected| <= atol + rtol * |expected|, or if no number of its type is nearer to the
// expected value. NaN, or an infinity, where the reference has neither is wrong at once. Where the reference has no
// result (NaN) nothing is compared: any value is right, and so is none. If the expected value is so large that the
// type's rounding makes it infinite, infinity and the type's largest number are right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "check/inputs.hpp"
#include "reference/numbers.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::check {

enum class MismatchKind { beyond_tolerance, nan, infinite, not_infinite, unwritten };

std::string_view name(MismatchKind kind);  // "beyond tolerance", "NaN", ...

struct Mismatch {
  MismatchKind kind = MismatchKind::beyond_tolerance;
  std::vector<int64_t> index;
  double expected = 0;
  double got = 0;
  double absolute_error = 0;  // NaN where it has no meaning
  double relative_error = 0;  // NaN if the expected value is 0
  double ulp_error = 0;       // in units of the last place at the expected value; NaN where that is within atol of 0
  double allowed = 0;         // atol + rtol * |expected|, or what rounding takes if that is more
  std::string expected_digits{};  // of integers that a double or nine digits do not hold
  std::string got_digits{};
};

struct Comparison {
  int64_t elements = 0;
  int64_t undefined = 0;  // the reference has no result there
  int64_t compared() const { return elements - undefined; }
  int64_t failures = 0;
  std::optional<Mismatch> first;  // in row-major order
  std::optional<Mismatch> worst;  // NaN, then infinities, then the largest error beyond what is allowed
  double max_absolute_error = 0;  // over elements where both are finite
  double max_relative_error = 0;
  double max_ulp_error = 0;
  double tolerance_used = 0;  // the largest share of what is allowed that an error takes; beyond 1 it is too large

  bool passed() const { return failures == 0; }
};

// `expected` and `got` are dense and row-major; `unwritten` are positions known not to have been written (see
// poison.hpp).
Comparison compare(const spec::ResolvedTensor& tensor, const reference::NumbersView& expected,
                   const reference::NumbersView& got, const spec::Tolerance& tolerance,
                   std::span<const int64_t> unwritten = {});

// atol is meant for values around 1. Large inputs have large intermediate sums whose rounding error does not shrink
// where terms cancel, so atol grows with the outputs; tiny ones would all pass as zero, so it shrinks with them.
spec::Tolerance tolerance_for(Distribution distribution, const spec::Tolerance& tolerance, spec::DType type,
                              std::span<const double> expected);

// The first byte in which the two differ: a kernel must not change its inputs.
std::optional<int64_t> first_changed_byte(std::span<const uint8_t> before, std::span<const uint8_t> after);

// The element that holds this byte of the tensor's buffer, or nothing if it lies in a gap between elements.
std::optional<std::vector<int64_t>> element_at(const spec::ResolvedTensor& tensor, int64_t byte);

std::string describe(const std::string& tensor_name,
                     const Mismatch& mismatch);  // "o[0, 1, 64, 3]: expected 1, got 2 ..."

}  // namespace assay::check
