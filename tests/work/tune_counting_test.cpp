// SPDX-License-Identifier: MIT
// What tune expects of a configuration before anything is timed: with which rates, and of calls with several kernels.
#include "work/tune_counting.hpp"

#include <gtest/gtest.h>

#include "spec/choice.hpp"
#include "spec/shape.hpp"

namespace assay::work {
namespace {

BlockCounts counted_for_tuning(const std::string& kernel, const std::optional<StoredRates>& measured = {}) {
  const auto spec = spec::load(ASSAY_SOURCE_DIR "/kernels/" + kernel);
  EXPECT_TRUE(spec.ok());
  Context context;
  context.program = ASSAY_BINARY_DIR "/assay";
  TuneCounting::Options options{"vgpu:h200", 1, {}, measured};
  const TuneCounting counting(*spec, {*spec::first_shape(*spec)}, *gpu::find_model("h200"), options, context);
  build::BuildResult built;
  built.configuration = *spec::default_configuration(*spec);
  BlockCounts counts = counting.count(built);
  EXPECT_EQ(counts.problem, "");
  return counts;
}

TEST(TuneCounting, ExpectsWhatMeasuredRatesSay) {
  const double by_model = counted_for_tuning("planted/copy_vector").shapes.at(0).time_us;
  const StoredRates slow{"cuda:0", "NVIDIA H200", "2026-11-18T00:00:00Z", {{std::string(gpu::kDramCopy), 2000}}};
  EXPECT_GT(counted_for_tuning("planted/copy_vector", slow).shapes.at(0).time_us, 1.5 * by_model);
}

TEST(TuneCounting, AddsUpTheKernelsOfACall) {
  const BlockCounts one = counted_for_tuning("planted/copy_vector");
  EXPECT_EQ(one.shapes.at(0).stages.size(), 1U);
  const auto spec = spec::load(ASSAY_SOURCE_DIR "/kernels/two_kernel_reduction");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(TuneCounting::why_not(*spec), "");
  const BlockCounts two = counted_for_tuning("two_kernel_reduction");
  ASSERT_EQ(two.shapes.at(0).stages.size(), 2U);
  EXPECT_GT(two.shapes[0].stages[0].work.blocks, two.shapes[0].stages[1].work.blocks);
  EXPECT_GT(two.shapes[0].time_us, 0);
}

}  // namespace
}  // namespace assay::work
