// SPDX-License-Identifier: MIT
#include "cluster/work_item.hpp"

#include <gtest/gtest.h>

namespace assay::cluster {
namespace {

TEST(WorkItem, ComesBackAsItWas) {
  const WorkItem item{{"tune", "a folder/with \"quotes\"", "--json"}, 12.5};
  const auto read = read_item(to_text(item));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->words, item.words);
  EXPECT_EQ(read->time_limit_s, 12.5);
}

TEST(WorkItem, AResultComesBackAsItWas) {
  ItemResult result;
  result.worker = {"n1-job7-2", "n1", "GPU-77", "NVIDIA H200", "7", 2};
  result.exit_code = 5;
  result.document = "{\"a\": [1, 2]}";
  result.problem = "line\nline";
  result.seconds = 0.25;
  const auto read = read_result(to_text(result));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->worker.device, "GPU-77");
  EXPECT_EQ(read->worker.restarts, 2);
  EXPECT_EQ(read->exit_code, 5);
  EXPECT_EQ(read->document, result.document);
  EXPECT_EQ(read->problem, result.problem);
  EXPECT_EQ(read->seconds, 0.25);
}

TEST(WorkItem, WhatIsNoneIsAnError) {
  for (const char* text :
       {"", "[]", "{}", "{\"words\": [], \"time_limit_s\": 1}", "{\"words\": [1], \"time_limit_s\": 1}",
        "{\"words\": [\"a\"], \"time_limit_s\": -1}", "{\"words\": [\"a\"]}"}) {
    EXPECT_FALSE(read_item(text).ok()) << text;
  }
  const std::string worker =
      "{\"name\": \"n\", \"host\": \"n\", \"device\": \"\", \"gpu\": \"\", \"job\": \"\", \"restarts\": ";
  EXPECT_TRUE(read_worker(worker + "2}").ok());
  for (const char* number : {"1e300", "2.5", "5000000000", "\"2\""})
    EXPECT_FALSE(read_worker(worker + number + "}").ok()) << number;
  for (const char* text : {"", "7", "{\"worker\": 3}", "{\"worker\": {}, \"exit_code\": \"x\"}"})
    EXPECT_FALSE(read_result(text).ok()) << text;
}

}  // namespace
}  // namespace assay::cluster
