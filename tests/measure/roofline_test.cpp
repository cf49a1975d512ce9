// SPDX-License-Identifier: MIT
#include "measure/roofline.hpp"

#include <gtest/gtest.h>

namespace assay::measure {
namespace {

gpu::GpuModel round_model() {
  gpu::GpuModel model;
  model.tensor_f16_tflops = 100;
  model.f32_tflops = 10;
  model.memory_bandwidth_gb_per_s = 1000;
  model.boost_clock_mhz = 1000;
  return model;
}

Work work_of(std::optional<double> flops, std::optional<double> bytes) {
  Work work;
  work.flops = flops;
  work.bytes = bytes;
  return work;
}

TEST(Roofline, is_the_longer_of_computing_and_moving) {
  const Floor compute = floor_of(work_of(1e9, 1e6), round_model(), Cache::cold, 0);
  EXPECT_DOUBLE_EQ(compute.compute_us, 10);  // 10^9 operations at 100 * 10^12 a second
  EXPECT_DOUBLE_EQ(compute.memory_us, 1);    // 10^6 bytes at 10^12 a second
  EXPECT_DOUBLE_EQ(compute.us, 10);
  const Floor memory = floor_of(work_of(1e6, 1e8), round_model(), Cache::cold, 0);
  EXPECT_DOUBLE_EQ(memory.us, 100);
}

TEST(Roofline, allows_a_warm_cache_four_times_the_bandwidth) {
  EXPECT_DOUBLE_EQ(floor_of(work_of({}, 1e8), round_model(), Cache::warm, 0).us, 25);
  EXPECT_DOUBLE_EQ(floor_of(work_of({}, 1e8), round_model(), Cache::cold, 0).us, 100);
}

TEST(Roofline, does_not_count_outputs_that_may_still_lie_in_the_cache) {
  Work work = work_of({}, 1e8);
  work.output_bytes = 4e7;
  EXPECT_DOUBLE_EQ(floor_of(work, round_model(), Cache::cold, 0).us, 60);
  work.output_bytes = 2e8;
  EXPECT_DOUBLE_EQ(floor_of(work, round_model(), Cache::cold, 0).us, 0);
}

TEST(Roofline, falls_with_a_clock_above_the_boost_clock) {
  EXPECT_DOUBLE_EQ(floor_of(work_of(1e9, {}), round_model(), Cache::warm, 1250).us, 8);
  EXPECT_DOUBLE_EQ(floor_of(work_of(1e9, {}), round_model(), Cache::warm, 500).us, 10) << "the peak stays the peak";
  gpu::GpuModel unknown = round_model();
  unknown.boost_clock_mhz = 0;
  EXPECT_DOUBLE_EQ(floor_of(work_of(1e9, {}), unknown, Cache::warm, 1250).us, 10);
}

TEST(Roofline, halves_where_operands_have_eight_bits) {
  Work work = work_of(1e9, {});
  work.eight_bit = true;
  EXPECT_DOUBLE_EQ(floor_of(work, round_model(), Cache::warm, 0).us, 5);
}

TEST(Roofline, takes_the_faster_units) {
  gpu::GpuModel no_tensor_cores = round_model();
  no_tensor_cores.tensor_f16_tflops = 0;
  EXPECT_DOUBLE_EQ(floor_of(work_of(1e9, {}), no_tensor_cores, Cache::warm, 0).us, 100);
}

TEST(Roofline, is_nothing_where_nothing_is_known) {
  EXPECT_EQ(floor_of(work_of({}, {}), round_model(), Cache::warm, 0).us, 0);
  EXPECT_EQ(floor_of(work_of(1e9, 1e9), gpu::GpuModel(), Cache::cold, 2000).us, 0);
}

TEST(Roofline, is_there_for_every_model) {
  for (const gpu::GpuModel& model : gpu::all_models()) {
    const Floor floor = floor_of(work_of(1e12, 1e9), model, Cache::cold, 0);
    EXPECT_GT(floor.compute_us, 100) << model.id;
    EXPECT_GT(floor.memory_us, 100) << model.id;
  }
}

}  // namespace
}  // namespace assay::measure
