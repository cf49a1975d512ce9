// SPDX-License-Identifier: MIT
// Our occupancy against the CUDA toolkit's own calculator, where its header is installed.
#include <gtest/gtest.h>

#include "gpu/occupancy.hpp"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

#include "base/random.hpp"

namespace assay::gpu {
namespace {

cudaOccDeviceProp properties_of(const GpuModel& model) {
  cudaOccDeviceProp properties;
  properties.computeMajor = model.compute_major;
  properties.computeMinor = model.compute_minor;
  properties.maxThreadsPerBlock = model.max_threads_per_block;
  properties.maxThreadsPerMultiprocessor = model.max_threads_per_sm;
  properties.regsPerBlock = model.registers_per_sm;
  properties.regsPerMultiprocessor = model.registers_per_sm;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = static_cast<size_t>(model.shared_bytes_per_block);
  properties.sharedMemPerMultiprocessor = static_cast<size_t>(model.shared_bytes_per_sm);
  properties.numSms = model.sm_count;
  properties.sharedMemPerBlockOptin = static_cast<size_t>(model.shared_bytes_per_block_optin);
  properties.reservedSharedMemPerBlock = static_cast<size_t>(model.shared_bytes_reserved_per_block);
  return properties;
}

unsigned factors(const Occupancy& result) {
  unsigned bits = 0;
  for (const Limiter limiter : result.limiters) {
    switch (limiter) {
      case Limiter::registers:
        bits |= OCC_LIMIT_REGISTERS;
        break;
      case Limiter::shared_memory:
        bits |= OCC_LIMIT_SHARED_MEMORY;
        break;
      case Limiter::threads:
        bits |= OCC_LIMIT_WARPS;
        break;
      case Limiter::blocks:
        bits |= OCC_LIMIT_BLOCKS;
        break;
      case Limiter::barriers:
        bits |= OCC_LIMIT_BARRIERS;
        break;
    }
  }
  return bits;
}

TEST(OccupancyOracle, AgreesWithTheToolkitOnRandomLaunches) {
  constexpr uint64_t kSeed = 20261115;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Random random(kSeed);
  int fitting = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    const GpuModel& model = all_models()[random.below(all_models().size())];
    BlockNeeds block;
    block.threads = static_cast<int64_t>(1 + random.below(1024));
    block.registers_per_thread = static_cast<int>(16 + random.below(240));
    block.static_shared_bytes = random.below(2) == 0 ? 0 : static_cast<int64_t>(random.below(40'000));
    block.dynamic_shared_bytes = random.below(2) == 0 ? 0 : static_cast<int64_t>(random.below(240'000));
    block.barriers = static_cast<int>(1 + random.below(16));

    const cudaOccDeviceProp properties = properties_of(model);
    cudaOccFuncAttributes attributes;
    attributes.maxThreadsPerBlock = 1024;
    attributes.numRegs = *block.registers_per_thread;
    attributes.sharedSizeBytes = static_cast<size_t>(*block.static_shared_bytes);
    attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    attributes.maxDynamicSharedSizeBytes = static_cast<size_t>(model.shared_bytes_per_block_optin);
    attributes.numBlockBarriers = block.barriers;
    const cudaOccDeviceState state;
    cudaOccResult expected{};
    ASSERT_EQ(cudaOccMaxActiveBlocksPerMultiprocessor(&expected, &properties, &attributes, &state,
                                                      static_cast<int>(block.threads),
                                                      static_cast<size_t>(block.dynamic_shared_bytes)),
              CUDA_OCC_SUCCESS);
    const Occupancy result = occupancy(model, block);
    SCOPED_TRACE(testing::Message() << model.id << ": " << block.threads << " threads, " << attributes.numRegs
                                    << " registers, " << *block.static_shared_bytes << " + "
                                    << block.dynamic_shared_bytes << " bytes, " << block.barriers << " barriers");
    ASSERT_EQ(result.blocks_per_sm, expected.activeBlocksPerMultiprocessor);
    ASSERT_EQ(result.fit == Fit::does_not_fit, expected.activeBlocksPerMultiprocessor == 0);
    // Barriers are counted apart there: the other limits are compared with each other before them.
    if (expected.activeBlocksPerMultiprocessor > 0 && (expected.limitingFactors & OCC_LIMIT_BARRIERS) == 0) {
      ASSERT_EQ(factors(result), expected.limitingFactors);
    }
    ++(result.fit == Fit::does_not_fit ? refused : fitting);
  }
  EXPECT_GT(fitting, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace assay::gpu

#else

TEST(OccupancyOracle, AgreesWithTheToolkitOnRandomLaunches) {
  GTEST_SKIP() << "cuda_occupancy.h of the CUDA toolkit was not found when this was built";
}

#endif
