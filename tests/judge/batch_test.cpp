// SPDX-License-Identifier: MIT
#include "judge/batch.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace assay::judge {
namespace {

TEST(Batch, accepts_what_a_timer_can_say) {
  EXPECT_TRUE(validate({{{1.5, 2}, {false, true}, 1980.0}, {{3}, {}, {}}}, "the candidate").ok());
}

TEST(Batch, refuses_the_impossible_by_place) {
  const auto message = [](const Batches& batches) { return validate(batches, "the candidate").error().message; };
  EXPECT_EQ(message({}), "the candidate: there are no samples");
  EXPECT_EQ(message({{}, {}}), "the candidate: there are no samples");
  EXPECT_EQ(message({{{1}, {}, {}}, {{1, 0}, {}, {}}}), "the candidate: sample 2 of batch 2 took 0 us");
  EXPECT_EQ(message({{{NAN}, {}, {}}}), "the candidate: sample 1 of batch 1 took nan us");
  EXPECT_EQ(message({{{1, 2}, {true}, {}}}), "the candidate: batch 1 has 2 samples but 1 throttle marks");
  EXPECT_EQ(message({{{1}, {}, 0.0}}), "the candidate: the clock of batch 1 is 0 MHz");
}

TEST(Batch, counts) {
  const Batches batches{{{1, 2}, {true, false}, 1900.0}, {{3, 4}, {}, 2000.0}};
  EXPECT_EQ(sample_count(batches), 4u);
  EXPECT_EQ(throttled_fraction(batches), 0.25);
  EXPECT_EQ(pooled(batches), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(mean_clock(batches), 1950.0);
  EXPECT_EQ(mean_clock({{{1}, {}, 1900.0}, {{1}, {}, {}}}), std::nullopt);
  EXPECT_EQ(mean_clock({}), std::nullopt);
}

}  // namespace
}  // namespace assay::judge
