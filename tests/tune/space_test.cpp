// SPDX-License-Identifier: MIT
#include "tune/space.hpp"

#include <gtest/gtest.h>

#include "small_space.hpp"

namespace assay::tune {
namespace {

TEST(Space, FindsWhatIsInItAndNothingElse) {
  const Space space = small_space();
  ASSERT_EQ(space.size(), 64u);
  for (size_t i = 0; i < space.size(); ++i) EXPECT_EQ(space.find(space.row(i)), i);
  EXPECT_FALSE(space.find(std::vector<uint16_t>{8, 0, 0}));
  EXPECT_FALSE(space.find(std::vector<uint16_t>{0, 0}));
  EXPECT_EQ(space.id(1), "BLOCK=32,ITEMS=1,LAYOUT=columns");
}

TEST(Space, NeighboursDifferInOneParameter) {
  const Space space = small_space();
  const std::vector<size_t> all = space.neighbours(0);
  EXPECT_EQ(all.size(), 7u + 3u + 1u);
  for (const size_t each : all) EXPECT_EQ(space.distance(0, each), 1u);
  EXPECT_EQ(space.adjacent(0).size(), 3u);  // one up in each parameter, nothing below
}

TEST(Space, TheNextValueIsTheNextNumber) {
  const auto space =
      Space::make({{"A", {number_value(64), number_value(16), number_value(128), number_value(32)}}}, {0, 1, 2, 3});
  ASSERT_TRUE(space.ok());
  EXPECT_EQ(space->adjacent(0), (std::vector<size_t>{3, 2}));  // of 64: 32 and 128
  EXPECT_EQ(space->adjacent(1), (std::vector<size_t>{3}));
}

TEST(Space, NeighboursThatAreNotValidAreLeftOut) {
  const Parameter a{"A", {number_value(1), number_value(2), number_value(3)}};
  const auto space = Space::make({a, a}, {0, 0, 2, 0, 1, 1});
  ASSERT_TRUE(space.ok());
  EXPECT_EQ(space->neighbours(0), (std::vector<size_t>{1}));
  EXPECT_EQ(space->adjacent(0), (std::vector<size_t>{1}));  // over the gap
}

TEST(Space, RefusesWhatIsNotASpace) {
  const Parameter a{"A", {number_value(1), number_value(2)}};
  EXPECT_FALSE(Space::make({}, {}).ok());
  EXPECT_FALSE(Space::make({a}, {}).ok());
  EXPECT_FALSE(Space::make({a, a}, {0, 0, 1}).ok());
  EXPECT_FALSE(Space::make({{"A", {}}}, {0}).ok());
  const auto twice = Space::make({a}, {1, 1});
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.error().message.find("A=2"), std::string::npos);
  const auto beyond = Space::make({a}, {2});
  ASSERT_FALSE(beyond.ok());
  EXPECT_NE(beyond.error().message.find("'A'"), std::string::npos);
}

}  // namespace
}  // namespace assay::tune
