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

Batches slower_by(double part, Batches batches) {
  for (Batch& batch : batches) {
    for (double& us : batch.microseconds) us *= 1 + part;
  }
  return batches;
}

// Which side is ahead has no part in it.
TEST(Replication, does_not_see_which_side_is_ahead) {
  const Replication plan;
  for (const double spread : {0.0, 0.01, 0.02, 0.05}) {
    const Batches steady = processes(plan.first, 0);
    const Batches apart = slower_by(0.3, processes(plan.first, spread));
    EXPECT_EQ(enough(plan, apart, steady), enough(plan, steady, apart)) << spread;
  }
}

TEST(Replication, knows_a_clear_difference_well_enough_the_sooner_the_larger_it_is) {
  const Replication plan;
  const auto run = [&](double part, double spread) {
    return enough(plan, slower_by(part, processes(plan.first, spread)), processes(plan.first, 0));
  };
  EXPECT_FALSE(run(0, 0.02));
  EXPECT_FALSE(run(0.03, 0.02));  // not clear enough to be known roughly
  EXPECT_FALSE(run(0.07, 0.02));
  EXPECT_TRUE(run(0.4, 0.02));
  EXPECT_FALSE(run(0.4, 0.1));
  Replication narrower = plan;
  narrower.width = plan.width / 4;  // what is asked for holds for clear differences, too
  EXPECT_FALSE(enough(narrower, slower_by(0.4, processes(plan.first, 0.02)), processes(plan.first, 0)));
}

}  // namespace
}  // namespace assay::judge
