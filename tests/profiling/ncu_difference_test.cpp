// SPDX-License-Identifier: MIT
#include "profiling/ncu_difference.hpp"

#include <gtest/gtest.h>

namespace assay::profiling {
namespace {

NcuLaunch launch_of(const char* kernel, std::map<std::string, double> values) {
  NcuLaunch launch;
  launch.kernel = kernel;
  for (const auto& [metric, value] : values) launch.metrics[metric] = {value, ""};
  return launch;
}

constexpr const char* kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum";
constexpr const char* kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
constexpr const char* kTensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr const char* kTime = "gpu__time_duration.sum";

TEST(NcuDifference, SaysWhatTheFasterOneDoesDifferently) {
  const NcuLaunch own = launch_of("mine", {{kWavefronts, 3.1e6}, {kTensor, 35}, {"dram__bytes.sum", 1e8}});
  const NcuLaunch other = launch_of("theirs", {{kWavefronts, 1e6}, {kTensor, 71}, {"dram__bytes.sum", 1.1e8}});
  const std::vector<NcuDifference> found = differences(own, other, "the baseline");
  ASSERT_EQ(found.size(), 2U) << "a tenth more bytes is no difference";
  EXPECT_EQ(found[0].sentence, "the baseline has 3.1 times fewer wavefronts of shared loads (1 M, here 3.1 M)");
  EXPECT_EQ(found[1].sentence, "tensor pipe busy: the baseline 71 %, here 35 %");
  EXPECT_EQ(differences_for_rule("bank_conflicts", found, 2), std::vector{found[0].sentence});
  EXPECT_EQ(differences_for_rule("tensor_idle", found, 2), std::vector{found[1].sentence});
  EXPECT_TRUE(differences_for_rule("barriers", found, 2).empty());
}

TEST(NcuDifference, IsSilentWhereBothDoTheSame) {
  const NcuLaunch own = launch_of("mine", {{kWavefronts, 1e6}, {kConflicts, 0}, {kTensor, 35}});
  EXPECT_TRUE(differences(own, own, "the baseline").empty());
  EXPECT_TRUE(differences(own, launch_of("theirs", {{kTensor, 40}}), "the baseline").empty())
      << "one figure is missing";
}

TEST(NcuDifference, NoneAtAllIsTheLargestDifference) {
  const NcuLaunch own = launch_of("mine", {{kWavefronts, 9e6}, {kConflicts, 8e6}});
  const NcuLaunch other = launch_of("theirs", {{kWavefronts, 1e6}, {kConflicts, 0}});
  const std::vector<NcuDifference> found = differences(own, other, "sdpa");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].sentence, "sdpa has no bank conflicts of shared loads, and this kernel 8 M");
}

TEST(NcuDifference, TheLongestKernelIsNoInstrument) {
  const std::vector<NcuLaunch> launches = {launch_of("assay_flush", {{kTime, 9000}}), launch_of("fill", {{kTime, 900}}),
                                           launch_of("flash", {{kTime, 600}}), launch_of("flash", {{kTime, 500}})};
  const NcuLaunch* const longest = longest_kernel(launches, "assay_");
  ASSERT_NE(longest, nullptr);
  EXPECT_EQ(longest->kernel, "flash");
  EXPECT_EQ(longest->value(kTime), 500) << "the last launch";
  EXPECT_EQ(longest_kernel({launches[0]}, "assay_"), nullptr);
}

}  // namespace
}  // namespace assay::profiling
