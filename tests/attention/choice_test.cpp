// SPDX-License-Identifier: MIT
// The kernel that a shape takes on 132 multiprocessors: the fastest of those that were measured.
#include "../hopper/choice.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace assay::attention::hopper {
namespace {

struct Shape {
  int batch, heads, rows, head_dim;
};

Kernel chosen(Shape shape, bool causal) {
  hopper_attention_call call{};
  call.batch = shape.batch;
  call.query_heads = call.key_heads = shape.heads;
  call.query_rows = call.key_rows = shape.rows;
  call.head_dim = shape.head_dim;
  call.causal = causal;
  return choose(call, 132);
}

// Sequences that fill tiles, and the fastest kernel there (H200).
TEST(Choice, IsTheFastestThatWasMeasured) {
  constexpr struct {
    Shape shape;
    Kernel full, causal;
  } kMeasured[] = {
      {{1, 8, 512, 64}, Kernel::resident_1x4, Kernel::resident_1x4},
      {{4, 8, 128, 64}, Kernel::resident_1x4, Kernel::resident_1x4},
      {{4, 8, 256, 64}, Kernel::resident_1x4, Kernel::resident_1x4},
      {{4, 8, 512, 64}, Kernel::streaming_2, Kernel::resident_2x2},
      {{4, 16, 512, 64}, Kernel::resident_4x1, Kernel::resident_4x1},
      {{8, 16, 512, 64}, Kernel::resident_4x1_twice, Kernel::resident_4x1_twice},
      {{4, 8, 1024, 64}, Kernel::streaming_4, Kernel::streaming_2},
      {{4, 32, 4096, 64}, Kernel::streaming_3, Kernel::streaming_3},
      {{4, 16, 2048, 128}, Kernel::streaming_2, Kernel::streaming_2},
      {{4, 16, 512, 256}, Kernel::streaming_wide, Kernel::streaming_wide},
      {{4, 16, 4096, 256}, Kernel::streaming_wide, Kernel::streaming_wide},
  };
  for (const auto& line : kMeasured) {
    SCOPED_TRACE(testing::Message() << line.shape.batch << " x " << line.shape.heads << " x " << line.shape.rows);
    EXPECT_EQ(chosen(line.shape, false), line.full);
    EXPECT_EQ(chosen(line.shape, true), line.causal);
  }
}

TEST(Choice, TakesNoKernelThatDoesNotComputeTheCall) {
  for (int head_dim = 8; head_dim <= 256; head_dim += 8) {
    for (int rows : {1, 64, 65, 128, 129, 512, 513, 5000}) {
      for (bool causal : {false, true}) {
        const Kernel kernel = chosen({3, 5, rows, head_dim}, causal);
        const bool resident = kernel <= Kernel::resident_4x1_twice;
        EXPECT_TRUE(!resident || (head_dim == 64 && rows <= 512)) << head_dim << " " << rows;
        EXPECT_TRUE(kernel != Kernel::resident_2x2 || causal) << rows;
        EXPECT_TRUE(kernel != Kernel::pairs_64 || (rows <= 64 && head_dim >= 64 && head_dim <= 128)) << head_dim;
        EXPECT_TRUE(kernel != Kernel::pairs_128 || (rows <= 128 && head_dim >= 64 && head_dim <= 128)) << head_dim;
        EXPECT_TRUE(kernel != Kernel::streaming_wide || head_dim > 128) << head_dim;
        EXPECT_TRUE((kernel != Kernel::streaming_3 && kernel != Kernel::streaming_4) || head_dim <= 64) << head_dim;
      }
    }
  }
}

hopper_attention_call short_call(int batch, int rows, int keys, int columns) {
  hopper_attention_call call{};
  call.batch = batch;
  call.query_heads = call.key_heads = 16;
  call.query_rows = rows;
  call.key_rows = keys;
  call.head_dim = columns;
  return call;
}

TEST(Choice, KnowsWhereManyShortSequencesFit) {
  EXPECT_TRUE(takes_pairs(short_call(kLeastPairs / 16, 128, 128, 64)));
  EXPECT_FALSE(takes_pairs(short_call(kLeastPairs / 16 - 1, 128, 128, 64))) << "too few";
  EXPECT_TRUE(takes_pairs(short_call(kLeastShortPairs / 16, 64, 64, 64)));
  EXPECT_FALSE(takes_pairs(short_call(kLeastShortPairs / 16 - 1, 64, 64, 64))) << "too few";
  EXPECT_FALSE(takes_pairs(short_call(kLeastPairsOfShortKeys / 16 - 1, 65, 64, 64))) << "many queries, few keys";
  EXPECT_FALSE(takes_pairs(short_call(32, 129, 128, 64))) << "too many queries";
  EXPECT_FALSE(takes_pairs(short_call(32, 128, 129, 64))) << "too many keys";
  EXPECT_FALSE(takes_pairs(short_call(32, 128, 128, 136))) << "too wide";
  EXPECT_FALSE(takes_pairs(short_call(32, 128, 128, 56))) << "too narrow";
}

TEST(Choice, GivesManyShortSequencesToTheKernelForThem) {
  EXPECT_EQ(choose(short_call(32, 128, 128, 64), 132), Kernel::pairs_128);
  EXPECT_EQ(choose(short_call(2, 64, 40, 128), 132), Kernel::pairs_64);
}

TEST(Choice, CanLeaveThemOut) {
  const hopper_attention_call call = short_call(16, 128, 128, 64);
  EXPECT_EQ(choose(call, 132), Kernel::pairs_128);
  EXPECT_NE(choose_long(call, 132), Kernel::pairs_128);
}

hopper_attention_call grouped_call(int batch, int heads, int key_heads, int rows, int keys, int columns) {
  hopper_attention_call call = short_call(batch, rows, keys, columns);
  call.query_heads = heads;
  call.key_heads = key_heads;
  return call;
}

TEST(Choice, SplitsTheKeysOfFewTiles) {
  EXPECT_EQ(choose(grouped_call(1, 2, 2, 85, 4832, 128), 132), Kernel::split_streaming);
  EXPECT_EQ(choose(grouped_call(8, 2, 2, 128, 7600, 64), 132), Kernel::split_streaming);
  EXPECT_EQ(choose(grouped_call(68, 2, 1, 35, 56909, 64), 132), Kernel::split_streaming) << "two heads in a tile";
  EXPECT_EQ(choose(grouped_call(4, 33, 33, 2048, 2048, 128), 132), Kernel::streaming_2) << "many tiles";
}

TEST(Choice, GivesRowsThatFillHalfATileToBothWarpgroups) {
  EXPECT_EQ(choose(grouped_call(8, 2, 2, 64, 7600, 64), 132), Kernel::split_halves);
  EXPECT_TRUE(in_halves(grouped_call(8, 4, 2, 32, 7600, 64)));
  EXPECT_FALSE(in_halves(grouped_call(8, 4, 2, 33, 7600, 64))) << "two heads of 64 rows fill it";
  EXPECT_FALSE(in_halves(grouped_call(8, 2, 2, 65, 7600, 64))) << "more than half";
  hopper_attention_call causal = grouped_call(8, 2, 2, 64, 7600, 64);
  causal.causal = 1;
  EXPECT_FALSE(in_halves(causal)) << "there is no such kernel";
}

TEST(Choice, GivesFewQueriesToTheKernelThatMemoryLimits) {
  EXPECT_TRUE(takes_split_keys(grouped_call(1, 32, 8, 1, 8192, 128), 132));
  EXPECT_TRUE(takes_split_keys(grouped_call(1, 32, 8, 1, 65536, 128), 132));
  EXPECT_FALSE(takes_split_keys(grouped_call(2, 6, 6, 64, 107905, 192), 132)) << "tensor cores decide";
  EXPECT_FALSE(takes_split_keys(grouped_call(1, 32, 8, 65, 8192, 128), 132)) << "too many queries";
  EXPECT_FALSE(takes_split_keys(grouped_call(1, 32, 8, 1, 255, 128), 132)) << "too few keys";
}

TEST(SplitStreaming, PlansFewBlocksForManyTiles) {
  const SplitSlots slots = usual_split_slots(132);
  EXPECT_EQ(plan_split(grouped_call(1, 1, 1, 128, 16384, 128), slots).cluster, 8);
  EXPECT_LE(plan_split(grouped_call(1, 30, 30, 128, 16384, 128), slots).cluster, 4);
  EXPECT_EQ(plan_split(grouped_call(1, 132, 132, 128, 16384, 128), slots).cluster, 1);
  EXPECT_EQ(plan_split(grouped_call(1, 1, 1, 128, 100, 128), slots).cluster, 1) << "one block of keys";
}

TEST(SplitStreaming, PacksHeadsOfAGroup) {
  EXPECT_EQ(split_tiles(grouped_call(2, 16, 2, 1, 512, 64)), 2 * 2) << "8 heads of a group, a row each";
  EXPECT_EQ(split_tiles(grouped_call(2, 16, 2, 33, 512, 64)), 2 * 2 * 4) << "64 rows for 33";
  EXPECT_EQ(split_tiles(grouped_call(2, 16, 2, 129, 512, 64)), 2 * 16 * 2) << "tiles of one head";
}

hopper_attention_call fitted_call() {
  hopper_attention_call call = grouped_call(3, 10, 5, 600, 700, 64);
  call.causal = 1;
  return call;
}

// What split_terms(3, ...) and split_keys_terms(...) of choice_sweep.py compute of the same calls.
TEST(SplitStreaming, TermsAreThoseOfTheFit) {
  const SplitCosts costs{1, 64, true, false, 128, {}};
  hopper_attention_call call = grouped_call(3, 5, 5, 600, 700, 64);
  call.causal = 1;
  const std::array<double, kSplitCostTerms> expected = {
      1.0, 2.0, 6.0, 4.0, 4.0 * 75 / 132, 4.0 * 64 * 4 * 128 * 75 / 4.2e6};
  const std::array<double, kSplitCostTerms> found = costs.terms(call, 3, usual_split_slots(132));
  for (int i = 0; i < kSplitCostTerms; ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << i;
  // 68 tiles in 66 places: the last two are short, and fit beside short ones while a longest one runs.
  call = grouped_call(1, 4, 4, 2176, 2176, 64);
  call.causal = 1;
  EXPECT_EQ(costs.terms(call, 2, usual_split_slots(132))[1], 1.0);
  EXPECT_EQ(costs.terms(call, 2, usual_split_slots(132))[3], 9.0);
  EXPECT_EQ(costs.terms(call, 3, usual_split_slots(132))[1], 2.0);
}

// What split_keys_terms() of choice_sweep.py computes of the same calls, by the rates of plan_rates.hpp.
TEST(SplitKeys, FeaturesAreThoseOfTheFit) {
  const auto compare = [](const hopper_attention_call& call, const std::array<double, 8>& expected) {
    const split_keys::Shape shape{call.batch,      call.key_heads, call.query_heads / call.key_heads,
                                  call.query_rows, call.key_rows,  call.head_dim};
    const Features found = split_keys_features(call, shape, 132);
    for (int i = 0; i < 8; ++i) EXPECT_NEAR(found[i], expected[i], 1e-3 * expected[i]) << i;
  };
  compare(grouped_call(3, 120, 2, 20, 1000, 96), {23.8944, 1, 0, 2, 0.548571, 0.0229582, 38, 228.0 / 132});
  compare(grouped_call(1, 32, 8, 1, 8192, 128), {13.6009, 8, 0, 1, 7.98915, 0.5874, 1, 8.0 / 132});
  compare(grouped_call(64, 16, 16, 1, 600, 256), {156.996, 0, 0, 1, 149.797, 0.954145, 1, 1024.0 / 132});  // solo
  compare(grouped_call(2, 16, 1, 1, 77777, 64), {17.7696, 8, 1, 1, 9.48139, 0.533573, 1, 2.0 / 132});      // sharing
}

TEST(Tree, GoesRightFromTheLeastOn) {
  Tree tree{{{{8, 100}, {9, 10}, {9, 20}, {10, 1}, {10, 2}, {10, 3}, {10, 4}}}, {}};
  std::fill(tree.splits.begin() + 7, tree.splits.end(), Tree::Split{11, 2});
  std::iota(tree.factors.begin(), tree.factors.end(), 1);
  const auto factor = [&](int query_rows, int key_rows, int head_dim, int group) {
    hopper_attention_call call = grouped_call(1, group, 1, query_rows, key_rows, head_dim);
    return tree.factor(features_of(std::array<double, kCostTerms>{}, call, std::array<double, 0>{}));
  };
  EXPECT_EQ(factor(99, 9, 0, 1), 1);
  EXPECT_EQ(factor(99, 10, 2, 1), 7);
  EXPECT_EQ(factor(100, 19, 2, 2), 10);
  EXPECT_EQ(factor(100, 20, 4, 2), 16);
}

// What Costs.estimate() of choice_sweep.py says of the same calls.
TEST(Choice, EstimatesAreThoseOfTheFit) {
  const auto estimate = [](Kernel kernel, const hopper_attention_call& call) {
    for (const KernelCosts& costs : kKernelCosts) {
      if (costs.kernel == kernel && costs.computes(call)) return estimated_us(costs, call, 132);
    }
    return 0.0;
  };
  hopper_attention_call causal = grouped_call(4, 16, 16, 2048, 2048, 128);
  causal.causal = 1;
  EXPECT_NEAR(estimate(Kernel::streaming_2, causal), 124.95, 0.1);
  EXPECT_NEAR(estimate(Kernel::resident_4x1_twice, grouped_call(8, 16, 16, 512, 512, 64)), 24.430, 0.03);
  const hopper_attention_call few_tiles = grouped_call(1, 2, 2, 85, 4832, 128);
  for (const SplitCosts& costs : kSplitCosts) {
    if (costs.computes(few_tiles))
      EXPECT_NEAR(costs.estimate(few_tiles, 4, usual_split_slots(132), kTrees[kSplitTrees]), 21.915, 0.02);
  }
}

// What choice_sweep.py computes of the same call.
TEST(Choice, TermsAreThoseOfTheFit) {
  const hopper_attention_call call = fitted_call();
  const KernelCosts costs{Kernel::resident_4x1_twice, 64, 64, true, 256, 128, 2, 0, 512, {}};
  const std::array<double, kCostTerms> expected = {1.0,
                                                   12.0,
                                                   12.0,
                                                   (3.0 + 6.0) / 2 * 90 / 132,
                                                   1.0,
                                                   60.0 / 132,
                                                   18000.0 * (356.0 + 700.0) / 2 / (132.0 * 256 * 128),
                                                   4.0 * 64 * (18000 + 10500) / 4.2e6};
  const std::array<double, kCostTerms> found = costs.terms(call, 132);
  for (int i = 0; i < kCostTerms; ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << i;
}

}  // namespace
}  // namespace assay::attention::hopper
