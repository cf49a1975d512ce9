// SPDX-License-Identifier: MIT
#include "check/counters_json.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace assay::check {
namespace {

using enum gpu::Counter;
using nlohmann::json;

gpu::LaunchCounters sample() {
  gpu::LaunchCounters counters;
  counters.total[ptx_instructions] = 12;
  counters.total[tensor_instructions] = 3;
  counters.total[global_load_sectors] = uint64_t{1} << 60;
  counters.total.families["tensor"] = 3;
  counters.total.tensor["m16n8k16.f32.f16.f16.f32"] = 3;
  gpu::LineCounters line;
  line.line = {"kernel.cu", 7, 0, "f"};
  line.counters = counters.total;
  counters.lines.push_back(line);
  return counters;
}

TEST(CountersJson, ComeBackAsTheyWere) {
  const gpu::LaunchCounters counters = sample();
  const json document = json::parse(to_json(counters).dump());
  EXPECT_EQ(document["total"]["global_load_sectors"], uint64_t{1} << 60);
  EXPECT_EQ(document["total"]["tensor_instructions.m16n8k16.f32.f16.f16.f32"], 3);
  EXPECT_EQ(document["total"]["barriers"], 0) << "zeros stand in the total";
  EXPECT_FALSE(document["lines"][0]["counters"].contains("barriers")) << "but not in the lines";
  const gpu::LaunchCounters back = launch_counters_from_json(document);
  EXPECT_EQ(back.total, counters.total);
  ASSERT_EQ(back.lines.size(), 1);
  EXPECT_EQ(back.lines[0].counters, counters.total);
  EXPECT_EQ(back.lines[0].line, counters.lines[0].line);
}

TEST(CountersJson, WhatIsNoCounterIsRefused) {
  for (const char* text :
       {"{}", "[]", R"({"total": 1, "lines": []})", R"({"total": {"no_such_counter": 1}, "lines": []})",
        R"({"total": {"barriers": -1}, "lines": []})", R"({"total": {"barriers": "many"}, "lines": []})",
        R"({"total": {"barriers": 1.5}, "lines": []})", R"({"total": {}, "lines": {}})",
        R"({"total": {}, "lines": [{"file": 1}]})"}) {
    EXPECT_ANY_THROW(launch_counters_from_json(json::parse(text))) << text;
  }
}

}  // namespace
}  // namespace assay::check
