// SPDX-License-Identifier: MIT
#include "check/work_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay::check {
namespace {

TEST(WorkJson, ComesBackAsItWent) {
  gpu::LaunchWork work;
  work.grid = {3, 2, 1};
  work.block = {128, 1, 1};
  work.blocks = 6;
  work.counted_blocks = 5;
  work.warps_per_block = 4;
  work.judges_barriers = true;
  work.total[gpu::Work::issue] = 12.5;
  work.tensor_multiply_adds["mma.f16"] = 4096;
  work.mean_chain = {10, 20};
  work.longest_chain = {30, 40};
  work.hottest_atomics = 7;
  work.buffers.push_back({"x", 64, 1, 2, 3, 4, 5, 6, 7, true});
  work.lines.push_back({{"kernel.cu", 12, 0, "f"}, work.total, 9});
  const nlohmann::json document = to_json(work);
  EXPECT_EQ(to_json(launch_work_from_json(document)), document);
}

TEST(WorkJson, WhatIsNoneIsRefused) {
  nlohmann::json document = to_json(gpu::LaunchWork{});
  EXPECT_NO_THROW(launch_work_from_json(document));
  document["total"] = {{"no_such_work", 1}};
  EXPECT_ANY_THROW(launch_work_from_json(document));
  document["total"] = {{"issue", -1}};
  EXPECT_ANY_THROW(launch_work_from_json(document));
}

}  // namespace
}  // namespace assay::check
