// SPDX-License-Identifier: MIT
#include "estimate/sequence.hpp"

#include <gtest/gtest.h>

namespace assay::estimate {
namespace {

using gpu::Work;

const gpu::GpuModel& sequence_gpu() {
  return *gpu::find_model("h200");
}
const gpu::Rates& sequence_rates() {
  return gpu::rates_of(sequence_gpu());
}

// From one buffer to another.
gpu::LaunchWork copy_between(const std::string& from, const std::string& to, double bytes) {
  gpu::LaunchWork work;
  work.blocks = work.counted_blocks = 1000;
  work.warps_per_block = 8;
  work.total[Work::l2_read_sectors] = work.total[Work::l2_write_sectors] = bytes / 32;
  gpu::BufferWork source;
  source.name = from;
  source.l2_read_sectors = bytes / 32;
  source.unique_read_bytes = source.fetched_bytes = source.block_fetched_bytes = bytes;
  gpu::BufferWork target;
  target.name = to;
  target.l2_write_sectors = bytes / 32;
  target.unique_written_bytes = bytes;
  work.buffers = {source, target};
  return work;
}

Sequence sequence_of(const std::vector<gpu::LaunchWork>& works) {
  std::vector<SequencedLaunch> launches;
  for (const gpu::LaunchWork& work : works) launches.push_back({&work, 8});
  return estimate_sequence(launches, sequence_gpu(), {sequence_rates(), sequence_rates()});
}

TEST(Sequence, OfOneIsItsEstimate) {
  const gpu::LaunchWork work = copy_between("x", "y", 1e8);
  const Sequence sequence = sequence_of({work});
  const Estimate alone = estimate(work, 8, sequence_gpu(), sequence_rates());
  ASSERT_EQ(sequence.parts.size(), 1u);
  EXPECT_EQ(sequence.total.time_us, alone.time_us);
  EXPECT_EQ(sequence.total.lower_bound_us, alone.lower_bound_us);
  EXPECT_EQ(sequence.total.resources.size(), alone.resources.size());
}

TEST(Sequence, AddsUpPartsWithALaunchForEach) {
  const Sequence sequence =
      sequence_of({copy_between("a", "b", 1e8), copy_between("c", "d", 1e6), copy_between("e", "f", 1e7)});
  double time = 0, low = 0, high = 0, bound = 0;
  for (const Estimate& part : sequence.parts) {
    time += part.time_us;
    low += part.low_us;
    high += part.high_us;
    bound += part.lower_bound_us;
  }
  EXPECT_DOUBLE_EQ(sequence.total.time_us, time);
  EXPECT_DOUBLE_EQ(sequence.total.low_us, low);
  EXPECT_DOUBLE_EQ(sequence.total.high_us, high);
  EXPECT_DOUBLE_EQ(sequence.total.lower_bound_us, bound);
  EXPECT_DOUBLE_EQ(sequence.total.time_of(kLaunch), 3 * sequence_rates().launch_us);
  EXPECT_EQ(sequence.total.limiter, kDram) << "of the longest part";
  EXPECT_EQ(sequence.parts[1].limiter, kLaunch) << "each has its own";
}

TEST(Sequence, WhatWasWrittenJustBeforeIsInTheL2) {
  const Sequence apart = sequence_of({copy_between("a", "b", 1e7), copy_between("c", "d", 1e7)});
  const Sequence chained = sequence_of({copy_between("a", "b", 1e7), copy_between("b", "d", 1e7)});
  EXPECT_DOUBLE_EQ(chained.parts[1].dram_bytes, 1e7) << "only what it writes";
  EXPECT_DOUBLE_EQ(apart.parts[1].dram_bytes, 2e7);
  EXPECT_LT(chained.total.lower_bound_us, apart.total.lower_bound_us);
}

TEST(Sequence, WhatDoesNotFitIntoTheL2IsReadFromDram) {
  const Sequence apart = sequence_of({copy_between("a", "b", 1e9), copy_between("c", "d", 1e9)});
  const Sequence chained = sequence_of({copy_between("a", "b", 1e9), copy_between("b", "d", 1e9)});
  EXPECT_GT(chained.parts[1].dram_bytes, 0.95 * apart.parts[1].dram_bytes);
  EXPECT_GT(chained.parts[1].lower_bound_us, 0.9 * apart.parts[1].lower_bound_us);
}

TEST(Sequence, TheBoundMayHaveBetterRatesThanTheTime) {
  gpu::Rates slow = sequence_rates();
  slow.dram_reached /= 2;
  slow.block_floor_ns *= 20;
  const gpu::LaunchWork work = copy_between("x", "y", 1e8);
  const Estimate both = estimate(work, 8, sequence_gpu(), RatesInUse{slow, sequence_rates()});
  const Estimate model = estimate(work, 8, sequence_gpu(), sequence_rates());
  EXPECT_GT(both.time_us, 1.5 * model.time_us);
  EXPECT_EQ(both.lower_bound_us, model.lower_bound_us);
  EXPECT_LE(both.lower_bound_us, both.low_us);
}

}  // namespace
}  // namespace assay::estimate
