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
      {{32, 16, 512, 64}, Kernel::streaming_3, Kernel::resident_4x1_twice},
      {{8, 16, 300, 64}, Kernel::streaming_3, Kernel::resident_4x1_twice},
      {{64, 16, 256, 64}, Kernel::streaming_4, Kernel::streaming_4},
      {{4, 8, 1024, 64}, Kernel::streaming_4, Kernel::streaming_2},
      {{4, 8, 2048, 64}, Kernel::streaming_4, Kernel::streaming_4},
      {{4, 32, 4096, 64}, Kernel::streaming_3, Kernel::streaming_3},
      {{4, 16, 2048, 128}, Kernel::streaming_2, Kernel::streaming_2},
  };
  for (const auto& line : kMeasured) {
    SCOPED_TRACE(testing::Message() << line.shape.batch << " x " << line.shape.heads << " x " << line.shape.rows);
    EXPECT_EQ(chosen(line.shape, false), line.full);
    EXPECT_EQ(chosen(line.shape, true), line.causal);
  }
}

TEST(Choice, KnowsThatCausalTilesOfALastRoundAreSharedOut) {
  // 1.45 rounds of streaming_2, 1.09 of streaming_3, one of streaming_4.
  EXPECT_EQ(chosen({4, 12, 1024, 64}, true), Kernel::streaming_2);
  EXPECT_EQ(chosen({2, 16, 3072, 64}, true), Kernel::streaming_3);
  EXPECT_EQ(chosen({1, 16, 4096, 64}, true), Kernel::streaming_4);
  EXPECT_EQ(chosen({8, 16, 1536, 64}, true), Kernel::streaming_3);
}

TEST(Choice, LeavesNoResidentBlockHalfEmpty) {
  EXPECT_EQ(chosen({16, 16, 136, 64}, false), Kernel::streaming_3);  // 136 of 256 rows
  EXPECT_EQ(chosen({16, 16, 136, 64}, true), Kernel::streaming_3);
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
  EXPECT_EQ(choose_pairs(short_call(32, 128, 128, 64)), Kernel::pairs_128);
  EXPECT_EQ(choose_pairs(short_call(32, 65, 65, 128)), Kernel::pairs_128);
  EXPECT_EQ(choose_pairs(short_call(32, 10, 65, 64)), Kernel::pairs_128);
  EXPECT_EQ(choose_pairs(short_call(32, 64, 64, 80)), Kernel::pairs_64);
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

TEST(Choice, WithoutPairsIsWhatItWasBeforeThem) {
  hopper_attention_call call{};
  call.batch = call.query_heads = call.key_heads = 16;
  call.query_rows = call.key_rows = 128;
  call.head_dim = 64;
  EXPECT_EQ(choose_long(call, 132), Kernel::streaming_2);
}

TEST(Choice, LeavesLongAndNarrowHeadsToTheStreamingKernels) {
  for (bool causal : {false, true}) {
    EXPECT_EQ(chosen({1, 8, 513, 64}, causal), Kernel::streaming_2);
    EXPECT_EQ(chosen({1, 8, 512, 40}, causal), Kernel::streaming_2);
    EXPECT_EQ(chosen({1, 8, 64, 72}, causal), Kernel::streaming_2);
  }
}

}  // namespace
}  // namespace assay::attention::hopper
