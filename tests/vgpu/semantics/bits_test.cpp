// SPDX-License-Identifier: MIT
#include "vgpu/semantics/bits.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kBitsSeed = 20267;

uint32_t bit(uint64_t x, uint64_t i) {
  return static_cast<uint32_t>(x >> i & 1);
}

// The manual has the low 8 bits count; the 64-bit forms of an H200 take the whole operand.
template <class T>
uint64_t counts(uint32_t x) {
  return sizeof(T) == 8 ? x : x & 0xff;
}

// The manual's loop, bit by bit.
template <class T>
T bfe_by_definition(T a, uint32_t b, uint32_t c) {
  const uint64_t top = 8 * sizeof(T) - 1, position = counts<T>(b), length = counts<T>(c);
  const auto x = static_cast<std::make_unsigned_t<T>>(a);
  const uint32_t sign = !std::is_signed_v<T> || length == 0 ? 0 : bit(x, std::min(position + length - 1, top));
  uint64_t result = 0;
  for (uint64_t i = 0; i <= top; ++i)
    result |= uint64_t{i < length && position + i <= top ? bit(x, position + i) : sign} << i;
  return static_cast<T>(result);
}

template <class U>
U bfi_by_definition(U a, U b, uint32_t c, uint32_t d) {
  const uint64_t top = 8 * sizeof(U) - 1, position = counts<U>(c), length = counts<U>(d);
  uint64_t result = b;
  for (uint64_t i = 0; i < length && position + i <= top; ++i)
    result = (result & ~(uint64_t{1} << (position + i))) | uint64_t{bit(a, i)} << (position + i);
  return static_cast<U>(result);
}

TEST(Bits, FieldsAgreeWithLoopsOverTheirBits) {
  Random random(kBitsSeed);
  for (int i = 0; i < 50000 && !HasFailure(); ++i) {
    const uint64_t a = random.next(), b = random.next();
    const auto position = static_cast<uint32_t>(i % 5 == 0 ? random.next() : random.below(i % 2 == 0 ? 70 : 330));
    const auto length = static_cast<uint32_t>(i % 7 == 0 ? random.next() : random.below(i % 3 == 0 ? 70 : 330));
    const auto a32 = static_cast<uint32_t>(a), b32 = static_cast<uint32_t>(b);
    EXPECT_EQ(bfe(a32, position, length), bfe_by_definition(a32, position, length)) << position << " " << length;
    EXPECT_EQ(bfe(static_cast<int32_t>(a32), position, length),
              bfe_by_definition(static_cast<int32_t>(a32), position, length))
        << position << " " << length;
    EXPECT_EQ(bfe(a, position, length), bfe_by_definition(a, position, length)) << position << " " << length;
    EXPECT_EQ(bfe(static_cast<int64_t>(a), position, length),
              bfe_by_definition(static_cast<int64_t>(a), position, length))
        << position << " " << length;
    EXPECT_EQ(bfi(a32, b32, position, length), bfi_by_definition(a32, b32, position, length));
    EXPECT_EQ(bfi(a, b, position, length), bfi_by_definition(a, b, position, length));
  }
}

TEST(Bits, CountsAndReversal) {
  EXPECT_EQ(popc(uint32_t{0xf0f0}), 8u);
  EXPECT_EQ(clz(uint32_t{0}), 32u);
  EXPECT_EQ(clz(uint64_t{1}), 63u);
  EXPECT_EQ(brev(uint32_t{1}), 0x80000000u);
  EXPECT_EQ(brev(uint64_t{0x3}), 0xc000000000000000u);
  EXPECT_EQ(bfind<false>(uint32_t{0x00010000}), 16u);
  EXPECT_EQ(bfind<true>(uint32_t{0x00010000}), 15u);
  EXPECT_EQ(bfind<false>(int32_t{-1}), 0xffffffffu);
  EXPECT_EQ(bfind<true>(int32_t{0}), 0xffffffffu);
  EXPECT_EQ(bfind<false>(int32_t{-256}), 7u);
  EXPECT_EQ(bfind<false>(int64_t{1} << 40), 40u);
}

