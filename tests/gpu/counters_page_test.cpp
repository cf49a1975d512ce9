// SPDX-License-Identifier: MIT
// docs/counters.md describes every counter under its name and with its metric.
#include <gtest/gtest.h>
#include <string>

#include "base/file.hpp"
#include "gpu/counters.hpp"

namespace assay::gpu {
namespace {

TEST(CountersPage, NamesEveryCounterAndMetric) {
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/counters.md");
  ASSERT_TRUE(page.ok());
  for (const CounterInfo& counter : counter_table()) {
    EXPECT_NE(page->find("`" + std::string(counter.name) + "`"), std::string::npos) << counter.name;
    EXPECT_NE(page->find(counter.ncu), std::string::npos) << counter.ncu;
  }
}

}  // namespace
}  // namespace assay::gpu
