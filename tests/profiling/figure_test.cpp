// SPDX-License-Identifier: MIT
#include "profiling/figure.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include "profiling/ncu.hpp"
#include "profiling/profile.hpp"

namespace assay::profiling {
namespace {

using enum gpu::Counter;
using Judgement = Figure::Judgement;

Figure find(const std::vector<Figure>& all, const std::string& name) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Figure& figure) { return figure.name == name; });
  EXPECT_NE(found, all.end()) << name;
  return found == all.end() ? Figure{} : *found;
}

gpu::Occupancy occupancy_of(int blocks, double percent) {
  gpu::Occupancy occupancy;
  occupancy.blocks_per_sm = blocks;
  occupancy.percent = percent;
  occupancy.limiters = {gpu::Limiter::registers};
  return occupancy;
}

TEST(Figures, JudgeAGoodKernel) {
  gpu::Counters counters;
  counters[global_load_requests] = 10;
  counters[global_load_sectors] = 40;
  counters[global_load_ideal_sectors] = 40;
  counters[shared_load_wavefronts] = 100;
  counters[tensor_instructions] = 2;
  counters[tensor_multiply_adds] = 4096;
  KernelResources resources;
  resources.usage = build::ResourceUsage{.spill_store_bytes = 0, .spill_load_bytes = 0};
  resources.occupancy = occupancy_of(4, 50.0);
  resources.flops = 8192;
  const std::vector<Figure> all = figures(counters, resources);
  EXPECT_EQ(find(all, "coalescing").value, 100);
  EXPECT_EQ(find(all, "coalescing").judgement, Judgement::good);
  EXPECT_EQ(find(all, "sectors per load request").value, 4);
  EXPECT_EQ(find(all, "bank conflicts").judgement, Judgement::good);
  EXPECT_EQ(find(all, "tensor-core use").value, 4096);
  EXPECT_NE(find(all, "tensor-core use").note.find("100.0 %"), std::string::npos);
  EXPECT_EQ(find(all, "occupancy, theoretical").judgement, Judgement::good);
  EXPECT_EQ(find(all, "occupancy, theoretical").evidence, Evidence::estimated);
  EXPECT_NE(find(all, "occupancy, theoretical").note.find("limited by registers"), std::string::npos);
  EXPECT_EQ(find(all, "spills").judgement, Judgement::good);
}

TEST(Figures, JudgeABadKernel) {
  gpu::Counters counters;
  counters[global_store_sectors] = 32;
  counters[global_store_ideal_sectors] = 4;
  counters[shared_store_wavefronts] = 32;
  counters[shared_store_bank_conflicts] = 31;
  KernelResources resources;
  resources.usage = build::ResourceUsage{.spill_store_bytes = 8, .spill_load_bytes = 16};
  resources.occupancy = occupancy_of(1, 12.5);
  const std::vector<Figure> all = figures(counters, resources);
  EXPECT_EQ(find(all, "coalescing").value, 12.5);
  EXPECT_EQ(find(all, "coalescing").judgement, Judgement::bad);
  EXPECT_EQ(find(all, "bank conflicts").judgement, Judgement::bad);
  EXPECT_EQ(find(all, "occupancy, theoretical").judgement, Judgement::bad);
  EXPECT_EQ(find(all, "spills").value, 24);
  EXPECT_EQ(find(all, "spills").judgement, Judgement::bad);
}

TEST(Figures, WhatIsNotKnownIsNotJudged) {
  for (const Figure& figure : figures({}, {})) {
    EXPECT_EQ(figure.judgement, Judgement::none) << figure.name;
    EXPECT_TRUE(!figure.value || *figure.value == 0) << figure.name;
  }
}

TEST(Figures, OfAGpuAreMeasured) {
  NcuLaunch launch;
  launch.metrics["gpu__time_duration.sum"] = {5000, "ns"};
  launch.metrics["sm__instruction_throughput.avg.pct_of_peak_sustained_active"] = {71, "%"};
  launch.metrics["l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"] = {3, ""};
  launch.metrics["l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"] = {4, ""};
  const std::vector<Figure> all = measured_figures(launch);
  for (const Figure& figure : all) EXPECT_EQ(figure.evidence, Evidence::measured) << figure.name;
  EXPECT_EQ(find(all, "duration").value, 5);
  EXPECT_EQ(find(all, "SM busy").judgement, Judgement::good);
  EXPECT_EQ(find(all, "local memory requests").judgement, Judgement::bad);
  EXPECT_FALSE(find(all, "occupancy, achieved").value.has_value());
  EXPECT_EQ(find(all, "occupancy, achieved").judgement, Judgement::none);
}

TEST(Profile, LinesThatMoveMostComeFirst) {
  gpu::LaunchCounters counters;
  counters.lines.resize(3);
  counters.lines[0].line.line = 1;
  counters.lines[0].counters[ptx_instructions] = 1000;
  counters.lines[1].line.line = 2;
  counters.lines[1].counters[global_load_sectors] = 5;
  counters.lines[2].line.line = 3;
  counters.lines[2].counters[shared_load_wavefronts] = 7;
  const auto lines = costly_lines(counters, 2);
  ASSERT_EQ(lines.size(), 2);
  EXPECT_EQ(lines[0]->line.line, 3);
  EXPECT_EQ(lines[1]->line.line, 2);
}

}  // namespace
}  // namespace assay::profiling
