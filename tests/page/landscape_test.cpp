// SPDX-License-Identifier: MIT
#include "page/landscape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <gtest/gtest.h>
#include <set>

#include "page/tuning_lines.hpp"
#include "page/tuning_map.hpp"
#include "page/tuning_order.hpp"

namespace assay::page {
namespace {

TunedCase tuned(const std::vector<std::pair<std::string, double>>& points) {
  TunedCase made;
  made.attempt.kernel = "k";
  made.quantity = "measured time";
  made.unit = "ms";
  for (const auto& [configuration, value] : points) {
    if (value > 0) {
      made.points.push_back({configuration, value, "", ""});
    } else {
      made.points.push_back({configuration, std::nullopt, "compile", ""});
    }
  }
  return made;
}

// Every combination of A, B and C, with a time by formula.
TunedCase cube(int values, const std::function<double(int, int, int)>& time) {
  std::vector<std::pair<std::string, double>> points;
  for (int a = 0; a < values; ++a) {
    for (int b = 0; b < values; ++b) {
      for (int c = 0; c < values; ++c) points.emplace_back(fmt::format("A={},B={},C={}", a, b, c), time(a, b, c));
    }
  }
  return tuned(points);
}

bool drawn_in(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

std::pair<std::string, std::string> names(const TunedCase& of) {
  const Landscape landscape = landscape_of(of);
  const MapChoice choice = choose_map(landscape);
  return {choice.across ? landscape.columns[*choice.across].name : "",
          choice.down ? landscape.columns[*choice.down].name : ""};
}

TEST(Landscape, NumbersStandBySizeAndWordsByLetters) {
  const Landscape landscape = landscape_of(tuned({{"M=128,T=true,W=row", 1},
                                                  {"M=64,T=false,W=column", 2},
                                                  {"M=1024,T=true,W=block", 3},
                                                  {"M=64,T=true,W=row", 4}}));
  ASSERT_EQ(landscape.columns.size(), 3u);
  EXPECT_EQ(landscape.columns[0].values, (std::vector<std::string>{"64", "128", "1024"}));
  EXPECT_TRUE(landscape.columns[0].numbers);
  EXPECT_EQ(landscape.columns[1].values, (std::vector<std::string>{"false", "true"}));
  EXPECT_EQ(landscape.columns[2].values, (std::vector<std::string>{"block", "column", "row"}));
  EXPECT_FALSE(landscape.columns[2].numbers);
  EXPECT_EQ(landscape.rows[2].values, (std::vector<size_t>{2, 1, 0}));
  EXPECT_DOUBLE_EQ(*landscape.rows[3].ratio, 4);
}

TEST(Landscape, WhatAConfigurationDoesNotNameHasNoValueThere) {
  const Landscape landscape = landscape_of(tuned({{"A=1", 1}, {"A=2,B=x", 2}, {"default", 3}, {"A=1,B=x,y", 4}}));
  ASSERT_EQ(landscape.columns.size(), 2u);
  EXPECT_EQ(landscape.columns[1].values, (std::vector<std::string>{kNoValue, "x", "x,y"})) << "a comma in a value";
  EXPECT_EQ(landscape.rows[2].values, (std::vector<size_t>{0, 0}));
}

TEST(Landscape, TheMapShowsThePairThatExplainsMost) {
  // C alone explains most; A and B together, of which neither explains anything alone, explain more.
  const auto crossed = [](int a, int b, int c) { return std::exp(((a + b) % 2 == 0 ? 0.0 : 1.0) + 0.4 * c); };
  EXPECT_EQ(names(cube(2, crossed)), std::pair(std::string("A"), std::string("B")));
  const auto sum = [](int a, int b, int c) { return std::exp(0.01 * a + 0.5 * b + 0.7 * c); };
  EXPECT_EQ(names(cube(3, sum)), std::pair(std::string("C"), std::string("B")));
  const MapChoice choice = choose_map(landscape_of(cube(3, sum)));
  EXPECT_GT(choice.share.value(), 0.99);
}

TEST(Landscape, WhereCellsHoldOneResultThoseThatExplainMostAloneAreShown) {
  // A Latin square: each pair of values once, so that no pair has two results in a cell.
  std::vector<std::pair<std::string, double>> points;
  for (int a = 0; a < 4; ++a) {
    for (int b = 0; b < 4; ++b)
      points.emplace_back(fmt::format("A={},B={},C={}", a, b, (a + b) % 4), std::exp(a + 0.1 * b));
  }
  const Landscape landscape = landscape_of(tuned(points));
  const MapChoice choice = choose_map(landscape);
  EXPECT_EQ(landscape.columns[*choice.across].name, "A");
  EXPECT_FALSE(choice.share) << "each cell with one result explains itself";
}

TEST(Landscape, WordsStandAtTheSide) {
  EXPECT_EQ(names(tuned({{"A=x,B=1", 1}, {"A=y,B=1", 2}, {"A=z,B=2", 3}, {"A=x,B=2", 4}})),
            std::pair(std::string("B"), std::string("A")));
}

TEST(Landscape, OneTunableAndNoneAndNoTime) {
  EXPECT_EQ(names(tuned({{"A=1,B=7", 1}, {"A=2,B=7", 2}})), std::pair(std::string("A"), std::string("")));
  EXPECT_EQ(names(tuned({{"default", 1}})), std::pair(std::string(""), std::string("")));
  EXPECT_EQ(names(tuned({{"A=1,B=1", 0}, {"A=2,B=2", 0}})), std::pair(std::string("A"), std::string("B")))
      << "all failed";
  const TunedCase equal = cube(2, [](int, int, int) { return 3.0; });
  EXPECT_EQ(names(equal), std::pair(std::string("A"), std::string("B")));
  EXPECT_FALSE(landscape_of(equal).columns[0].share) << "there is nothing to explain";
}

TEST(Landscape, ACellIsItsBestAndSaysHowManyWereTriedAndWhyTheyFailed) {
  TunedCase of = tuned({{"A=1,B=1,C=1", 4},
                        {"A=1,B=1,C=2", 3},
                        {"A=1,B=1,C=3", 0},
                        {"A=2,B=1,C=1", 0},
                        {"A=2,B=1,C=2", 0},
                        {"A=2,B=1,C=3", 0},
                        {"A=2,B=2,C=1", 6}});
  of.points[4].failure = of.points[5].failure = "incorrect";
  of.tie_group = {"A=1,B=1,C=2"};
  const Landscape landscape = landscape_of(of);
  const TuningMap map = map_of(of, landscape, {0, 1});
  ASSERT_EQ(map.cells.size(), 4u);
  EXPECT_EQ(map.at(0, 0).best, 1u);
  EXPECT_EQ(map.at(0, 0).tried, 3u);
  EXPECT_EQ(map.at(0, 0).failed, 1u);
  EXPECT_TRUE(map.at(0, 0).tied);
  EXPECT_FALSE(map.at(1, 0).best);
  EXPECT_EQ(map.at(1, 0).failure, "incorrect") << "two of three";
  EXPECT_EQ(map.at(0, 1).tried, 0u);
  EXPECT_DOUBLE_EQ(map.worst_ratio, 2);
  const std::string svg = draw_map(map, landscape, 760);
  EXPECT_TRUE(drawn_in(svg, ">1.00<"));
  EXPECT_TRUE(drawn_in(svg, ">best of 3<"));
  EXPECT_TRUE(drawn_in(svg, ">wrong result<"));
  EXPECT_EQ(count(svg, "class=\"cell failed\""), 1u);
  EXPECT_EQ(count(svg, "class=\"untried\""), 1u);
  EXPECT_EQ(count(svg, "class=\"tied\""), 1u);
}

TEST(Landscape, ManyValuesShareCells) {
  std::vector<std::pair<std::string, double>> points;
  for (int i = 0; i < 100; ++i) points.emplace_back(fmt::format("A={},B={}", i, i % 2), 1 + i);
  const TunedCase of = tuned(points);
  const Landscape landscape = landscape_of(of);
  const TuningMap map = map_of(of, landscape, choose_map(landscape));
  EXPECT_EQ(map.across.name, "A");
  EXPECT_LE(map.across.labels.size(), 16u);
  EXPECT_EQ(map.across.labels.front(), "0 to 6");
  size_t tried = 0;
  for (const MapCell& cell : map.cells) tried += cell.tried;
  EXPECT_EQ(tried, 100u);
}

TEST(Landscape, NearnessIsOneAtTheBestAndNothingAtTheWorst) {
  EXPECT_DOUBLE_EQ(nearness(1, 3), 1);
  EXPECT_DOUBLE_EQ(nearness(3, 3), 0);
  EXPECT_DOUBLE_EQ(nearness(9, 20), 0) << "beyond four times";
  EXPECT_DOUBLE_EQ(nearness(2, 20), 0.5);
  EXPECT_DOUBLE_EQ(nearness(1, 1), 1) << "all are the same";
}

TEST(Landscape, OfASmallTuningAllIsListedAndOfALargeOneWhatTells) {
  const TunedCase small = cube(3, [](int a, int b, int c) { return 1.0 + a + b + c; });
  EXPECT_EQ(listed_rows(small, landscape_of(small)).size(), 27u);
  TunedCase large = cube(17, [](int a, int b, int c) { return c == 16 && b == 3 ? 0 : 5.0 + a * b + c; });
  large.points[4000].failure = "";
  large.points[4000].value = 77;
  large.tie_group = {large.points[4000].configuration};
  const Landscape landscape = landscape_of(large);
  const std::vector<size_t> rows = listed_rows(large, landscape);
  EXPECT_LE(rows.size(), kListedRows + 100);
  EXPECT_EQ(std::set<size_t>(rows.begin(), rows.end()).size(), rows.size()) << "none twice";
  EXPECT_EQ(landscape.rows[rows.front()].rank, 0u);
  EXPECT_EQ(std::ranges::count(rows, 4000u), 1) << "the tie group";
  EXPECT_TRUE(std::ranges::any_of(rows, [&](size_t row) { return !landscape.rows[row].ratio; })) << "a failure";
  std::set<size_t> values;
  for (const size_t row : rows) values.insert(landscape.rows[row].values[0]);
  EXPECT_EQ(values.size(), 17u) << "the best with each value";
}

TEST(Landscape, LinesGoThroughEachAxisToTheirTimeOrTheirFailure) {
  TunedCase of = cube(2, [](int a, int b, int c) { return a + b + c == 3 ? 0 : 1.0 + a + b; });
  of.tie_group = {"A=0,B=0,C=0", "A=0,B=0,C=1"};
  const Landscape landscape = landscape_of(of);
  for (const double width : {760.0, 330.0}) {
    const std::string svg = draw_lines(of, landscape, listed_rows(of, landscape), width);
    EXPECT_EQ(count(svg, "data-row="), 8u);
    EXPECT_EQ(count(svg, "\"way tied\""), 2u);
    EXPECT_EQ(count(svg, "\"way failed\""), 1u);
    EXPECT_TRUE(drawn_in(svg, ">compile error<"));
    EXPECT_LT(svg.rfind("\"way failed\""), svg.find("\"way tied\"")) << "the tie group lies on top";
    const size_t failed = svg.find("\"way failed\"");
    EXPECT_EQ(count(svg.substr(failed, svg.find("/>", failed) - failed), "L"), 3u) << "to the outcome, not to a time";
  }
}

// Nothing that a ledger may hold is too much, and nothing of it ends an element.
TEST(Landscape, OddTuningsAreDrawn) {
  std::vector<std::pair<std::string, double>> named;
  for (int i = 0; i < 300; ++i) named.emplace_back(fmt::format("NAME_{}=1", i), 1.0 + i);
  for (const TunedCase& of : {tuned({{"default", 1}}), tuned({{"", 0}}), tuned({{"A=1", 0}, {"A=2", 0}}),
                              tuned({{"A=1", 1e-300}, {"A=2", 1e300}}),
                              tuned({{"<b>=</svg>,\"=1", 1}, {"<b>=</title>,\"=2", 2}, {"<b>=\xFF,\"=3", 2}}),
                              tuned(named), cube(2, [](int, int, int) { return 2.0; })}) {
    const Landscape landscape = landscape_of(of);
    const MapChoice choice = choose_map(landscape);
    for (const double width : {760.0, 330.0}) {
      std::string svg = draw_lines(of, landscape, listed_rows(of, landscape), width) + draw_order(landscape, width);
      if (choice.across) svg += draw_map(map_of(of, landscape, choice), landscape, width);
      EXPECT_FALSE(drawn_in(svg, "nan"));
      EXPECT_FALSE(drawn_in(svg, "inf"));
      EXPECT_FALSE(drawn_in(svg, "<b>"));
      EXPECT_EQ(count(svg, "</svg>"), choice.across ? 3u : 2u);
    }
  }
}

}  // namespace
}  // namespace assay::page
