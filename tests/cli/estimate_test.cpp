// SPDX-License-Identifier: MIT
// assay estimate as a user runs it, on kernels of the repository.
#include <gtest/gtest.h>

#include "assay_program.hpp"

namespace assay::cli {
namespace {

using nlohmann::json;

json estimate(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "estimate");
  arguments.insert(arguments.end(), {"--json", "--ledger", "none"});
  const ProcessOutcome outcome = assay_program(arguments);
  EXPECT_EQ(outcome.exit_status, 0) << outcome.output << outcome.errors;
  return parsed(outcome);
}

TEST(Estimate, ACopyMovesItsBytesAndIsBoundByDram) {
  const json document = estimate({"kernels/planted/copy_vector", "--shape", "N=33554432", "--device", "vgpu:h200"});
  const json& found = document["estimate"];
  EXPECT_EQ(document["known"], "estimated");
  EXPECT_EQ(found["limiter"], "DRAM");
  EXPECT_NEAR(found["dram_bytes"].get<double>(), 8.0 * 33554432, 1e6);
  EXPECT_LE(found["lower_bound_us"], found["low_us"]);
  EXPECT_LT(found["low_us"], found["time_us"]);
  EXPECT_TRUE(document["sampled"].get<bool>());
}

TEST(Estimate, AllBlocksAreCountedIfTheyAreFewOrWanted) {
  EXPECT_FALSE(estimate({"kernels/planted/copy_vector", "--shape", "N=4096"})["sampled"].get<bool>());
  const json sampled = estimate({"kernels/planted/stencil", "--shape", "ROWS=100,COLUMNS=300", "--blocks", "9"});
  const json whole = estimate({"kernels/planted/stencil", "--shape", "ROWS=100,COLUMNS=300", "--blocks", "0"});
  EXPECT_TRUE(sampled["sampled"].get<bool>());
  EXPECT_FALSE(whole["sampled"].get<bool>());
  const double ratio = sampled["estimate"]["time_us"].get<double>() / whole["estimate"]["time_us"].get<double>();
  EXPECT_NEAR(ratio, 1, 0.1);
}

TEST(Estimate, ASlowerGpuTakesLonger) {
  const auto time = [](const char* device) {
    return estimate({"kernels/planted/copy_vector", "--shape", "N=4194304", "--device", device})["estimate"]["time_us"]
        .get<double>();
  };
  EXPECT_GT(time("vgpu:l4"), 2 * time("vgpu:a100"));
  EXPECT_GT(time("vgpu:a100"), time("vgpu:h200"));
}

TEST(Estimate, ThePageSaysEstimated) {
  const ProcessOutcome outcome = assay_program({"estimate", "kernels/planted/exponentials", "--shape", "N=1048576",
                                                "--device", "vgpu:h200", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  for (const char* words :
       {"estimated, between", "at least", "limiter:", "sampled: 24 of 4096 blocks", "special functions"})
    EXPECT_NE(outcome.output.find(words), std::string::npos) << words << "\n" << outcome.output;
}

TEST(Estimate, KernelsOfACallAddUp) {
  const json document = estimate({"kernels/two_kernel_reduction", "--device", "vgpu:h200"});
  ASSERT_EQ(document["stages"].size(), 2u);
  const json& first = document["stages"][0];
  const json& second = document["stages"][1];
  EXPECT_EQ(first["name"], "block_sums");
  EXPECT_EQ(second["name"], "total");
  EXPECT_EQ(first["launch"]["grid"], json({4096, 1, 1}));
  EXPECT_EQ(second["launch"]["grid"], json({1, 1, 1}));
  EXPECT_FALSE(first["sampled"]) << "the second one needs all its results";
  const json& whole = document["estimate"];
  for (const char* figure : {"time_us", "low_us", "high_us", "lower_bound_us", "dram_bytes"})
    EXPECT_DOUBLE_EQ(first["estimate"][figure].get<double>() + second["estimate"][figure].get<double>(),
                     whole[figure].get<double>())
        << figure;
  for (const json& stage : document["stages"]) {
    EXPECT_GT(stage["estimate"]["lower_bound_us"].get<double>(), 0);
    EXPECT_FALSE(stage["estimate"]["limiter"].get<std::string>().empty());
    for (const json& resource : stage["estimate"]["resources"])
      EXPECT_TRUE(resource["name"] != "launch" || resource["amount"] == 1) << resource;
  }
  EXPECT_EQ(document["entry"], first["entry"]) << "the longest";
  EXPECT_FALSE(estimate({"kernels/planted/copy_vector", "--shape", "N=4096"}).contains("stages"));
}

TEST(Estimate, TheTextShowsEachKernel) {
  const ProcessOutcome outcome =
      assay_program({"estimate", "kernels/two_kernel_reduction", "--device", "vgpu:h200", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 0) << outcome.errors;
  for (const char* words : {"2 kernels: block_sums, total", "kernel ", "block_sums: 4096 blocks of 256 threads",
                            "total: 1 block of 32 threads", "2 launch"})
    EXPECT_NE(outcome.output.find(words), std::string::npos) << words << "\n" << outcome.output;
}

// Times of kernels that overlap do not add up, and what looks at one kernel does not take the first of several for all.
TEST(Estimate, SaysWhatItCannotAddUp) {
  const ProcessOutcome early = assay_program({"estimate", "tests/cli/overlapping_stages", "--ledger", "none"});
  EXPECT_EQ(early.exit_status, 2) << early.output;
  EXPECT_NE(early.errors.find("may begin before the kernel in front of it has ended"), std::string::npos)
      << early.errors;
  const ProcessOutcome one = assay_program({"invert", "kernels/two_kernel_reduction", "--ledger", "none"});
  EXPECT_EQ(one.exit_status, 2);
  EXPECT_NE(one.errors.find("this call has several"), std::string::npos) << one.errors;
}

TEST(Estimate, AGpuMeasuresInstead) {
  const ProcessOutcome outcome =
      assay_program({"estimate", "kernels/planted/copy_vector", "--device", "cuda:0", "--ledger", "none"});
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_NE(outcome.errors.find("assay bench"), std::string::npos) << outcome.errors;
}

TEST(Estimate, ABrokenKernelHasNoTime) {
  EXPECT_EQ(assay_program({"estimate", "kernels/broken/out_of_bounds_read", "--ledger", "none"}).exit_status, 5);
}

}  // namespace
}  // namespace assay::cli
