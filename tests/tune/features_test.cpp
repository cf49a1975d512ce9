// SPDX-License-Identifier: MIT
#include "tune/features.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "small_space.hpp"

namespace assay::tune {
namespace {

const Feature* find(const Features& features, const std::string& name) {
  const auto found = std::ranges::find(features.list, name, &Feature::name);
  return found == features.list.end() ? nullptr : &*found;
}

Space two_sizes(const std::string& first, const std::string& second) {
  Parameter a{first, {}}, b{second, {}};
  for (int value = 16; value <= 96; value += 16) a.values.push_back(number_value(value));
  for (int value = 1; value <= 4; ++value) b.values.push_back(number_value(value));
  std::vector<uint16_t> rows;
  for (uint16_t i = 0; i < 6; ++i) {
    for (uint16_t j = 0; j < 4; ++j) rows.insert(rows.end(), {i, j});
  }
  return std::move(Space::make({a, b}, rows)).value();
}

TEST(Features, ProductsOfSizesAreThereForWhatFails) {
  const Space space = two_sizes("WIDE", "DEEP");
  Features features = describe(space);
  EXPECT_EQ(find(features, "WIDE*DEEP"), nullptr);
  add_size_products(features, space);
  ASSERT_NE(find(features, "WIDE*DEEP"), nullptr);
  EXPECT_EQ(find(features, "WIDE*DEEP")->values.back(), 1);
}

TEST(Features, SwitchesAreNoSizes) {
  Parameter a{"FAST", {number_value(0), number_value(1)}}, b{"NAME", {word_value("x"), word_value("y")}};
  const Space space = std::move(Space::make({a, b}, {0, 0, 0, 1, 1, 0, 1, 1})).value();
  Features features = describe(space);
  const size_t before = features.list.size();
  add_size_products(features, space);
  EXPECT_EQ(features.list.size(), before);
}

TEST(Features, LieBetweenZeroAndOne) {
  const Features features = describe(small_space());
  for (const Feature& feature : features.list) {
    const auto [least, most] = std::ranges::minmax_element(feature.values);
    EXPECT_EQ(*least, 0) << feature.name;
    EXPECT_EQ(*most, 1) << feature.name;
  }
}

TEST(Features, PowersOfTwoThatDivideAreOne) {
  const Space space = small_space();
  const Features features = describe(space);
  const Feature* twos = find(features, "twos in BLOCK");
  ASSERT_NE(twos, nullptr);
  const auto at = [&](uint16_t block) { return twos->values[*space.find(std::vector<uint16_t>{block, 0, 0})]; };
  EXPECT_LT(at(2), at(1));  // 96 and 64
  EXPECT_EQ(at(0), at(2));  // 32 and 96
}

TEST(Features, PowersOfTwoAloneHaveNoSecondFeature) {
  const Parameter a{"A", {number_value(1), number_value(2), number_value(4), number_value(8)}};
  const Features features = describe(*Space::make({a}, {0, 1, 2, 3}));
  ASSERT_EQ(features.list.size(), 1u);
}

TEST(Features, AWordIsOneNumberPerValue) {
  EXPECT_NE(find(describe(small_space()), "LAYOUT=columns"), nullptr);
  EXPECT_EQ(find(describe(small_space()), "LAYOUT=rows"), nullptr);  // of two, one says it all
}

// However many there are: a choice of flags counts no more than a size does.
TEST(Features, TwoWordsAreAsFarApartAsTheEndsOfARange) {
  for (const size_t words : {2, 3, 5}) {
    Parameter flags{"FLAGS", {}};
    std::vector<uint16_t> rows;
    for (uint16_t i = 0; i < words; ++i) {
      flags.values.push_back(word_value("-O" + std::to_string(i)));
      rows.push_back(i);
    }
    double squared = 0;
    for (const Feature& each : describe(std::move(Space::make({flags}, rows)).value()).list)
      squared += (each.values[0] - each.values[1]) * (each.values[0] - each.values[1]);
    EXPECT_NEAR(squared, 1, 1e-5) << words;
  }
}

TEST(Features, ThreadsOfABlockAreKnownByName) {
  const Features known = describe(two_sizes("block_size_x", "block_size_y"));
  EXPECT_NE(find(known, "block_size_x*block_size_y"), nullptr);
  EXPECT_NE(find(known, "twos in threads"), nullptr);
  EXPECT_EQ(find(describe(two_sizes("tile_x", "tile_y")), "twos in threads"), nullptr);
}

TEST(Features, AParameterWithOneValueIsNone) {
  const Parameter a{"A", {number_value(5)}}, b{"B", {number_value(1), number_value(2)}};
  EXPECT_EQ(describe(*Space::make({a, b}, {0, 0, 0, 1})).list.size(), 1u);
}

}  // namespace
}  // namespace assay::tune
