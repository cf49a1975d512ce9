// SPDX-License-Identifier: MIT
#include "vgpu/semantics/sparse.hpp"

#include <array>
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace assay::vgpu::semantics {
namespace {

TEST(Sparse, TwoOfFourGoWhereTheirBitsSay) {
  const std::array there{5, 7};
  std::array<int, 4> group{};
  ASSERT_TRUE(expand_group(Sparsity::two_of_four, 0b1101u, there.data(), group.data()));
  EXPECT_EQ(group, (std::array{0, 5, 0, 7}));
  group = {};
  ASSERT_TRUE(expand_group(Sparsity::two_of_four, 0b0010u, there.data(), group.data())) << "out of order";
  EXPECT_EQ(group, (std::array{7, 0, 5, 0}));
}

TEST(Sparse, PairsOfFourBitsGoTogether) {
  const std::array there{1, 2, 3, 4};
  std::array<int, 8> group{};
  ASSERT_TRUE(expand_group(Sparsity::pairs_of_four, 0b1100u, there.data(), group.data()));
  EXPECT_EQ(group, (std::array{1, 2, 0, 0, 0, 0, 3, 4}));
}

TEST(Sparse, OneOfTwoIsNamedByTheHalvesOfItsPlace) {
  const std::array there{9};
  std::array<int, 2> group{};
  ASSERT_TRUE(expand_group(Sparsity::one_of_two, 0b0100u, there.data(), group.data()));
  EXPECT_EQ(group, (std::array{9, 0}));
  group = {};
  ASSERT_TRUE(expand_group(Sparsity::one_of_two, 0b1110u, there.data(), group.data()));
  EXPECT_EQ(group, (std::array{0, 9}));
}

TEST(Sparse, BitsThatTheManualLeavesOpenAreRefused) {
  const std::array there{1, 2};
  std::array<int, 4> group{};
  for (const uint32_t twice : {0b0000u, 0b0101u, 0b1010u, 0b1111u})
    EXPECT_FALSE(expand_group(Sparsity::two_of_four, twice, there.data(), group.data())) << twice;
  for (const uint32_t bits : {0b0000u, 0b0001u, 0b1100u, 0b1011u})
    EXPECT_FALSE(expand_group(Sparsity::one_of_two, bits, there.data(), group.data())) << bits;
  EXPECT_EQ(group, (std::array<int, 4>{}));
}

TEST(Sparse, EveryGroupHasBitsOfItsOwn) {
  for (const bool narrow : {false, true}) {
    for (const size_t groups : narrow ? std::array<size_t, 2>{8, 16} : std::array<size_t, 2>{4, 8}) {
      std::set<std::pair<size_t, size_t>> places;
      for (const bool upper : {false, true}) {
        for (size_t group = 0; group < groups; ++group) {
          const auto [lane, shift] = metadata_place(narrow, upper, group);
          EXPECT_LT(lane, metadata_lanes(narrow, groups));
          EXPECT_LT(shift, 32u);
          EXPECT_EQ(shift % 4, 0u);
          places.emplace(lane, shift);
        }
      }
      EXPECT_EQ(places.size(), 2 * groups);
      EXPECT_EQ(places.size() * 4, 32 * metadata_lanes(narrow, groups)) << "no bit is left";
    }
  }
}

}  // namespace
}  // namespace assay::vgpu::semantics
