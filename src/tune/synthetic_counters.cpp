// SPDX-License-Identifier: MIT
#include "tune/synthetic_counters.hpp"

#include <algorithm>
#include <cmath>

namespace assay::tune {
namespace {

const std::vector<std::string> kNsight{"smsp__inst_executed.sum",
                                       "smsp__sass_thread_inst_executed_op_fp32_pred_on.sum",
                                       "smsp__sass_thread_inst_executed_op_integer_pred_on.sum",
                                       "smsp__sass_thread_inst_executed_op_conversion_pred_on.sum",
                                       "smsp__sass_thread_inst_executed_op_memory_pred_on.sum",
                                       "smsp__inst_executed_pipe_xu.sum",
                                       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                       "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
                                       "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                                       "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
                                       "lts__t_sectors_op_read.sum",
                                       "lts__t_sectors_op_write.sum",
                                       "dram__sectors_read.sum",
                                       "dram__sectors_write.sum",
                                       "smsp__thread_inst_executed_per_inst_executed.ratio",
                                       "sm__warps_active.avg.pct_of_peak_sustained_active",
                                       "Registers count",
                                       "Local memory size",
                                       "Local size",
                                       "Global size"};

const std::vector<std::string> kCupti{"inst_executed",
                                      "inst_fp_32",
                                      "inst_integer",
                                      "inst_bit_convert",
                                      "inst_compute_ld_st",
                                      "inst_executed_pipe_xu",
                                      "shared_load_transactions",
                                      "shared_store_transactions",
                                      "tex_cache_transactions",
                                      "local_store_transactions",
                                      "l2_read_transactions",
                                      "l2_write_transactions",
                                      "dram_read_transactions",
                                      "dram_write_transactions",
                                      "warp_execution_efficiency",
                                      "achieved_occupancy",
                                      "registers_per_thread",
                                      "static_shared_memory",
                                      "block_size",
                                      "grid_size"};

// Our virtual GPU sees neither caches nor DRAM.
const std::vector<std::string> kOwn{"warp_instructions",
                                    "float_instructions",
                                    "integer_instructions",
                                    "special_instructions",
                                    "memory_instructions",
                                    "shared_load_wavefronts",
                                    "shared_store_wavefronts",
                                    "global_load_requests",
                                    "global_load_sectors",
                                    "local_store_sectors",
                                    "registers",
                                    "shared_memory",
                                    "block_threads",
                                    "grid_blocks"};

double counter_error(uint64_t key) {
  return Random(key * 0xbf58476d1ce4e5b9u).normal();
}

}  // namespace

const std::vector<std::string>& counter_names(CounterNames names) {
  return names == CounterNames::nsight ? kNsight : names == CounterNames::cupti ? kCupti : kOwn;
}

std::vector<double> counted(const SyntheticTiming& timing, CounterNames names, double blur, uint64_t key) {
  const BlockWork& work = timing.work;
  uint64_t salt = 0;
  const auto seen = [&](double value) {
    ++salt;
    return std::round(value * work.blocks * (blur > 0 ? std::exp(blur * counter_error(key + salt)) : 1));
  };
  const double all = (work.floats + work.integers + work.special + work.memory) * 1.05;
  if (names == CounterNames::own)
    return {seen(all),
            seen(work.floats),
            seen(work.integers),
            seen(work.special),
            seen(work.memory),
            seen(work.wavefronts * 0.8),
            seen(work.wavefronts * 0.2),
            seen(work.requests),
            seen(work.sectors),
            seen(work.local_sectors),
            work.registers,
            work.shared_bytes,
            work.threads,
            work.blocks};
  const double busy = timing.active_warps / 64;
  return {seen(all),
          seen(work.floats * 32),
          seen(work.integers * 32),
          seen(work.special * 3.2),
          seen(work.memory * 32),
          seen(work.special),
          seen(work.wavefronts * 0.8),
          seen(work.wavefronts * 0.2),
          seen(work.requests),
          seen(work.local_sectors),
          seen(timing.l2_sectors * 0.8),
          seen(timing.l2_sectors * 0.2),
          seen(timing.dram_sectors * 0.8),
          seen(timing.dram_sectors * 0.2),
          names == CounterNames::nsight ? 31.5 : 98.4,
          names == CounterNames::nsight ? busy * 95 : busy * 0.95,
          std::round(work.registers),
          work.shared_bytes,
          work.threads,
          names == CounterNames::nsight ? work.blocks * work.threads : work.blocks};
}

}  // namespace assay::tune
