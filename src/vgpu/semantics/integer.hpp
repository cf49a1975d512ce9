// SPDX-License-Identifier: MIT
// Integer arithmetic. Signed results wrap as the hardware's do: everything is computed in unsigned types.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

namespace assay::vgpu::semantics {

// T is any of int8_t ... uint64_t.
template <class T>
using Unsigned = std::make_unsigned_t<T>;

__extension__ using SignedWide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

// The type of twice the width.
template <class T>
struct DoubleWidth;
template <>
struct DoubleWidth<int8_t> {
  using Type = int16_t;
};
template <>
struct DoubleWidth<uint8_t> {
  using Type = uint16_t;
};
template <>
struct DoubleWidth<int16_t> {
  using Type = int32_t;
};
template <>
struct DoubleWidth<uint16_t> {
  using Type = uint32_t;
};
template <>
struct DoubleWidth<int32_t> {
  using Type = int64_t;
};
template <>
struct DoubleWidth<uint32_t> {
  using Type = uint64_t;
};
template <>
struct DoubleWidth<int64_t> {
  using Type = SignedWide;
};
template <>
struct DoubleWidth<uint64_t> {
  using Type = UnsignedWide;
};
template <class T>
using Doubled = typename DoubleWidth<T>::Type;

// Arithmetic in at least 32 bits, so that small types do not pass through int.
template <class T>
using Modular = std::conditional_t<(sizeof(T) < 4), uint32_t, Unsigned<T>>;

template <class T>
constexpr T wrapping_add(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) + static_cast<Modular<T>>(b));
}
template <class T>
constexpr T wrapping_sub(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) - static_cast<Modular<T>>(b));
}

// add.sat.s32, sub.sat.s32.
constexpr int32_t clamp_s32(int64_t x) {
  constexpr int64_t kLow = std::numeric_limits<int32_t>::min(), kHigh = std::numeric_limits<int32_t>::max();
  return static_cast<int32_t>(x < kLow ? kLow : x > kHigh ? kHigh : x);
}
constexpr int32_t add_sat(int32_t a, int32_t b) {
  return clamp_s32(int64_t{a} + b);
}
constexpr int32_t sub_sat(int32_t a, int32_t b) {
  return clamp_s32(int64_t{a} - b);
}

template <class T>
constexpr T mul_lo(T a, T b) {
  return static_cast<T>(static_cast<Modular<T>>(a) * static_cast<Modular<T>>(b));
}
template <class T>
constexpr Doubled<T> mul_wide(T a, T b) {
  return static_cast<Doubled<T>>(static_cast<Doubled<T>>(a) * static_cast<Doubled<T>>(b));
}
template <class T>
constexpr T mul_hi(T a, T b) {
  return static_cast<T>(mul_wide(a, b) >> (8 * sizeof(T)));
}
template <class T>
constexpr T mad_lo(T a, T b, T c) {
  return wrapping_add(mul_lo(a, b), c);
}
template <class T>
constexpr T mad_hi(T a, T b, T c) {
  return wrapping_add(mul_hi(a, b), c);
}
template <class T>
constexpr Doubled<T> mad_wide(T a, T b, Doubled<T> c) {
  return wrapping_add(mul_wide(a, b), c);
}
constexpr int32_t mad_hi_sat(int32_t a, int32_t b, int32_t c) {
  return clamp_s32(int64_t{mul_hi(a, b)} + c);
}

// mul24, mad24: the low 24 bits of each operand; .lo keeps bits 0-31 of the 48-bit product, .hi bits 16-47.
template <class T>
constexpr Doubled<T> product24(T a, T b) {
  static_assert(sizeof(T) == 4);
  const auto x = static_cast<Doubled<T>>(static_cast<T>(static_cast<T>(static_cast<uint32_t>(a) << 8) >> 8));
  const auto y = static_cast<Doubled<T>>(static_cast<T>(static_cast<T>(static_cast<uint32_t>(b) << 8) >> 8));
  return x * y;
}
template <class T>
constexpr T mul24_lo(T a, T b) {
  return static_cast<T>(product24(a, b));
}
template <class T>
constexpr T mul24_hi(T a, T b) {
  return static_cast<T>(product24(a, b) >> 16);
}
template <class T>
constexpr T mad24_lo(T a, T b, T c) {
  return wrapping_add(mul24_lo(a, b), c);
}
template <class T>
constexpr T mad24_hi(T a, T b, T c) {
  return wrapping_add(mul24_hi(a, b), c);
}
constexpr int32_t mad24_hi_sat(int32_t a, int32_t b, int32_t c) {
  return clamp_s32(int64_t{mul24_hi(a, b)} + c);
}

