// SPDX-License-Identifier: MIT
#include "judge/replication.hpp"

#include <gtest/gtest.h>

namespace assay::judge {
namespace {

// Processes whose levels are 20 us and, in turns, more by `spread` of it.
Batches processes(size_t count, double spread) {
  Batches batches;
  for (size_t i = 0; i < count; ++i)
    batches.push_back({std::vector<double>(10, 20 * (1 + (i % 2 == 0 ? 0 : spread))), {}, {}, i});
  return batches;
}

TEST(Replication, runs_the_first_processes_whatever_they_say) {
  const Replication plan;
  EXPECT_FALSE(enough(plan, processes(plan.first - 1, 0), processes(plan.first - 1, 0)));
  EXPECT_TRUE(enough(plan, processes(plan.first, 0), processes(plan.first, 0)));
  EXPECT_TRUE(enough(plan, processes(plan.first, 0)));
}

TEST(Replication, goes_on_while_the_interval_is_wide_and_no_longer_than_the_most) {
  const Replication plan;
  const auto run = [&](size_t count) { return enough(plan, processes(count, 0.02), processes(count, 0)); };
  EXPECT_FALSE(run(plan.first));
  EXPECT_FALSE(run(plan.first + plan.step));
  EXPECT_TRUE(run(plan.most));
}

TEST(Replication, looks_only_after_every_step) {
  const Replication plan;
  EXPECT_FALSE(enough(plan, processes(plan.first + 1, 0), processes(plan.first + 1, 0)));
  EXPECT_TRUE(enough(plan, processes(plan.first + plan.step, 0), processes(plan.first + plan.step, 0)));
}

// Which side is ahead has no part in it.
TEST(Replication, sees_the_width_alone) {
  const Replication plan;
  Batches slower = processes(plan.first, 0);
  for (Batch& batch : slower) {
    for (double& us : batch.microseconds) us *= 1.5;
  }
  EXPECT_TRUE(enough(plan, slower, processes(plan.first, 0)));
}

}  // namespace
}  // namespace assay::judge
