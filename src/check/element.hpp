// SPDX-License-Identifier: MIT
// Between numbers and the bytes that a kernel sees: every element type, with strides.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "reference/numbers.hpp"
#include "spec/dtype.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::check {

// One element, little-endian, size_bytes(type) bytes. Floating types round to nearest even; integer types round to the
// nearest integer, saturate, and take NaN as 0. A 64-bit integer beyond 2^53 is read as the double nearest to it;
// decode() and encode() of a whole tensor are exact.
void encode_element(spec::DType type, double value, uint8_t* bytes);
double decode_element(spec::DType type, const uint8_t* bytes);

// The value that the kernel will see.
double round_to(spec::DType type, double value);

// Largest finite value, smallest normal and smallest positive value; 1 is the smallest of integer types.
double largest(spec::DType type);
double smallest_normal(spec::DType type);
double smallest_positive(spec::DType type);
bool has_infinity(spec::DType type);
// The distance between neighbours of the type around this value; 1 for integers.
double ulp(spec::DType type, double value);

// Which 64-bit integers these are, if they are.
reference::Integers integers_of(spec::DType type);
// One element as people read it: an integer with all of its digits.
std::string element_text(spec::DType type, const uint8_t* bytes);
// What the kernel will see of these numbers, 64-bit integers as they are.
reference::Numbers rounded(spec::DType type, reference::Numbers numbers);

// All elements, dense and row-major, into or out of a buffer of tensor.bytes bytes. The bytes between them are left
// alone.
void encode(const spec::ResolvedTensor& tensor, const reference::NumbersView& numbers, std::span<uint8_t> buffer);
reference::Numbers decode(const spec::ResolvedTensor& tensor, std::span<const uint8_t> buffer);

// Byte offset of every element in row-major order.
std::vector<int64_t> element_offsets(const spec::ResolvedTensor& tensor);

// The multi-dimensional index of the n-th element in row-major order.
std::vector<int64_t> index_of(const std::vector<int64_t>& dims, int64_t position);

}  // namespace assay::check
