// SPDX-License-Identifier: MIT
#include "check/element.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <type_traits>
#include <utility>

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

template <class T>
T to_machine(double value) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<T>(value);
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

// How one type lies in memory: a type of the machine, or the bits of a format.
template <class T>
struct MachineElement {
  static void encode(double value, uint8_t* bytes) { store(to_machine<T>(value), bytes); }
  static double decode(const uint8_t* bytes) { return static_cast<double>(load<T>(bytes)); }
};
template <FloatFormat kFormat, class Bits>
struct SmallFloatElement {
  static void encode(double value, uint8_t* bytes) { store(static_cast<Bits>(to_bits(value, kFormat)), bytes); }
  static double decode(const uint8_t* bytes) { return from_bits(load<Bits>(bytes), kFormat); }
};

// Two in a byte, the first in its low half: the value of one alone, in the low half of a byte of its own.
template <bool kSigned>
struct HalfByteElement {
  using IsPacked = void;
  static void encode(double value, uint8_t* bytes) {
    const double low = kSigned ? -8 : 0;
    const double whole = std::isnan(value) ? 0 : std::clamp(std::nearbyint(value), low, low + 15);
    *bytes = static_cast<uint8_t>(static_cast<int>(whole) & 0xf);
  }
  static double decode(const uint8_t* bytes) {
    const int bits = *bytes & 0xf;
    return kSigned && bits >= 8 ? bits - 16 : bits;
  }
};

template <class Element>
concept Packed = requires { typename Element::IsPacked; };

// Calls visit(element) with the type's element of the above: the choice is made once for all elements of a tensor.
template <class Visitor>
auto with_element(DType type, Visitor&& visit) {
  switch (type) {
    case DType::f16:
      return visit(SmallFloatElement<kF16, uint16_t>());
    case DType::bf16:
      return visit(SmallFloatElement<kBf16, uint16_t>());
    case DType::e4m3:
      return visit(SmallFloatElement<kE4m3, uint8_t>());
    case DType::e5m2:
      return visit(SmallFloatElement<kE5m2, uint8_t>());
    case DType::f32:
      return visit(MachineElement<float>());
    case DType::f64:
      return visit(MachineElement<double>());
    case DType::i8:
      return visit(MachineElement<int8_t>());
    case DType::i16:
      return visit(MachineElement<int16_t>());
    case DType::i32:
      return visit(MachineElement<int32_t>());
    case DType::i64:
      return visit(MachineElement<int64_t>());
    case DType::u8:
      return visit(MachineElement<uint8_t>());
    case DType::u16:
      return visit(MachineElement<uint16_t>());
    case DType::u32:
      return visit(MachineElement<uint32_t>());
    case DType::i4:
      return visit(HalfByteElement<true>());
    case DType::u4:
      return visit(HalfByteElement<false>());
    default:
      return visit(MachineElement<uint64_t>());
  }
}

// Visits the byte offset of every element, row-major; within a row of the last axis it grows by the same amount.
template <class Visitor>
void for_each_offset(const spec::ResolvedTensor& tensor, Visitor&& visit) {
  const int64_t size = spec::size_bytes(tensor.dtype);
  const int64_t row = tensor.dims.empty() ? 1 : tensor.dims.back();
  const int64_t step = tensor.strides.empty() ? 0 : tensor.strides.back() * size;
  std::vector<int64_t> index(tensor.dims.empty() ? 0 : tensor.dims.size() - 1, 0);  // of the row
  int64_t first = 0;                                                                // byte of its first element
  if (tensor.elements == 0) return;
  if (spec::is_packed(tensor.dtype)) {  // dense
    for (int64_t position = 0; position < tensor.elements; ++position) visit(position, position / 2);
    return;
  }
  for (int64_t position = 0; position < tensor.elements; position += row) {
    for (int64_t i = 0; i < row; ++i) visit(position + i, first + i * step);
    for (size_t axis = index.size(); axis-- > 0;) {
      first += tensor.strides[axis] * size;
      if (++index[axis] < tensor.dims[axis]) break;
      first -= tensor.strides[axis] * tensor.dims[axis] * size;
      index[axis] = 0;
    }
  }
}

}  // namespace

