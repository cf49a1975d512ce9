// SPDX-License-Identifier: MIT
#include "evolve/specification_text.hpp"

#include <gtest/gtest.h>

namespace assay::evolve {
namespace {

OriginalSpecification original(const std::string& text) {
  return {text, {"BLOCK"}, {"N", "HALF"}, "BLOCK=64"};
}

const std::string kText =
    "[kernel]\nname = \"k\"\n\n[tunable]  # each becomes -D\nBLOCK = [64, 128]\n"
    "constraints = [\"BLOCK > 0\"]\n\n[shapes]\ncanonical = [{ N = 1 }]\n";
const NewTunable kWidth{"WIDTH", {int64_t{1}, int64_t{4}}};

TEST(SpecificationText, NewTunablesStandInTheirSection) {
  const auto text = with_tunables(original(kText), {kWidth, {"FAST", {true, false}}}, {"WIDTH <= BLOCK"});
  ASSERT_TRUE(text.ok()) << to_string(text.error());
  EXPECT_EQ(*text,
            "[kernel]\nname = \"k\"\n\n[tunable]  # each becomes -D\nWIDTH = [1, 4]\nFAST = [true, false]\n"
            "BLOCK = [64, 128]\nconstraints = [\"WIDTH <= BLOCK\", \"BLOCK > 0\"]\n\n[shapes]\n"
            "canonical = [{ N = 1 }]\n");
}

TEST(SpecificationText, ASectionIsMadeIfThereIsNone) {
  const auto text = with_tunables({"[kernel]\nname = \"k\"", {}, {}, ""}, {kWidth}, {"WIDTH > 0"});
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "[kernel]\nname = \"k\"\n\n[tunable]\nWIDTH = [1, 4]\nconstraints = [\"WIDTH > 0\", ]\n");
}

TEST(SpecificationText, NothingElseCanBeBroughtIn) {
  const auto refused = [](const std::vector<NewTunable>& tunables, const std::vector<std::string>& constraints) {
    return !with_tunables(original(kText), tunables, constraints).ok();
  };
  EXPECT_TRUE(refused({{"N", {int64_t{1}}}}, {})) << "a dimension";
  EXPECT_TRUE(refused({{"HALF", {int64_t{1}}}}, {})) << "a name of [let]";
  EXPECT_TRUE(refused({{"BLOCK", {int64_t{1}}}}, {})) << "a tunable";
  EXPECT_TRUE(refused({kWidth, kWidth}, {}));
  EXPECT_TRUE(refused({{"constraints", {int64_t{1}}}}, {}));
  EXPECT_TRUE(refused({kWidth}, {"N == 4096"})) << "would take shapes out of reach of the checks";
  EXPECT_TRUE(refused({kWidth}, {"WIDTH > 0\"]\n[tolerance]\natol = 1"}));
  EXPECT_TRUE(refused({kWidth}, {"WIDTH >"}));
}

TEST(SpecificationText, DefaultsAreSet) {
  EXPECT_EQ(with_defaults("[kernel]\n", "A=1,B=true"), "[kernel]\n\n[defaults]\nA = 1\nB = true\n");
  EXPECT_EQ(with_defaults("[defaults]\nA = 2\n[shapes]\n", "A=1"), "[defaults]\nA = 1\n\n[shapes]\n");
  EXPECT_EQ(with_defaults("[kernel]\n", ""), "[kernel]\n");
}

}  // namespace
}  // namespace assay::evolve
