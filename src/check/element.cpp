// SPDX-License-Identifier: MIT
#include "check/element.hpp"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "check/float_format.hpp"

namespace assay::check {
namespace {

using spec::DType;

FloatFormat format_of(DType type) {
  switch (type) {
    case DType::f16:
      return kF16;
    case DType::bf16:
      return kBf16;
    case DType::f64:
      return kF64;
    case DType::e4m3:
      return kE4m3;
    case DType::e5m2:
      return kE5m2;
    default:
      return kF32;
  }
}

// Calls visit(T{}) with the integer type of that name.
template <class Visitor>
auto with_integer(DType type, Visitor&& visit) {
  switch (type) {
    case DType::i8:
      return visit(int8_t{});
    case DType::i16:
      return visit(int16_t{});
    case DType::i32:
      return visit(int32_t{});
    case DType::i64:
      return visit(int64_t{});
    case DType::u8:
      return visit(uint8_t{});
    case DType::u16:
      return visit(uint16_t{});
    case DType::u32:
      return visit(uint32_t{});
    default:
      return visit(uint64_t{});
  }
}

template <class T>
T to_integer(double value) {
  if (std::isnan(value)) return 0;
  const double whole = std::nearbyint(value);
  // The largest 64-bit values are no doubles: their rounded limits are one too many, hence >=.
  if (whole >= static_cast<double>(std::numeric_limits<T>::max())) return std::numeric_limits<T>::max();
  if (whole <= static_cast<double>(std::numeric_limits<T>::min())) return std::numeric_limits<T>::min();
  return static_cast<T>(whole);
}

template <class T>
void store(T value, uint8_t* bytes) {
  std::memcpy(bytes, &value, sizeof value);
}

template <class T>
T load(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// Visits the byte offset of every element, row-major.
template <class Visitor>
void for_each_offset(const spec::ResolvedTensor& tensor, Visitor&& visit) {
  const int size = spec::size_bytes(tensor.dtype);
  std::vector<int64_t> index(tensor.dims.size(), 0);
  int64_t offset = 0;  // in elements
  for (int64_t position = 0; position < tensor.elements; ++position) {
    visit(position, offset * size);
    for (size_t axis = index.size(); axis-- > 0;) {
      offset += tensor.strides[axis];
      if (++index[axis] < tensor.dims[axis]) break;
      offset -= tensor.strides[axis] * tensor.dims[axis];
      index[axis] = 0;
    }
  }
}

}  // namespace

void encode_element(DType type, double value, uint8_t* bytes) {
  if (!spec::is_floating(type)) {
    with_integer(type, [&](auto zero) { store(to_integer<decltype(zero)>(value), bytes); });
  } else if (type == DType::f64) {
    store(value, bytes);
  } else if (type == DType::f32) {
    store(static_cast<float>(value), bytes);
  } else if (spec::size_bytes(type) == 2) {
    store(static_cast<uint16_t>(to_bits(value, format_of(type))), bytes);
  } else {
    store(static_cast<uint8_t>(to_bits(value, format_of(type))), bytes);
  }
}

double decode_element(DType type, const uint8_t* bytes) {
  if (!spec::is_floating(type)) {
    return with_integer(type, [&](auto zero) { return static_cast<double>(load<decltype(zero)>(bytes)); });
  }
  if (type == DType::f64) return load<double>(bytes);
  if (type == DType::f32) return static_cast<double>(load<float>(bytes));
  const uint32_t bits = spec::size_bytes(type) == 2 ? load<uint16_t>(bytes) : load<uint8_t>(bytes);
  return from_bits(bits, format_of(type));
}

double round_to(DType type, double value) {
  uint8_t bytes[8] = {};
  encode_element(type, value, bytes);
  return decode_element(type, bytes);
}

double largest(DType type) {
  if (spec::is_floating(type)) return format_of(type).largest();
  return with_integer(type, [](auto zero) { return static_cast<double>(std::numeric_limits<decltype(zero)>::max()); });
}

double smallest_normal(DType type) {
  return spec::is_floating(type) ? format_of(type).smallest_normal() : 1.0;
}

double smallest_positive(DType type) {
  return spec::is_floating(type) ? format_of(type).smallest_subnormal() : 1.0;
}

bool has_infinity(DType type) {
  return spec::is_floating(type) && format_of(type).has_infinity;
}

double ulp(DType type, double value) {
  return spec::is_floating(type) ? spacing(value, format_of(type)) : 1.0;
}

void encode(const spec::ResolvedTensor& tensor, std::span<const double> values, std::span<uint8_t> buffer) {
  assert(values.size() == static_cast<size_t>(tensor.elements) && buffer.size() >= static_cast<size_t>(tensor.bytes));
  for_each_offset(tensor, [&](int64_t position, int64_t offset) {
    encode_element(tensor.dtype, values[static_cast<size_t>(position)], buffer.data() + offset);
  });
}

std::vector<double> decode(const spec::ResolvedTensor& tensor, std::span<const uint8_t> buffer) {
  assert(buffer.size() >= static_cast<size_t>(tensor.bytes));
  std::vector<double> values(static_cast<size_t>(tensor.elements));
  for_each_offset(tensor, [&](int64_t position, int64_t offset) {
    values[static_cast<size_t>(position)] = decode_element(tensor.dtype, buffer.data() + offset);
  });
  return values;
}

std::vector<int64_t> element_offsets(const spec::ResolvedTensor& tensor) {
  std::vector<int64_t> offsets(static_cast<size_t>(tensor.elements));
  for_each_offset(tensor, [&](int64_t position, int64_t offset) { offsets[static_cast<size_t>(position)] = offset; });
  return offsets;
}

std::vector<int64_t> index_of(const std::vector<int64_t>& dims, int64_t position) {
  std::vector<int64_t> index(dims.size(), 0);
  for (size_t axis = dims.size(); axis-- > 0;) {
    index[axis] = position % dims[axis];
    position /= dims[axis];
  }
  return index;
}

}  // namespace assay::check
