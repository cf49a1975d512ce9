// SPDX-License-Identifier: MIT
#include "claims/results_file.hpp"

#include <gtest/gtest.h>

namespace assay::claims {
namespace {

const std::string kHead =
    "# assay results 1\n# what: a test\n# kind: measured\n# device: NVIDIA H200\n# date: 2026-11-16\n"
    "# versions: CUDA 13.0\n# command: none\n";

TEST(ResultsFile, has_facts_and_rows) {
  const auto results = read_results(kHead + "shape  mask  us\n\nsmall  full  5.79\n\"B=1, H=8\" - 7\n", "f");
  ASSERT_TRUE(results.ok()) << results.error().message;
  EXPECT_EQ(results->facts.at("device"), "NVIDIA H200");
  ASSERT_EQ(results->rows.size(), 2u);
  EXPECT_EQ(results->rows[0], (nlohmann::json{{"shape", "small"}, {"mask", "full"}, {"us", 5.79}}));
  EXPECT_EQ(results->rows[1], (nlohmann::json{{"shape", "B=1, H=8"}, {"us", 7}}));
}

TEST(ResultsFile, figures_without_their_origin_are_refused) {
  for (const char* fact : {"what", "kind", "device", "date", "versions", "command"}) {
    std::string text = kHead + "us\n1\n";
    const size_t start = text.find(std::string("# ") + fact);
    text.erase(start, text.find('\n', start) - start + 1);
    const auto results = read_results(text, "f");
    ASSERT_FALSE(results.ok()) << fact;
    EXPECT_NE(to_string(results.error()).find(fact), std::string::npos) << to_string(results.error());
  }
}

TEST(ResultsFile, what_is_no_table_is_refused_with_its_line) {
  EXPECT_EQ(read_results("", "f").error().place.line, 1);
  EXPECT_EQ(read_results("us\n1\n", "f").error().place.line, 1);
  EXPECT_EQ(read_results(kHead + "a b\n1 2\n1\n", "f").error().place.line, 10);
  EXPECT_EQ(read_results(kHead + "a b\n1 \"2\n", "f").error().place.line, 9);
  EXPECT_FALSE(read_results(kHead + "a a\n", "f").ok());
  EXPECT_FALSE(read_results(kHead, "f").ok());
}

}  // namespace
}  // namespace assay::claims
