// SPDX-License-Identifier: MIT
#include "check/shrink.hpp"

#include <gtest/gtest.h>

#include "shape_value.hpp"

namespace assay::check {
namespace {

using spec::Shape;
using spec::Value;

Domain open(const std::string& name, int64_t limit) {
  return {name, true, limit, {}};
}
Domain closed(const std::string& name, std::vector<Value> values) {
  return {name, false, 1, std::move(values)};
}

Shape shape(int64_t b, int64_t s, int64_t d, bool causal) {
  return {{{"B", b}, {"S", s}, {"D", d}, {"causal", causal}}};
}

const std::vector<Domain> kDomains = {open("B", 8), open("S", 4096), closed("D", {Value(64), Value(128)}),
                                      closed("causal", {Value(false), Value(true)})};

bool anything(const Shape&) {
  return true;
}

TEST(Shrink, FindsTheSmallestFailingLength) {
  const Shrunk shrunk =
      shrink(shape(4, 512, 128, true), kDomains, anything, [](const Shape& s) { return get(s, "S") >= 65; });
  EXPECT_EQ(shrunk.shape, shape(1, 65, 64, false));
  EXPECT_TRUE(shrunk.minimal);
  EXPECT_LE(shrunk.evaluations, 80u);
}

TEST(Shrink, KeepsWhatTheFailureNeeds) {
  const Shrunk shrunk = shrink(shape(4, 512, 128, true), kDomains, anything, [](const Shape& s) {
    return get(s, "B") >= 2 && s.values.at("causal").boolean() && get(s, "S") % 2 == 0 && get(s, "D") == 128;
  });
  EXPECT_EQ(get(shrunk.shape, "B"), 2);
  EXPECT_EQ(get(shrunk.shape, "D"), 128);
  EXPECT_TRUE(shrunk.shape.values.at("causal").boolean());
  EXPECT_EQ(get(shrunk.shape, "S") % 2, 0);
}

TEST(Shrink, TriesOnlyLegalShapes) {
  const auto legal = [](const Shape& s) { return get(s, "S") % 16 == 0; };
  const Shrunk shrunk = shrink(shape(1, 512, 64, false), kDomains, legal, [&](const Shape& s) {
    EXPECT_TRUE(legal(s)) << s.text();
    return get(s, "S") > 100;
  });
  EXPECT_EQ(get(shrunk.shape, "S"), 112);
  EXPECT_TRUE(shrunk.minimal);
}

TEST(Shrink, WhatFailsOnlyAsItIsStays) {
  const Shape failing = shape(3, 77, 128, true);
  const Shrunk shrunk = shrink(failing, kDomains, anything, [&](const Shape& s) { return s == failing; });
  EXPECT_EQ(shrunk.shape, failing);
  EXPECT_TRUE(shrunk.minimal);
}

TEST(Shrink, StopsWhenTheEvaluationsRunOut) {
  size_t calls = 0;
  const Shrunk shrunk = shrink(shape(8, 4096, 128, true), kDomains, anything,
                               [&](const Shape& s) { return ++calls, get(s, "S") > 3000; }, {5});
  EXPECT_EQ(calls, 5u);
  EXPECT_EQ(shrunk.evaluations, 5u);
  EXPECT_FALSE(shrunk.minimal);
  EXPECT_GT(get(shrunk.shape, "S"), 3000);
}

TEST(Shrink, IsDeterministic) {
  const auto fails = [](const Shape& s) { return (get(s, "S") * 7 + get(s, "B") * 3) % 5 != 0; };
  const Shrunk first = shrink(shape(7, 1001, 128, true), kDomains, anything, fails);
  const Shrunk second = shrink(shape(7, 1001, 128, true), kDomains, anything, fails);
  EXPECT_EQ(first.shape, second.shape);
  EXPECT_EQ(first.evaluations, second.evaluations);
  EXPECT_TRUE(fails(first.shape));
}

}  // namespace
}  // namespace assay::check
