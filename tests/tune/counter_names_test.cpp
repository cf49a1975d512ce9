// SPDX-License-Identifier: MIT
#include "tune/counter_names.hpp"

#include <gtest/gtest.h>

namespace assay::tune {
namespace {

TEST(CounterNames, KnowsTheNamesOfSeveralTools) {
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

TEST(CounterNames, IgnoresRatesAndWhatItDoesNotKnow) {
  for (const char* name :
       {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "warp_execution_efficiency", "temperature",
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "shared_load_bank_conflicts", ""})
    EXPECT_FALSE(recognise_counter(name)) << name;
}

TEST(CounterNames, IgnoresRatesLimitsAndSettingsThatSoundLikeAmounts) {
  for (const char* name : {"smsp__inst_executed.avg.per_cycle_active", "sm__inst_executed.sum.per_cycle_elapsed",
                           "sm__warps_active.avg.per_cycle_active", "launch__occupancy_limit_registers",
                           "launch__occupancy_limit_shared_mem", "launch__shared_mem_config_size",
                           "sysmem_read_transactions", "max_threads_per_block", "maxThreadsPerBlock",
                           "local_size_bytes", "localSizeBytes", "block_size_x", "local_size_y"})
    EXPECT_FALSE(recognise_counter(name)) << name;
}

// Every amount that KTT collects on GPUs before and since Volta, and what it says of the launch.
TEST(CounterNames, KnowsWhatKttCollects) {
  const std::pair<const char*, Quantity> expected[] = {
      {"dram_read_transactions", Quantity::dram_sectors},
      {"dram__sectors_read.sum", Quantity::dram_sectors},
      {"dram_write_transactions", Quantity::dram_sectors},
      {"dram__sectors_write.sum", Quantity::dram_sectors},
      {"l2_read_transactions", Quantity::l2_sectors},
      {"lts__t_sectors_op_write.sum", Quantity::l2_sectors},
      {"tex_cache_transactions", Quantity::l1_transactions},
      {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", Quantity::global_requests},
      {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", Quantity::local_sectors},
      {"shared_store_transactions", Quantity::shared_wavefronts},
      {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", Quantity::shared_wavefronts},
      {"inst_fp_64", Quantity::double_instructions},
      {"smsp__sass_thread_inst_executed_op_fp64_pred_on.sum", Quantity::double_instructions},
      {"inst_integer", Quantity::integer_instructions},
      {"inst_misc", Quantity::other_instructions},
      {"smsp__sass_thread_inst_executed_op_misc_pred_on.sum", Quantity::other_instructions},
      {"inst_compute_ld_st", Quantity::memory_instructions},
      {"smsp__sass_thread_inst_executed_op_memory_pred_on.sum", Quantity::memory_instructions},
      {"inst_control", Quantity::control_instructions},
      {"smsp__sass_thread_inst_executed_op_control_pred_on.sum", Quantity::control_instructions},
      {"inst_bit_convert", Quantity::conversion_instructions},
      {"smsp__sass_thread_inst_executed_op_conversion_pred_on.sum", Quantity::conversion_instructions},
      {"Global size", Quantity::grid_threads},
      {"Local size", Quantity::block_threads},
      {"Local memory size", Quantity::shared_bytes},
      {"LocalMemorySize", Quantity::shared_bytes},
      {"Registers count", Quantity::registers},
  };
  for (const auto& [name, quantity] : expected) {
    const auto known = recognise_counter(name);
    ASSERT_TRUE(known) << name;
    EXPECT_EQ(known->quantity, quantity) << name;
  }
  for (const char* name :
       {"Maximum work-group size", "MaxWorkGroupSize", "Private memory size", "PrivateMemorySize",
        "Constant memory size", "local_memory_overhead", "issue_slot_utilization", "sm_efficiency",
        "smsp__thread_inst_executed_per_inst_executed.ratio", "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
        "sm__warps_active.avg.pct_of_peak_sustained_active", "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed"})
    EXPECT_FALSE(recognise_counter(name)) << name;
}

// What assay profile --json counts.
TEST(CounterNames, KnowsOurOwn) {
  for (const char* name : {"ptx_instructions", "global_load_sectors", "global_store_sectors", "async_copy_sectors",
                           "local_load_sectors", "shared_load_wavefronts", "shared_copy_wavefronts"})
    EXPECT_TRUE(recognise_counter(name)) << name;
}

TEST(CounterNames, LoadsAndStoresAreOneFamily) {
  EXPECT_EQ(counter_family("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum").name,
            counter_family("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum").name);
  EXPECT_EQ(counter_family("gld_transactions").name, counter_family("gst_transactions").name);
  EXPECT_NE(counter_family("inst_fp_32").name, counter_family("inst_fp_64").name);
  EXPECT_TRUE(counter_family("shared_load_transactions").part);
  EXPECT_FALSE(counter_family("inst_executed").part);
}

}  // namespace
}  // namespace assay::tune
