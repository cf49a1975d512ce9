// SPDX-License-Identifier: MIT
#include "learn/step.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace assay::learn {
namespace {

using nlohmann::json;

const json kOrigin = {{"kernel", "k"}, {"device", "NVIDIA H200"}};

Result<Step> step(const char* text) {
  return step_of(kOrigin, json::parse(text));
}

TEST(Step, figures_become_ratios) {
  const auto made = step(R"({"name": "1", "change": "c", "outcomes": [{"before_us": 20, "after_us": 10},
    {"before_x": 1, "after_x": 1.1}, {"less_percent": [10, 30]}, {"more_percent": [0, 0]}]})");
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->ratios.size(), 4u);
  EXPECT_DOUBLE_EQ(made->ratios[0], 2);
  EXPECT_DOUBLE_EQ(made->ratios[1], 1.1);
  EXPECT_DOUBLE_EQ(made->ratios[2], 1.25);
  EXPECT_DOUBLE_EQ(made->ratios[3], 1);
  EXPECT_TRUE(made->kept);
  EXPECT_FALSE(made->profiled);
}

TEST(Step, what_makes_no_sense_is_refused) {
  for (const char* text : {"3", "{}", R"({"name": "1"})", R"({"name": "1", "change": "c", "outcomes": 3})",
                           R"({"name": "1", "change": "c", "outcomes": [{}]})",
                           R"({"name": "1", "change": "c", "outcomes": [{"before_us": 0, "after_us": 1}]})",
                           R"({"name": "1", "change": "c", "outcomes": [{"before_us": 1, "after_us": -1}]})",
                           R"({"name": "1", "change": "c", "outcomes": [{"less_percent": [100, 100]}]})",
                           R"({"name": "1", "change": "c", "outcomes": [{"less_percent": 3}]})"})
    EXPECT_FALSE(step(text).ok()) << text;
}

TEST(Step, a_file_says_where_it_comes_from) {
  for (const char* text : {"", "[]", R"({"assay_steps": 2, "steps": []})", R"({"assay_steps": 1, "steps": {}})",
                           R"({"assay_steps": 1, "steps": [], "kernel": "k", "device": "d", "date": "2026-11-15"})"})
    EXPECT_FALSE(read_steps(text, "f").ok()) << text;
}

TEST(Step, the_sixteen_steps_of_the_hopper_kernels_can_be_read) {
  std::ifstream file(ASSAY_SOURCE_DIR "/kernels/attention/hopper/steps.json");
  std::stringstream text;
  text << file.rdbuf();
  const auto read = read_steps(text.str(), "steps.json");
  ASSERT_TRUE(read.ok()) << to_string(read.error());
  size_t kept = 0;
  for (int number = 1; number <= 16; ++number) {
    const auto found =
        std::ranges::find_if(read->steps, [&](const json& entry) { return entry["name"] == std::to_string(number); });
    ASSERT_NE(found, read->steps.end()) << number;
    kept += (*found)["kept"] == true ? 1 : 0;
  }
  EXPECT_EQ(kept, 15u) << "the optimistic softmax was replaced";
}

}  // namespace
}  // namespace assay::learn
