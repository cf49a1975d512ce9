// SPDX-License-Identifier: MIT
#include "gpu/gpu_model.hpp"

#include <gtest/gtest.h>
#include <set>

namespace assay::gpu {
namespace {

TEST(GpuModel, TheFivePromisedModelsAreThere) {
  for (const char* id : {"l4", "a100", "h100", "h200", "rtx4090"}) {
    const GpuModel* model = find_model(id);
    ASSERT_NE(model, nullptr) << id;
    EXPECT_EQ(model->id, id);
  }
  EXPECT_EQ(find_model("L4"), nullptr);
  EXPECT_EQ(find_model(""), nullptr);
  EXPECT_EQ(find_model("v100"), nullptr);
}

TEST(GpuModel, EveryModelIsCompleteAndConsistent) {
  std::set<std::string_view> ids;
  for (const GpuModel& model : all_models()) {
    SCOPED_TRACE(model.id);
    EXPECT_TRUE(ids.insert(model.id).second);
    EXPECT_FALSE(model.name.empty());
    EXPECT_GT(model.sm_count, 0);
    EXPECT_EQ(model.max_threads_per_sm, 32 * model.max_warps_per_sm);
    EXPECT_GT(model.max_blocks_per_sm, 0);
    EXPECT_EQ(model.registers_per_sm, 65536);
    // The opt-in limit is what the system's reservation leaves of an SM.
    EXPECT_EQ(model.shared_bytes_per_block_optin, model.shared_bytes_per_sm - model.shared_bytes_reserved_per_block);
    EXPECT_LT(model.shared_bytes_per_block, model.shared_bytes_per_block_optin);
    EXPECT_GT(model.l2_bytes, 0);
    EXPECT_GT(model.memory_bytes, model.l2_bytes);
    EXPECT_GT(model.memory_bandwidth_gb_per_s, 0);
    EXPECT_EQ(model.tensor_arch, model.compute_capability() == 80   ? TensorArch::ampere
                                 : model.compute_capability() == 89 ? TensorArch::ada
                                                                    : TensorArch::hopper);
    // 128 lanes (64 on GA100) of two operations at the boost clock give the quoted peak.
    const double lanes = model.compute_capability() == 80 ? 64 : 128;
    EXPECT_NEAR(model.f32_tflops, 2e-6 * lanes * model.sm_count * model.boost_clock_mhz, 0.02 * model.f32_tflops);
    EXPECT_GT(model.tensor_f16_tflops, model.f32_tflops);
  }
}

TEST(GpuModel, SharedMemoryLimitsAreTheDocumentedOnes) {
  EXPECT_EQ(find_model("l4")->shared_bytes_per_block_optin, 101376);
  EXPECT_EQ(find_model("rtx4090")->shared_bytes_per_block_optin, 101376);
  EXPECT_EQ(find_model("a100")->shared_bytes_per_block_optin, 166912);
  EXPECT_EQ(find_model("h100")->shared_bytes_per_block_optin, 232448);
  EXPECT_EQ(find_model("h200")->shared_bytes_per_block_optin, 232448);
}

}  // namespace
}  // namespace assay::gpu