TEST(Bits, ShiftsClampAtTheWidth) {
  EXPECT_EQ(shl(uint32_t{1}, 31), 0x80000000u);
  EXPECT_EQ(shl(uint32_t{1}, 32), 0u);
  EXPECT_EQ(shl(uint16_t{1}, 16), 0);
  EXPECT_EQ(shr(uint64_t{1} << 63, 64), 0u);
  EXPECT_EQ(shr(int32_t{-8}, 100), -1);
  EXPECT_EQ(shr(int16_t{-8}, 1), -4);
  EXPECT_EQ(shr(uint32_t{0x80000000}, 0xffffffffu), 0u);
  EXPECT_EQ(shf_l<false>(0x80000000u, 1u, 1), 3u);
  EXPECT_EQ(shf_l<true>(0x12345678u, 0u, 40), 0x12345678u);
  EXPECT_EQ(shf_l<false>(0x12345678u, 7u, 32), 7u);
  EXPECT_EQ(shf_r<false>(0x80000000u, 1u, 1), 0xc0000000u);
  EXPECT_EQ(shf_r<true>(5u, 9u, 77), 9u);
}

TEST(Bits, MasksAndExtension) {
  EXPECT_EQ(bmsk<true>(4, 4), 0xf0u);
  EXPECT_EQ(bmsk<true>(0, 32), 0xffffffffu);
  EXPECT_EQ(bmsk<true>(32, 4), 0u);
  EXPECT_EQ(bmsk<true>(28, 8), 0xf0000000u);
  EXPECT_EQ(bmsk<false>(33, 33), 2u);
  EXPECT_EQ((szext<true>(int32_t{0x80}, 8)), -128);
  EXPECT_EQ((szext<true>(uint32_t{0x180}, 8)), 0x80u);
  EXPECT_EQ((szext<true>(int32_t{-7}, 99)), -7);
  EXPECT_EQ((szext<false>(int32_t{-7}, 32)), 0);
  EXPECT_EQ(fns(0xffffffffu, 0, 1), 0u);
  EXPECT_EQ(fns(0xaaaaaaaau, 0, 3), 5u);
  EXPECT_EQ(fns(0xaaaaaaaau, 31, -2), 29u);
  EXPECT_EQ(fns(0xaaaaaaaau, 3, 0), 3u);
  EXPECT_EQ(fns(0xaaaaaaaau, 2, 0), 0xffffffffu);
  EXPECT_EQ(fns(1u, 0, 2), 0xffffffffu);
}

TEST(Bits, PermutesBytes) {
  const uint32_t a = 0x83020180u, b = 0x07060504u;
  EXPECT_EQ(prmt(a, b, 0x3210), a);
  EXPECT_EQ(prmt(a, b, 0x7654), b);
  EXPECT_EQ(prmt(a, b, 0x98b0), 0x00ffff80u);  // bytes 1, 0, 3 by their signs
  EXPECT_EQ((prmt<PermuteMode::f4e>(a, b, 1)), 0x04830201u);
  EXPECT_EQ((prmt<PermuteMode::b4e>(a, b, 1)), 0x06078001u);
  EXPECT_EQ((prmt<PermuteMode::rc8>(a, b, 3)), 0x83838383u);
  EXPECT_EQ((prmt<PermuteMode::ecl>(a, b, 2)), 0x83020202u);
  EXPECT_EQ((prmt<PermuteMode::ecr>(a, b, 1)), 0x01010180u);
  EXPECT_EQ((prmt<PermuteMode::rc16>(a, b, 5)), 0x83028302u);
}

TEST(Bits, LogicTableMeansItsThreeOperands) {
  const uint32_t a = 0xf0f0f0f0u, b = 0xccccccccu, c = 0xaaaaaaaau;
  for (uint32_t table = 0; table < 256; ++table) EXPECT_EQ(lop3(a, b, c, table), table * 0x01010101u);
  EXPECT_EQ(lop3(0x12345678u, 0x0f0f0f0fu, 0x55555555u, 0xe8),
            (0x12345678u & 0x0f0f0f0fu) | (0x12345678u & 0x55555555u) | (0x0f0f0f0fu & 0x55555555u));
}

}  // namespace
}  // namespace assay::vgpu::semantics
