// SPDX-License-Identifier: MIT
#include "spec/shape.hpp"

#include <gtest/gtest.h>

#include "sample_spec.hpp"

namespace assay::spec {
namespace {

TEST(Shape, ListsAreCompletedWithDefaults) {
  const auto canonical = shapes(sample_spec(), "canonical");
  ASSERT_TRUE(canonical.ok());
  ASSERT_EQ(canonical->size(), 2u);
  EXPECT_EQ(canonical->at(0).text(), "D=64,S=512,causal=false,dtype=f16");
  EXPECT_EQ(canonical->at(1).text(), "D=128,S=512,causal=false,dtype=bf16");
}

TEST(Shape, GridsAreProducts) {
  const auto edges = shapes(sample_spec(), "edges");
  ASSERT_TRUE(edges.ok());
  std::vector<std::string> texts;
  for (const Shape& shape : *edges) texts.push_back(shape.text());
  EXPECT_EQ(texts, (std::vector<std::string>{"D=64,S=1,causal=false,dtype=f16", "D=64,S=1,causal=true,dtype=f16",
                                             "D=64,S=65,causal=false,dtype=f16", "D=64,S=65,causal=true,dtype=f16"}));
}

TEST(Shape, ConstraintsExclude) {
  const auto huge = shapes(sample_spec(), "huge");
  ASSERT_EQ(huge->size(), 1u);
  EXPECT_EQ(huge->front().values.at("S"), Value(64));
}

TEST(Shape, UnknownSet) {
  const auto nothing = shapes(sample_spec(), "canonica");
  ASSERT_FALSE(nothing.ok());
  EXPECT_EQ(nothing.error().message, "[shapes] has no \"canonica\"");
  EXPECT_EQ(nothing.error().hint, "did you mean \"canonical\"?");
}

TEST(Shape, AllOnceAndSmallestFirst) {
  KernelSpec spec = sample_spec();
  spec.shapes.sets.push_back(spec.shapes.sets.front());  // every shape of it is there already
  const auto all = all_shapes(spec);
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), 7u);
  for (size_t i = 1; i < all->size(); ++i) EXPECT_LE(volume((*all)[i - 1]), volume((*all)[i]));
  EXPECT_EQ(volume(all->front()), 64);
  EXPECT_EQ(first_shape(spec)->text(), "D=64,S=512,causal=false,dtype=f16");
}

TEST(Shape, Parses) {
  const KernelSpec spec = sample_spec();
  EXPECT_EQ(parse_shape(spec, "S=7,D=64")->text(), "D=64,S=7,causal=false,dtype=f16");
  EXPECT_EQ(parse_shape(spec, "S=7, D=64, causal=1, dtype=f32")->text(), "D=64,S=7,causal=true,dtype=f32");
  const Shape shape = *parse_shape(spec, "S=7,D=64,causal=true");
  EXPECT_EQ(*parse_shape(spec, shape.text()), shape);
}

TEST(Shape, ParsingMistakes) {
  const KernelSpec spec = sample_spec();
  const std::vector<std::pair<std::string, std::string>> cases{
      {"S=7", "--shape \"S=7\" has no \"D\"; expected D=VALUE"},
      {"S=7,D=64,T=1", "unknown name \"T\" in --shape \"S=7,D=64,T=1\""},
      {"S=-3,D=64", "S=-3 in the shape; expected at least 0"},
      {"S=true,D=64", "S=true in the shape is a boolean; expected an integer"},
      {"S=7,D=64,dtype=3", "dtype=3 in the shape is an integer; expected an element type"},
      {"S=7,D=64,causal=2", "causal=2 in the shape is an integer; expected a boolean"},
      {"S=7,D=64,dtype=half",
       "\"half\" in --shape \"S=7,D=64,dtype=half\" is not a value; expected an integer, true, false or an element "
       "type"},
      {"S=70000,D=64", "the shape D=64,S=70000,causal=false,dtype=f16 breaks the constraint \"S*D <= 100000\""},
  };
  for (const auto& [text, message] : cases) {
    const auto parsed = parse_shape(spec, text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().message, message);
  }
}

TEST(Shape, PairConstraintsGiveAReason) {
  const KernelSpec spec = sample_spec();
  const Configuration configuration = *parse_configuration(spec, "BLOCK=128");
  EXPECT_EQ(*why_not_applicable(spec, configuration, *parse_shape(spec, "S=64,D=64")), "");
  EXPECT_EQ(*why_not_applicable(spec, configuration, *parse_shape(spec, "S=63,D=64")),
            "the constraint \"BLOCK <= 2*S\" does not hold for D=64,S=63,causal=false,dtype=f16");
}

}  // namespace
}  // namespace assay::spec
