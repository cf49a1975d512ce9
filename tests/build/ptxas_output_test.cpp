// SPDX-License-Identifier: MIT
#include "build/ptxas_output.hpp"

#include <gtest/gtest.h>

namespace assay::build {
namespace {

constexpr const char* kText = R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'spills' for 'sm_80'
ptxas info    : Function properties for spills
    272 bytes stack frame, 536 bytes spill stores, 560 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 272 bytes cumulative stack size, 372 bytes cmem[0]
ptxas info    : Compile time = 14.706 ms
ptxas info    : Compiling entry function 'calls' for 'sm_80'
ptxas info    : Function properties for calls
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers, used 1 barriers, 1280 bytes smem, 364 bytes cmem[0]
ptxas info    : Function properties for _Z3recfi
    24 bytes stack frame, 24 bytes spill stores, 20 bytes spill loads
)";

TEST(PtxasOutput, ReadsEveryFigure) {
  const std::vector<ResourceUsage> usages = read_ptxas_output(kText);
  ASSERT_EQ(usages.size(), 2u);
  EXPECT_EQ(usages[0].entry, "calls");
  EXPECT_EQ(usages[0].registers, 24);
  EXPECT_EQ(usages[0].barriers, 1);
  EXPECT_EQ(usages[0].static_shared_bytes, 1280);
  EXPECT_EQ(usages[0].stack_bytes, 0);
  EXPECT_EQ(usages[0].spill_store_bytes, 24) << "with the functions that it calls";
  EXPECT_EQ(usages[0].spill_load_bytes, 20);
  EXPECT_EQ(usages[1].entry, "spills");
  EXPECT_EQ(usages[1].registers, 32);
  EXPECT_EQ(usages[1].static_shared_bytes, 0);
  EXPECT_EQ(usages[1].stack_bytes, 272);
  EXPECT_EQ(usages[1].spill_store_bytes, 536);
  EXPECT_EQ(usages[1].spill_load_bytes, 560);
}

TEST(PtxasOutput, OlderWordingWithoutBarriers) {
  const std::vector<ResourceUsage> usages = read_ptxas_output(
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "ptxas info    : Function properties for k\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 18 registers, 4096 bytes smem, 380 bytes cmem[0], 8 bytes cmem[2]\n");
  ASSERT_EQ(usages.size(), 1u);
  EXPECT_EQ(usages[0].registers, 18);
  EXPECT_EQ(usages[0].static_shared_bytes, 4096);
  EXPECT_FALSE(usages[0].barriers);
}

// Whatever the compiler writes instead, no figure may come out that it did not write.
TEST(PtxasOutput, AChangeOfWordingGivesUnknown) {
  const std::pair<const char*, const char*> changes[] = {
      {"spill stores", "stores spilled"},    {"bytes spill", "words spill"}, {"stack frame,", "frame,"},
      {"Function properties", "Properties"}, {"272 bytes", "272B"},          {", 536", "; 536"},
  };
  for (const auto& [from, to] : changes) {
    std::string text = kText;
    for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + 1)) {
      text.replace(at, std::string(from).size(), to);
    }
    const std::vector<ResourceUsage> usages = read_ptxas_output(text);
    const ResourceUsage* spills = find_entry(usages, "spills");
    ASSERT_NE(spills, nullptr);
    EXPECT_FALSE(spills->spill_store_bytes) << from;
    EXPECT_FALSE(spills->spill_load_bytes) << from;
  }
  const std::vector<ResourceUsage> other = read_ptxas_output(
      "ptxas info : Compiling entry function 'k' for 'sm_80'\nptxas info : Used 8 registers, 2 KB of shared\n");
  ASSERT_EQ(other.size(), 1u);
  EXPECT_EQ(other[0].registers, 8);
  EXPECT_FALSE(other[0].static_shared_bytes) << "an unknown part could be shared memory";
}

TEST(PtxasOutput, SurvivesNonsense) {
  EXPECT_TRUE(read_ptxas_output("").empty());
  EXPECT_TRUE(read_ptxas_output("nvcc warning : something\n\n\n").empty());
  const auto usages =
      read_ptxas_output("ptxas info: Compiling entry function '\nptxas info: Used 99999999999999999999 registers");
  ASSERT_EQ(usages.size(), 1u);
  EXPECT_FALSE(usages[0].registers);
}

}  // namespace
}  // namespace assay::build
