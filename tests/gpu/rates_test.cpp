// SPDX-License-Identifier: MIT
#include "gpu/rates.hpp"

#include <gtest/gtest.h>

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
