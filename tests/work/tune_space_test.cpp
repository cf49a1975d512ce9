// SPDX-License-Identifier: MIT
#include "work/tune_space.hpp"

#include <gtest/gtest.h>

namespace assay::work {
namespace {

spec::KernelSpec spaced(const std::string& shared) {
  const std::string text = R"toml([kernel]
name = "k"
source = "k.cu"
entry = "k"
targets = ["sm_90"]
[problem]
reference = "row_sum"
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["N"] }
[[argument]]
name = "y"
tensor = { dtype = "f32", shape = ["N"], output = true }
[launch]
grid = ["ceil_div(N, BLOCK)"]
block = ["BLOCK"]
shared_bytes = ")toml" + shared +
                           R"toml("
[tunable]
BLOCK = [64, 128, 256]
STAGES = [1, 2, 4]
FAST = [false, true]
constraints = ["BLOCK * STAGES <= 512"]
[shapes]
canonical = [{ N = 1024 }]
)toml";
  auto spec = spec::parse(text, "kernel.toml", ".", {false, 2000});
  EXPECT_TRUE(spec.ok()) << to_string(spec.error());
  return std::move(spec).value();
}

// The whole of a space that can be listed.
Result<KernelSpace> listed_space(const spec::KernelSpec& spec, const std::string& restriction = "") {
  ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::shapes(spec, "canonical"));
  ASSAY_TRY(KernelSpaces spaces, KernelSpaces::open(spec, {restriction, {}, shapes}, *gpu::find_model("h200")));
  return spaces.part({}, {}, 0);
}

TEST(TuneSpace, WhatDoesNotFitIsLeftOutWithTheReason) {
  const spec::KernelSpec spec = spaced("STAGES*BLOCK*512");
  const auto space = listed_space(spec);
  ASSERT_TRUE(space.ok()) << to_string(space.error());
  // 16 meet the constraint; 512 threads' worth of stages take 262,144 bytes.
  EXPECT_EQ(space->space.size(), 12u);
  ASSERT_EQ(space->left_out.size(), 1u);
  EXPECT_EQ(space->left_out[0].second, 4u);
  EXPECT_NE(space->left_out[0].first.find("shared memory"), std::string::npos);
  for (size_t i = 0; i < space->space.size(); ++i) {
    for (size_t p = 0; p < space->space.width(); ++p) {
      const std::string& name = space->space.parameters()[p].name;
      EXPECT_EQ(space->space.value(i, p).text, to_string(space->configuration(i).values.at(name)));
    }
  }
}

TEST(TuneSpace, WhatFitsStays) {
  const spec::KernelSpec spec = spaced("0");
  const auto space = listed_space(spec);
  ASSERT_TRUE(space.ok());
  EXPECT_EQ(space->space.size(), 16u);
  EXPECT_TRUE(space->left_out.empty());
  EXPECT_EQ(listed_space(spec, "STAGES=2")->space.size(), 6u);
}

TEST(TuneSpace, ConfigurationsAreFoundByTheirNames) {
  const spec::KernelSpec spec = spaced("0");
  const auto space = listed_space(spec);
  ASSERT_TRUE(space.ok());
  for (size_t i = 0; i < space->space.size(); ++i) EXPECT_EQ(space->find(space->configuration(i).id()), i);
  EXPECT_FALSE(space->find("BLOCK=256,FAST=true,STAGES=4").has_value());
  EXPECT_FALSE(space->find("BLOCK=64").has_value());
}

// What is too much for a list is seen in parts: the evaluated ones, all neighbours of the best, and others at random.
TEST(TuneSpace, ALargeSpaceIsSeenInParts) {
  const spec::KernelSpec spec = spaced("0");
  KernelSpaces::Request request{"", {}, *spec::shapes(spec, "canonical"), 1, 10};
  auto spaces = KernelSpaces::open(spec, request, *gpu::find_model("h200"));
  ASSERT_TRUE(spaces.ok()) << to_string(spaces.error());
  EXPECT_FALSE(spaces->listed());
  EXPECT_EQ(spaces->combinations(), 18);
  EXPECT_EQ(spaces->legal(), 16);
  EXPECT_EQ(spaces->error(), 0);
  const std::string best = "BLOCK=128,FAST=false,STAGES=2";
  const auto part = spaces->part({best}, {best}, 1);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->find(best), 0u);
  for (const char* each :
       {"BLOCK=64,FAST=false,STAGES=2", "BLOCK=128,FAST=true,STAGES=2", "BLOCK=128,FAST=false,STAGES=4"})
    EXPECT_TRUE(part->find(each).has_value()) << each;
  const auto again = spaces->part({best}, {best}, 1);
  ASSERT_EQ(again->space.size(), part->space.size());
  for (size_t i = 0; i < part->space.size(); ++i) EXPECT_EQ(again->space.id(i), part->space.id(i));
  request.most_listed = 100;
  EXPECT_TRUE(KernelSpaces::open(spec, request, *gpu::find_model("h200"))->listed());
}

TEST(TuneSpace, WhereNothingFitsThereIsNothingToTune) {
  const spec::KernelSpec spec = spaced("1000000");
  const auto space = listed_space(spec);
  ASSERT_FALSE(space.ok());
  EXPECT_NE(space.error().message.find("16"), std::string::npos);
}

}  // namespace
}  // namespace assay::work
