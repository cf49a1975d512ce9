// SPDX-License-Identifier: MIT
#include "gpu/rates.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace assay::gpu {
namespace {

TEST(Rates, EveryModelHasItsRow) {
  for (const GpuModel& model : all_models()) EXPECT_EQ(rates_of(model).id, model.id);
  EXPECT_EQ(all_rates().size(), all_models().size());
}

TEST(Rates, NothingReachedIsAboveItsPeak) {
  for (const GpuModel& model : all_models()) {
    const Rates& rates = rates_of(model);
    EXPECT_GT(rates.dram_reached, 0.7 * rates.dram_peak) << model.id;
    EXPECT_LE(rates.dram_reached, rates.dram_peak) << model.id;
    EXPECT_EQ(rates.dram_peak, model.memory_bandwidth_gb_per_s) << model.id;
    EXPECT_LE(rates.l2_reached, rates.l2_peak) << model.id;
    EXPECT_LE(rates.clock_mhz, model.boost_clock_mhz) << model.id;
    EXPECT_LE(rates.tensor_clock_mhz, rates.clock_mhz) << model.id;
    EXPECT_LE(rates.launch_floor_us, rates.launch_us) << model.id;
    EXPECT_LE(rates.block_floor_ns, rates.block_ns) << model.id;
    EXPECT_LE(rates.median_error, rates.spread) << model.id;
  }
}

// The stated error of the H200 is that of the blind cases of docs/estimate.md, and what was not judged has twice that.
TEST(Rates, TheStatedErrorIsThatOfTheBlindCases) {
  std::ifstream page(ASSAY_SOURCE_DIR "/docs/estimate.md");
  std::vector<double> errors;
  std::vector<double> factors;
  for (std::string line; std::getline(page, line);) {
    if (!line.starts_with("| blind/")) continue;
    double measured = 0;
    double estimated = 0;
    const size_t figures = line.find(" | ") + 3;
    ASSERT_EQ(std::sscanf(line.c_str() + figures, "%lf | %lf", &measured, &estimated), 2) << line;
    errors.push_back(std::abs(estimated / measured - 1));
    factors.push_back(std::max(estimated / measured, measured / estimated) - 1);
  }
  ASSERT_EQ(errors.size(), 48U);
  std::ranges::sort(errors);
  std::ranges::sort(factors);
  const Rates& rates = rates_of(*find_model("h200"));
  EXPECT_TRUE(rates.judged);
  EXPECT_NEAR(rates.median_error, (errors[23] + errors[24]) / 2, 0.005);
  EXPECT_NEAR(rates.spread, factors[43], 0.01) << "44 of 48 are nine of ten";
  for (const GpuModel& model : all_models()) {
    if (rates_of(model).judged) continue;
    EXPECT_DOUBLE_EQ(rates_of(model).spread, 2 * rates.spread) << model.id;
    EXPECT_DOUBLE_EQ(rates_of(model).median_error, 2 * rates.median_error) << model.id;
  }
}

// The FMA pipe and the tensor cores at the boost clock are the data sheet's figures.
TEST(Rates, PipesAgreeWithTheDataSheets) {
  for (const GpuModel& model : all_models()) {
    const Rates& rates = rates_of(model);
    const double f32 = rates.fma * 32 * 2 * model.sm_count * model.boost_clock_mhz * 1e-6;
    EXPECT_NEAR(f32, model.f32_tflops, 0.02 * model.f32_tflops) << model.id;
    const double best =
        rates.tensor_rate("wgmma.f16") > 0 ? rates.tensor_rate("wgmma.f16") : rates.tensor_rate("mma.f16");
    const double tensor = best * model.sm_count * model.boost_clock_mhz * 1e-6;
    EXPECT_NEAR(tensor, model.tensor_f16_tflops, 0.1 * model.tensor_f16_tflops) << model.id;
  }
}

TEST(Rates, AnUnknownKindOfProductHasNoRate) {
  EXPECT_EQ(rates_of(*find_model("l4")).tensor_rate("wgmma.f16"), 0);
  EXPECT_GT(rates_of(*find_model("h200")).tensor_rate("wgmma.f16"),
            rates_of(*find_model("h200")).tensor_rate("mma.f16"));
}

}  // namespace
}  // namespace assay::gpu
