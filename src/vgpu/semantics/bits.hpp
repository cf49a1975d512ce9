// SPDX-License-Identifier: MIT
// Instructions on bits: counting, fields, shifts, permutation of bytes, and any function of three operands.
#pragma once

#include <cstdint>
#include <type_traits>

namespace assay::vgpu::semantics {

// U is uint32_t or uint64_t unless stated.

// Sums of ever wider fields: vector code on every x86-64, where a population count instruction is not.
template <class U>
constexpr uint32_t popc(U a) {
  constexpr U kOnes = static_cast<U>(~U{0});
  a = static_cast<U>(a - (a >> 1 & static_cast<U>(kOnes / 3)));
  a = static_cast<U>((a & static_cast<U>(kOnes / 5)) + (a >> 2 & static_cast<U>(kOnes / 5)));
  a = static_cast<U>((a + (a >> 4)) & static_cast<U>(kOnes / 17));
  return static_cast<uint32_t>(static_cast<U>(a * static_cast<U>(kOnes / 255)) >> (8 * sizeof(U) - 8));
}
// Every bit below the highest one set, then counted.
template <class U>
constexpr uint32_t clz(U a) {
  for (uint32_t shift = 1; shift < 8 * sizeof(U); shift *= 2) a = static_cast<U>(a | a >> shift);
  return popc(static_cast<U>(~a));
}

constexpr uint32_t brev(uint32_t a) {
  a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
  a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
  a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
  a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
  return a >> 16 | a << 16;
}
constexpr uint64_t brev(uint64_t a) {
  const uint64_t low = brev(static_cast<uint32_t>(a));
  return low << 32 | brev(static_cast<uint32_t>(a >> 32));
}

// The highest bit that differs from the sign (signed T) or is set (unsigned T); all ones where there is none.
template <bool ShiftAmount, class T>
constexpr uint32_t bfind(T a) {
  using U = std::make_unsigned_t<T>;
  const U x = static_cast<U>(std::is_signed_v<T> && a < T{0} ? ~a : a);
  const uint32_t zeros = clz(x);
  constexpr auto kTop = static_cast<uint32_t>(8 * sizeof(T) - 1);
  return x == 0 ? 0xffffffffu : ShiftAmount ? zeros : kTop - zeros;
}

// The low `length` bits set; the width and more give all ones.
template <class U>
constexpr U low_mask(uint32_t length) {
  constexpr uint32_t kWidth = 8 * sizeof(U);
  const U mask = static_cast<U>((U{1} << (length & (kWidth - 1))) - U{1});
  return length >= kWidth ? static_cast<U>(~U{0}) : mask;
}

// The ISA has only the low 8 bits of a field's position and length count. That holds for the 32-bit forms, which are
// single instructions; the 64-bit ones are sequences that take all 32 bits (measured on an H200).
template <class U>
constexpr uint32_t field_operand(uint32_t x) {
  return sizeof(U) == 8 ? (x < 0xffu ? x : 0xffu) : x & 0xffu;
}

// T says the width and whether the field is sign-extended. What the field would take from above the operand's top bit
// is the fill as well.
template <class T>
constexpr T bfe(T a, uint32_t position, uint32_t length) {
  using U = std::make_unsigned_t<T>;
  constexpr uint32_t kWidth = 8 * sizeof(T);
  position = field_operand<U>(position);
  length = field_operand<U>(length);
  const auto x = static_cast<U>(a);
  const uint32_t end = position + length;
  const uint32_t last = end == 0 ? 0 : end < kWidth ? end - 1u : kWidth - 1u;
  const bool sign = std::is_signed_v<T> & (length != 0) & ((x >> last & 1u) != 0);
  const U fill = sign ? static_cast<U>(~U{0}) : U{0};
  const bool inside = position < kWidth;
  const U shifted = static_cast<U>(x >> (position & (kWidth - 1)));
  const uint32_t available = inside ? kWidth - position : 0u;
  const U field = low_mask<U>(length < available ? length : available);
  return static_cast<T>((shifted & field) | (fill & static_cast<U>(~field)));
}

template <class U>
constexpr U bfi(U insert, U base, uint32_t position, uint32_t length) {
  constexpr uint32_t kWidth = 8 * sizeof(U);
  position = field_operand<U>(position);
  length = field_operand<U>(length);
  if (position >= kWidth) return base;
  const U mask = static_cast<U>(low_mask<U>(length) << position);
  return static_cast<U>((base & ~mask) | (static_cast<U>(insert << position) & mask));
}

// --- shifts ---------------------------------------------------------------------------------------------------------

// Counts of the width and more shift everything out. U may be 16, 32 or 64 bits wide.
template <class U>
constexpr U shl(U a, uint32_t count) {
  constexpr uint32_t kWidth = 8 * sizeof(U);
  const U shifted = static_cast<U>(a << (count & (kWidth - 1)));
  return count >= kWidth ? U{0} : shifted;
}
// T signed: the sign fills.
template <class T>
constexpr T shr(T a, uint32_t count) {
  constexpr uint32_t kWidth = 8 * sizeof(T);
  if constexpr (std::is_signed_v<T>) return static_cast<T>(a >> (count < kWidth ? count : kWidth - 1));
  const T shifted = static_cast<T>(a >> (count & (kWidth - 1)));
  return count >= kWidth ? T{0} : shifted;
}

// shf: 32 bits out of the 64 of [high:low].
template <bool Clamp>
constexpr uint32_t funnel_count(uint32_t count) {
  return Clamp ? (count < 32u ? count : 32u) : count & 31u;
}
template <bool Clamp>
constexpr uint32_t shf_l(uint32_t low, uint32_t high, uint32_t count) {
  const uint64_t both = uint64_t{high} << 32 | low;
  return static_cast<uint32_t>((both << funnel_count<Clamp>(count)) >> 32);
}
template <bool Clamp>
constexpr uint32_t shf_r(uint32_t low, uint32_t high, uint32_t count) {
  const uint64_t both = uint64_t{high} << 32 | low;
  return static_cast<uint32_t>(both >> funnel_count<Clamp>(count));
}

// --- masks and extension --------------------------------------------------------------------------------------------

// bmsk: `width` ones from bit `position` up.
template <bool Clamp>
constexpr uint32_t bmsk(uint32_t position, uint32_t width) {
  if (Clamp && position >= 32u) return 0;
  const uint32_t start = position & 31u;
  const uint32_t count = Clamp ? (width < 32u ? width : 32u) : width & 31u;
  return low_mask<uint32_t>(count) << start;
}

// szext: the low `width` bits, sign- (int32_t) or zero-extended (uint32_t).
template <bool Clamp, class T>
constexpr T szext(T a, uint32_t width) {
  if (Clamp && width >= 32u) return a;
  const uint32_t count = width & 31u;
  if (count == 0) return T{0};
  return bfe<T>(a, 0, count);
}

// fns: the position of the n-th set bit from `base`, upwards or (n < 0) downwards; all ones where there is none.
constexpr uint32_t fns(uint32_t mask, uint32_t base, int32_t n) {
  if (base > 31u) return 0xffffffffu;
  if (n == 0) return (mask >> base & 1u) != 0 ? base : 0xffffffffu;
  const int step = n > 0 ? 1 : -1;
  uint32_t left = n > 0 ? static_cast<uint32_t>(n) : uint32_t{0} - static_cast<uint32_t>(n);
  for (int position = static_cast<int>(base); position >= 0 && position < 32; position += step)
    if ((mask >> position & 1u) != 0 && --left == 0) return static_cast<uint32_t>(position);
  return 0xffffffffu;
}

// --- bytes and logic ------------------------------------------------------------------------------------------------

enum class PermuteMode : uint8_t { index, f4e, b4e, rc8, ecl, ecr, rc16 };

// The four selectors, lowest byte first in the lowest nibble, that a mode and the low two bits of c stand for.
template <PermuteMode M>
constexpr uint32_t permute_selectors(uint32_t c) {
  constexpr uint16_t kF4e[] = {0x3210, 0x4321, 0x5432, 0x6543};
  constexpr uint16_t kB4e[] = {0x5670, 0x6701, 0x7012, 0x0123};
  constexpr uint16_t kRc8[] = {0x0000, 0x1111, 0x2222, 0x3333};
  constexpr uint16_t kEcl[] = {0x3210, 0x3211, 0x3222, 0x3333};
  constexpr uint16_t kEcr[] = {0x0000, 0x1110, 0x2210, 0x3210};
  constexpr uint16_t kRc16[] = {0x1010, 0x3232, 0x1010, 0x3232};
  switch (M) {
    case PermuteMode::index:
      return c;
    case PermuteMode::f4e:
      return kF4e[c & 3u];
    case PermuteMode::b4e:
      return kB4e[c & 3u];
    case PermuteMode::rc8:
      return kRc8[c & 3u];
    case PermuteMode::ecl:
      return kEcl[c & 3u];
    case PermuteMode::ecr:
      return kEcr[c & 3u];
    case PermuteMode::rc16:
      return kRc16[c & 3u];
  }
  return 0;
}

template <PermuteMode M = PermuteMode::index>
constexpr uint32_t prmt(uint32_t a, uint32_t b, uint32_t c) {
  const uint64_t source = uint64_t{b} << 32 | a;
  const uint32_t selectors = permute_selectors<M>(c);
  uint32_t result = 0;
  for (int i = 0; i < 4; ++i) {
    const uint32_t selector = selectors >> (4 * i);
    const auto byte = static_cast<uint32_t>(source >> (8 * (selector & 7u))) & 0xffu;
    const uint32_t sign = (byte & 0x80u) != 0 ? 0xffu : 0u;
    result |= ((selector & 8u) != 0 ? sign : byte) << (8 * i);
  }
  return result;
}

// lop3: bit i of the table is the result where a, b, c are the bits of i.
constexpr uint32_t lop3(uint32_t a, uint32_t b, uint32_t c, uint32_t table) {
  uint32_t result = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t where = ((i & 4u) != 0 ? a : ~a) & ((i & 2u) != 0 ? b : ~b) & ((i & 1u) != 0 ? c : ~c);
    result |= where & (uint32_t{0} - (table >> i & 1u));
  }
  return result;
}

}  // namespace assay::vgpu::semantics
