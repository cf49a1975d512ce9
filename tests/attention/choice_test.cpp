// SPDX-License-Identifier: MIT
// The kernel that a shape takes on 132 multiprocessors: the fastest of those that were measured.
#include "../hopper/choice.hpp"

#include <gtest/gtest.h>

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

// What choice_sweep.py computes of the same call.
TEST(Choice, TermsAreThoseOfTheFit) {
  hopper_attention_call call{};
  call.batch = 3;
  call.query_heads = 10;
  call.key_heads = 5;
  call.query_rows = 600;
  call.key_rows = 700;
  call.head_dim = 64;
  call.causal = 1;
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