// Division by zero is unspecified by the ISA and must not trap. An H200 gives all ones, as the remainder too.
// The most negative number divided by -1 wraps.
template <class T>
constexpr T div(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return wrapping_sub(T{0}, a);
  }
  return static_cast<T>(a / b);
}
template <class T>
constexpr T rem(T a, T b) {
  if (b == 0) return static_cast<T>(~T{0});
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return T{0};
  }
  return static_cast<T>(a % b);
}

template <class T>
constexpr T sad(T a, T b, T c) {
  const T difference = a < b ? wrapping_sub(b, a) : wrapping_sub(a, b);
  return wrapping_add(c, difference);
}

template <class T>
constexpr T abs_integer(T a) {
  return a < T{0} ? wrapping_sub(T{0}, a) : a;
}
template <class T>
constexpr T neg_integer(T a) {
  return wrapping_sub(T{0}, a);
}

template <bool Relu = false, class T>
constexpr T min_integer(T a, T b) {
  const T result = a < b ? a : b;
  if constexpr (Relu) return result < T{0} ? T{0} : result;
  return result;
}
template <bool Relu = false, class T>
constexpr T max_integer(T a, T b) {
  const T result = a > b ? a : b;
  if constexpr (Relu) return result < T{0} ? T{0} : result;
  return result;
}

// The s16x2 and u16x2 forms: a function of T on both halves of a register.
template <class T, class Function>
constexpr uint32_t packed16(Function function, uint32_t a, uint32_t b) {
  static_assert(sizeof(T) == 2);
  const auto low = static_cast<uint16_t>(function(static_cast<T>(a & 0xffffu), static_cast<T>(b & 0xffffu)));
  const auto high = static_cast<uint16_t>(function(static_cast<T>(a >> 16), static_cast<T>(b >> 16)));
  return low | static_cast<uint32_t>(high) << 16;
}

// dp4a, dp2a: A and B are int32_t or uint32_t, as the instruction's two types; the sum wraps.
template <class A, class B>
constexpr uint32_t dp4a(uint32_t a, uint32_t b, uint32_t c) {
  using ByteA = std::conditional_t<std::is_signed_v<A>, int8_t, uint8_t>;
  using ByteB = std::conditional_t<std::is_signed_v<B>, int8_t, uint8_t>;
  uint32_t sum = c;
  for (int i = 0; i < 4; ++i) {
    const auto x = static_cast<int32_t>(static_cast<ByteA>(a >> (8 * i)));
    const auto y = static_cast<int32_t>(static_cast<ByteB>(b >> (8 * i)));
    sum += static_cast<uint32_t>(x * y);
  }
  return sum;
}
template <class A, class B, bool High>
constexpr uint32_t dp2a(uint32_t a, uint32_t b, uint32_t c) {
  using HalfA = std::conditional_t<std::is_signed_v<A>, int16_t, uint16_t>;
  using ByteB = std::conditional_t<std::is_signed_v<B>, int8_t, uint8_t>;
  uint32_t sum = c;
  for (int i = 0; i < 2; ++i) {
    const auto x = static_cast<int32_t>(static_cast<HalfA>(a >> (16 * i)));
    const auto y = static_cast<int32_t>(static_cast<ByteB>(b >> (8 * i + (High ? 16 : 0))));
    sum += static_cast<uint32_t>(x * y);
  }
  return sum;
}

// --- carry chains ---------------------------------------------------------------------------------------------------

// T is uint32_t or uint64_t: the result and the carry (borrow) that it leaves in the thread's condition code.
template <class T>
struct Carried {
  T value = 0;
  bool carry = false;
};

// add.cc is add_carry(a, b, false), addc{.cc} is add_carry(a, b, cc).
template <class T>
constexpr Carried<T> add_carry(T a, T b, bool carry_in) {
  const T first = static_cast<T>(a + b);
  const T sum = static_cast<T>(first + static_cast<T>(carry_in));
  return {sum, first < a || sum < first};
}
// sub.cc, subc{.cc}: the condition code holds the borrow.
template <class T>
constexpr Carried<T> sub_borrow(T a, T b, bool borrow_in) {
  const T first = static_cast<T>(a - b);
  const T difference = static_cast<T>(first - static_cast<T>(borrow_in));
  return {difference, a < b || first < difference};
}
// mad{c}.{lo,hi}.cc: Product is the unsigned or signed type whose low or high half is added.
template <class Product, class T>
constexpr Carried<T> mad_lo_carry(T a, T b, T c, bool carry_in) {
  return add_carry<T>(static_cast<T>(mul_lo<Product>(static_cast<Product>(a), static_cast<Product>(b))), c, carry_in);
}
template <class Product, class T>
constexpr Carried<T> mad_hi_carry(T a, T b, T c, bool carry_in) {
  return add_carry<T>(static_cast<T>(mul_hi<Product>(static_cast<Product>(a), static_cast<Product>(b))), c, carry_in);
}

}  // namespace assay::vgpu::semantics