void encode_element(DType type, double value, uint8_t* bytes) {
  with_element(type, [&](auto element) { element.encode(value, bytes); });
}

double decode_element(DType type, const uint8_t* bytes) {
  return with_element(type, [&](auto element) { return element.decode(bytes); });
}

double round_to(DType type, double value) {
  uint8_t bytes[8] = {};
  return with_element(type, [&](auto element) {
    element.encode(value, bytes);
    return element.decode(bytes);
  });
}

double largest(DType type) {
  if (spec::is_floating(type)) return format_of(type).largest();
  uint8_t bytes[8] = {};
  encode_element(type, std::numeric_limits<double>::infinity(), bytes);  // integers saturate
  return decode_element(type, bytes);
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

reference::Integers integers_of(DType type) {
  return type == DType::i64   ? reference::Integers::i64
         : type == DType::u64 ? reference::Integers::u64
                              : reference::Integers::none;
}

std::string element_text(DType type, const uint8_t* bytes) {
  if (integers_of(type) != reference::Integers::none)
    return reference::digits_of(reference::integer_of(load<uint64_t>(bytes), integers_of(type)));
  const double value = decode_element(type, bytes);
  return spec::is_floating(type) ? fmt::format("{:.9g}", value) : fmt::format("{:.0f}", value);
}

reference::Numbers rounded(DType type, reference::Numbers numbers) {
  const reference::Integers integers = integers_of(type);
  if (integers == reference::Integers::none) {
    for (double& value : numbers.values) value = round_to(type, value);
    return numbers;
  }
  if (numbers.words.empty()) {
    for (const double value : numbers.values) numbers.words.push_back(reference::word_of(value, integers));
  }
  return reference::numbers_of_words(std::move(numbers.words), integers);
}

void encode(const spec::ResolvedTensor& tensor, const reference::NumbersView& numbers, std::span<uint8_t> buffer) {
  assert(numbers.values.size() == static_cast<size_t>(tensor.elements) &&
         buffer.size() >= static_cast<size_t>(tensor.bytes));
  if (!numbers.words.empty() && integers_of(tensor.dtype) != reference::Integers::none) {
    for_each_offset(tensor, [&](int64_t position, int64_t offset) {
      store(numbers.words[static_cast<size_t>(position)], buffer.data() + offset);
    });
    return;
  }
  with_element(tensor.dtype, [&](auto element) {
    for_each_offset(tensor, [&](int64_t position, int64_t offset) {
      const double value = numbers.values[static_cast<size_t>(position)];
      if constexpr (Packed<decltype(element)>) {
        uint8_t half = 0;
        element.encode(value, &half);
        uint8_t& byte = buffer[static_cast<size_t>(offset)];
        byte = static_cast<uint8_t>(position % 2 == 0 ? (byte & 0xf0) | half : (byte & 0xf) | half << 4);
      } else {
        element.encode(value, buffer.data() + offset);
      }
    });
  });
}

reference::Numbers decode(const spec::ResolvedTensor& tensor, std::span<const uint8_t> buffer) {
  assert(buffer.size() >= static_cast<size_t>(tensor.bytes));
  if (const reference::Integers integers = integers_of(tensor.dtype); integers != reference::Integers::none) {
    std::vector<uint64_t> words(static_cast<size_t>(tensor.elements));
    for_each_offset(tensor, [&](int64_t position, int64_t offset) {
      words[static_cast<size_t>(position)] = load<uint64_t>(buffer.data() + offset);
    });
    return reference::numbers_of_words(std::move(words), integers);
  }
  std::vector<double> values(static_cast<size_t>(tensor.elements));
  with_element(tensor.dtype, [&](auto element) {
    for_each_offset(tensor, [&](int64_t position, int64_t offset) {
      double& value = values[static_cast<size_t>(position)];
      if constexpr (Packed<decltype(element)>) {
        const auto half = static_cast<uint8_t>(buffer[static_cast<size_t>(offset)] >> (position % 2 == 0 ? 0 : 4));
        value = element.decode(&half);
      } else {
        value = element.decode(buffer.data() + offset);
      }
    });
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
