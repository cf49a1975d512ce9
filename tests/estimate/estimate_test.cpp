// SPDX-License-Identifier: MIT
#include "estimate/estimate.hpp"

#include <gtest/gtest.h>

namespace assay::estimate {
namespace {

using gpu::Work;

const gpu::GpuModel& h200() {
  return *gpu::find_model("h200");
}

// A launch of equal blocks that each ask for so much of one thing.
gpu::LaunchWork launch(uint64_t blocks, Work work, double of_block) {
  gpu::LaunchWork result;
  result.blocks = result.counted_blocks = blocks;
  result.warps_per_block = 8;
  result.total[work] = of_block * static_cast<double>(blocks);
  return result;
}

gpu::LaunchWork copy(double bytes, uint64_t blocks) {
  gpu::LaunchWork result = launch(blocks, Work::l2_read_sectors, bytes / 32 / static_cast<double>(blocks));
  result.total[Work::l2_write_sectors] = bytes / 32;
  gpu::BufferWork source;
  source.name = "x";
  source.bytes = static_cast<uint64_t>(bytes);
  source.l2_read_sectors = bytes / 32;
  source.unique_read_bytes = source.fetched_bytes = source.block_fetched_bytes = bytes;
  gpu::BufferWork target;
  target.name = "y";
  target.bytes = static_cast<uint64_t>(bytes);
  target.l2_write_sectors = bytes / 32;
  target.unique_written_bytes = bytes;
  result.buffers = {source, target};
  return result;
}

Estimate estimated(const gpu::LaunchWork& work, int blocks_per_sm = 8) {
  return estimate(work, blocks_per_sm, h200(), gpu::rates_of(h200()));
}

TEST(Estimate, ACopyIsLimitedByDram) {
  const Estimate result = estimated(copy(1e9, 100000));
  EXPECT_EQ(result.limiter, kDram);
  EXPECT_EQ(result.lower_bound_by, kDram);
  EXPECT_NEAR(result.lower_bound_us, 2e9 / 4800 / 1e3, 1);
  EXPECT_GT(result.time_us, result.lower_bound_us);
  EXPECT_LT(result.time_us, 1.6 * result.lower_bound_us);
}

TEST(Estimate, TheRangeHoldsTheEstimateAndNotLessThanTheBound) {
  const Estimate result = estimated(copy(1e8, 1000));
  EXPECT_LE(result.lower_bound_us, result.low_us);
  EXPECT_LT(result.low_us, result.time_us);
  EXPECT_LT(result.time_us, result.high_us);
}

TEST(Estimate, EachPipeLimitsWhatAsksForIt) {
  for (const auto& [work, name] : {std::pair{Work::issue, kIssue},
                                   {Work::fma, kFma},
                                   {Work::alu, kAlu},
                                   {Work::xu, kXu},
                                   {Work::fp64, kFp64},
                                   {Work::l1_wavefronts, kL1},
                                   {Work::shared_wavefronts, kL1}}) {
    const Estimate result = estimated(launch(1056, work, 1e6));
    EXPECT_EQ(result.limiter, name);
    EXPECT_DOUBLE_EQ(result.time_of(name), result.resources.front().time_us);
  }
}

TEST(Estimate, WholeBlocksLieOnSms) {
  const double full = estimated(launch(132, Work::fma, 1e6), 1).time_of(kFma);
  const double one_more = estimated(launch(133, Work::fma, 1e6), 1).time_of(kFma);
  const double one = estimated(launch(1, Work::fma, 1e6), 1).time_of(kFma);
  EXPECT_DOUBLE_EQ(one_more, 2 * full);
  EXPECT_DOUBLE_EQ(one, full);
}

TEST(Estimate, AChainRepeatsWithTheWavesAndNotWithTheBlocksOfOne) {
  gpu::LaunchWork work = launch(264, Work::issue, 1);
  work.mean_chain = work.longest_chain = {10000, 10000};
  const double together = estimated(work, 2).time_of(kChain);
  EXPECT_DOUBLE_EQ(estimated(work, 1).time_of(kChain), 2 * together);
  EXPECT_DOUBLE_EQ(estimated(work, 8).time_of(kChain), together);
}

TEST(Estimate, DataFromDramMakesTheChainLonger) {
  gpu::LaunchWork work = copy(1e6, 132);
  work.mean_chain = work.longest_chain = {1000, 2000};
  EXPECT_DOUBLE_EQ(estimated(work).chain_cycles, 2000) << "blocks side by side wait for DRAM together";
  work = copy(1e6, 4 * 8 * 132);
  work.mean_chain = work.longest_chain = {1000, 2000};
  EXPECT_DOUBLE_EQ(estimated(work).chain_cycles, 2000) << "each wave reads bytes of its own";
  work.buffers[0].block_fetched_bytes = 1e6 * 4 * 8 * 132;
  EXPECT_DOUBLE_EQ(estimated(work).chain_cycles, 1250) << "three waves of four find them in the L2";
}

TEST(Estimate, WarpsInLockstepDoNotHideTransfersBehindLatency) {
  gpu::LaunchWork work = copy(1e8, 264);
  work.mean_chain = work.longest_chain = {40000, 40000};
  work.total[Work::wait_global] = 1e9;
  const Estimate free = estimated(work);
  work.total[Work::barriers] = 100.0 * 264 * 8;
  const Estimate in_step = estimated(work);
  EXPECT_GT(in_step.time_us, 1.2 * free.time_us);
  work.total[Work::wait_async] = 1e12;  // what they wait for was asked for ahead
  EXPECT_NEAR(estimated(work).time_us, free.time_us, 0.01 * free.time_us);
}

TEST(Estimate, StoresToLocalMemoryGoToTheL2) {
  gpu::LaunchWork work = launch(1056, Work::local_write_sectors, 1e5);
  const double whole = estimated(work).time_of(kL2);
  EXPECT_GT(whole, 0);
  work.total[Work::local_partial_sectors] = work.total[Work::local_write_sectors];
  EXPECT_GT(estimated(work).time_of(kL2), 2 * whole) << "parts of sectors are slower";
}

TEST(Estimate, TheInstructionDecidesTheTensorRate) {
  gpu::LaunchWork work = launch(132, Work::issue, 1);
  work.tensor_multiply_adds["wgmma.f16"] = 1e12;
  const double wgmma = estimated(work).time_of(kTensor);
  work.tensor_multiply_adds = {{"mma.f16", 1e12}};
  EXPECT_NEAR(estimated(work).time_of(kTensor) / wgmma, 4096.0 / 2688, 1e-9);
  EXPECT_EQ(estimated(work).clock_mhz, gpu::rates_of(h200()).tensor_clock_mhz);
}

TEST(Estimate, WhatEveryBlockReadsStaysInTheL1OfTheSm) {
  gpu::LaunchWork work = copy(1e6, 4096);
  work.buffers[0].fetched_bytes = work.buffers[0].unique_read_bytes = 16384;
  work.buffers[0].block_fetched_bytes = 16384.0 * 4096;
  work.buffers[0].l2_read_sectors = 512.0 * 4096;
  work.total[Work::l2_read_sectors] = 512.0 * 4096;
  const double apart = estimated(work).l2_bytes;
  work.buffers[0].read_by_all = true;
  EXPECT_LT(estimated(work).l2_bytes, 0.1 * apart);
}

TEST(Estimate, BeyondTheL2DataIsReadAgain) {
  gpu::LaunchWork work = copy(4e8, 10000);
  EXPECT_DOUBLE_EQ(estimated(work).dram_bytes, estimated(work).compulsory_bytes);
  work.buffers[0].block_fetched_bytes *= 10;  // blocks share what they read
  EXPECT_GT(estimated(work).dram_bytes, estimated(work).compulsory_bytes);
  gpu::LaunchWork small = copy(4e6, 10000);
  small.buffers[0].block_fetched_bytes *= 10;
  EXPECT_DOUBLE_EQ(estimated(small).dram_bytes, estimated(small).compulsory_bytes);
}

// All blocks are resident and go through their data twice: the second time it is in the L2 only if all of it fits.
TEST(Estimate, ASecondPassOfAWaveComesFromDramBeyondTheL2) {
  const auto read_twice = [](double bytes) {
    gpu::LaunchWork work = copy(bytes, 1024);
    work.buffers[0].l2_read_sectors *= 2;
    work.total[Work::l2_read_sectors] *= 2;
    return estimated(work);
  };
  const double small = 10e6;
  EXPECT_DOUBLE_EQ(read_twice(small).dram_bytes, estimated(copy(small, 1024)).dram_bytes);
  const double large = 400e6;
  const double once = estimated(copy(large, 1024)).dram_bytes;
  EXPECT_GT(read_twice(large).dram_bytes, once + 0.8 * large);
  EXPECT_LE(read_twice(large).dram_bytes, once + large);
  EXPECT_DOUBLE_EQ(read_twice(large).lower_bound_us, estimated(copy(large, 1024)).lower_bound_us)
      << "a cache that keeps everything is not excluded";
}

TEST(Estimate, AtomicsOnOneAddressAreSerial) {
  gpu::LaunchWork work = launch(132, Work::atomics, 1e6);
  const double spread_out = estimated(work).time_of(kAtomics);
  work.hottest_atomics = work.total[Work::atomics];
  EXPECT_GT(estimated(work).time_of(kAtomics), 50 * spread_out);
}

}  // namespace
}  // namespace assay::estimate
