// SPDX-License-Identifier: MIT
#include "tune/prediction.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace assay::tune {
namespace {

CounterTable table(std::vector<std::string> names, std::vector<double> values) {
  return {std::move(names), std::move(values)};
}

TEST(Prediction, TheBusiestPipeDecides) {
  // Twice the floats cost twice; integers that are not in the way cost nothing.
  const auto cycles =
      predict_cycles(table({"float_instructions", "integer_instructions"}, {1e6, 1e3, 2e6, 1e3, 1e6, 2e3}));
  ASSERT_EQ(cycles.size(), 3u);
  EXPECT_NEAR(cycles[1] / cycles[0], 2, 1e-5);
  EXPECT_NEAR(cycles[2] / cycles[0], 1, 1e-5);
}

TEST(Prediction, FewWarpsAndPartialWavesCost) {
  const std::vector<std::string> names{"inst_executed", "block", "grid", "registers"};
  const auto cycles =
      predict_cycles(table(names, {1e7, 256, 100000, 32, 1e7, 256, 100000, 200, 1e7, 256, 80 * 6 * 10 + 1, 32}));
  EXPECT_GT(cycles[1], cycles[0] * 1.1);  // 200 registers: few warps
  const auto waves = predict_cycles(table(names, {1e7, 256, 480, 32, 1e7, 256, 481, 32}));
  EXPECT_GT(waves[1], waves[0] * 1.5);  // one block more than a wave
}

// CUPTI's event active_warps adds up over cycles; Nsight Compute's theoretical occupancy is in per cent.
TEST(Prediction, WarpsThatNoMultiprocessorHoldsAreNotBelieved) {
  const auto cycles = predict_cycles(table({"inst_executed", "block", "registers", "active_warps"},
                                           {1e7, 256, 200, 1e9, 1e7, 256, 200, kNotCounted, 1e7, 256, 200, 4}));
  EXPECT_DOUBLE_EQ(cycles[0], cycles[1]);
  EXPECT_GT(cycles[2], cycles[1] * 1.1);
  const auto occupied =
      predict_cycles(table({"inst_executed", "theoretical_occupancy"}, {1e7, 12.5, 1e7, 0.125, 1e7, 100}));
  EXPECT_DOUBLE_EQ(occupied[0], occupied[1]);
  EXPECT_GT(occupied[0], occupied[2] * 1.1);
}

TEST(Prediction, StaticAndDynamicSharedMemoryAddUp) {
  const auto cycles =
      predict_cycles(table({"inst_executed", "block", "launch__shared_mem_per_block_static",
                            "launch__shared_mem_per_block_dynamic", "launch__shared_mem_per_block"},
                           {1e7, 64, 20000, 20000, kNotCounted, 1e7, 64, 0, 0, 40000, 1e7, 64, 20000, 20000, 40000}));
  EXPECT_DOUBLE_EQ(cycles[0], cycles[1]);
  EXPECT_DOUBLE_EQ(cycles[0], cycles[2]);
}

TEST(Prediction, SaysNothingWithoutWork) {
  EXPECT_TRUE(predict_cycles(table({"registers"}, {32, 64})).empty());
  EXPECT_TRUE(predict_cycles({}).empty());
  const auto partly = predict_cycles(table({"inst_executed"}, {1e6, kNotCounted, 2e6}));
  ASSERT_EQ(partly.size(), 3u);
  EXPECT_TRUE(std::isnan(partly[1]));
}

TEST(Prediction, PartsOfAFamilyAddUpAndTotalsDoNot) {
  const auto cycles = [&](std::vector<std::string> names, std::vector<double> values) {
    const size_t width = names.size();
    for (size_t i = 0; i < width; ++i) values.push_back(values[i]);  // two rows: one alone is too little
    return predict_cycles(table(std::move(names), std::move(values)))[0];
  };
  const double parts = cycles({"shared_load_wavefronts", "shared_store_wavefronts"}, {3e6, 1e6});
  EXPECT_DOUBLE_EQ(parts, cycles({"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}, {4e6}));
  // The total beside its parts, and another tool's count of the same.
  EXPECT_DOUBLE_EQ(parts, cycles({"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
                                  "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                  "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_load_transactions",
                                  "shared_store_transactions"},
                                 {4e6, 3e6, 1e6, 3e6, 1e6}));
}

TEST(Prediction, AGlobalSizeMayBeOfThreadsOrOfBlocks) {
  const std::vector<std::string> names{"inst_executed", "Local size", "Global size"};
  // 481 blocks are one more than a wave of the middling GPU; both spellings say so.
  const auto threads = demands(table(names, {1e7, 256, 480 * 256, 1e7, 256, 481 * 256}));
  const auto blocks = demands(table(names, {1e7, 256, 480, 1e7, 256, 481}));
  EXPECT_FLOAT_EQ(threads[1].log_tail, blocks[1].log_tail);
  EXPECT_GT(blocks[1].log_tail, blocks[0].log_tail + 0.3);
}

}  // namespace
}  // namespace assay::tune
