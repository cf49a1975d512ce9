// SPDX-License-Identifier: MIT
#include "tune/prediction.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace assay::tune {
namespace {

TEST(Prediction, KnowsTheNamesOfSeveralTools) {
  const auto quantity = [](const char* name) { return recognise_counter(name)->quantity; };
  EXPECT_EQ(quantity("smsp__inst_executed.sum"), Quantity::instructions);
  EXPECT_EQ(quantity("inst_executed"), Quantity::instructions);
  EXPECT_EQ(quantity("inst_fp_32"), Quantity::float_instructions);
  EXPECT_EQ(quantity("smsp__sass_thread_inst_executed_op_fp32_pred_on.sum"), Quantity::float_instructions);
  EXPECT_EQ(quantity("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"), Quantity::shared_wavefronts);
  EXPECT_EQ(quantity("shared_load_transactions"), Quantity::shared_wavefronts);
  EXPECT_EQ(quantity("shared_load_wavefronts"), Quantity::shared_wavefronts);
  EXPECT_EQ(quantity("lts__t_sectors_op_read.sum"), Quantity::l2_sectors);
  EXPECT_EQ(quantity("global_load_sectors"), Quantity::l2_sectors);
  EXPECT_EQ(quantity("dram__sectors_read.sum"), Quantity::dram_sectors);
  EXPECT_EQ(quantity("local_store_sectors"), Quantity::local_sectors);
  EXPECT_EQ(quantity("registers"), Quantity::registers);
  EXPECT_EQ(quantity("RegistersCount"), Quantity::registers);
  EXPECT_EQ(quantity("shared_memory"), Quantity::shared_bytes);
  EXPECT_EQ(quantity("launch__shared_mem_per_block"), Quantity::shared_bytes);
  EXPECT_EQ(quantity("block"), Quantity::block_threads);
  EXPECT_EQ(quantity("grid"), Quantity::grid_blocks);
  EXPECT_EQ(quantity("occupancy"), Quantity::occupancy);
}

TEST(Prediction, IgnoresRatesAndWhatItDoesNotKnow) {
  for (const char* name :
       {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "warp_execution_efficiency", "temperature",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "shared_load_bank_conflicts", ""})
    EXPECT_FALSE(recognise_counter(name)) << name;
}

CounterTable table(std::vector<std::string> names, std::vector<double> values) {
  return {std::move(names), std::move(values)};
}

TEST(Prediction, TheBusiestPipeDecides) {
  // Twice the floats cost twice; integers that are not in the way cost nothing.
  const auto cycles =
      predict_cycles(table({"float_instructions", "integer_instructions"}, {1e6, 1e3, 2e6, 1e3, 1e6, 2e3}));
  ASSERT_EQ(cycles.size(), 3u);
  EXPECT_NEAR(cycles[1] / cycles[0], 2, 1e-9);
  EXPECT_NEAR(cycles[2] / cycles[0], 1, 1e-9);
}

TEST(Prediction, FewWarpsAndPartialWavesCost) {
  const std::vector<std::string> names{"inst_executed", "block", "grid", "registers"};
  const auto cycles =
      predict_cycles(table(names, {1e7, 256, 100000, 32, 1e7, 256, 100000, 200, 1e7, 256, 80 * 6 * 10 + 1, 32}));
  EXPECT_GT(cycles[1], cycles[0] * 1.1);  // 200 registers: few warps
  const auto waves = predict_cycles(table(names, {1e7, 256, 480, 32, 1e7, 256, 481, 32}));
  EXPECT_GT(waves[1], waves[0] * 1.5);  // one block more than a wave
}

TEST(Prediction, SaysNothingWithoutWork) {
  EXPECT_TRUE(predict_cycles(table({"registers"}, {32, 64})).empty());
  EXPECT_TRUE(predict_cycles({}).empty());
  const auto partly = predict_cycles(table({"inst_executed"}, {1e6, kNotCounted, 2e6}));
  ASSERT_EQ(partly.size(), 3u);
  EXPECT_TRUE(std::isnan(partly[1]));
}

}  // namespace
}  // namespace assay::tune
