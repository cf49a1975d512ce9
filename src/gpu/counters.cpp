// SPDX-License-Identifier: MIT
#include "gpu/counters.hpp"

namespace assay::gpu {
namespace {

using enum Counter;

constexpr std::array kTable = {
    CounterInfo{ptx_instructions, "ptx_instructions", "",
                "PTX instructions that warps executed; machine code has other instructions"},
    CounterInfo{ptx_thread_instructions, "ptx_thread_instructions", "", "the same, counted for every active thread"},
    CounterInfo{ptx_thread_instructions_off, "ptx_thread_instructions_off", "",
                "of these, threads whose guard was off"},
    CounterInfo{branches, "branches", "", "branch instructions that warps executed"},
    CounterInfo{divergent_branches, "divergent_branches", "", "of these, divergent ones"},
    CounterInfo{barriers, "barriers", "", "block barriers (bar, barrier) that warps executed"},
    CounterInfo{global_load_requests, "global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
                "loads of global memory, one for each warp instruction"},
    CounterInfo{global_load_sectors, "global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                "32-byte sectors that these touch"},
    CounterInfo{global_load_ideal_sectors, "global_load_ideal_sectors", "",
                "the fewest sectors that could hold the different bytes of each request"},
    CounterInfo{global_store_requests, "global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
                "stores to global memory"},
    CounterInfo{global_store_sectors, "global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                "32-byte sectors that these touch"},
    CounterInfo{global_store_ideal_sectors, "global_store_ideal_sectors", "", "the fewest sectors, as for loads"},
    CounterInfo{global_atomic_requests, "global_atomic_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
                "atomics on global memory that give a result"},
    CounterInfo{global_atomic_sectors, "global_atomic_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
                "32-byte sectors that these touch"},
    CounterInfo{global_reduction_requests, "global_reduction_requests",
                "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum", "atomics on global memory without a result"},
    CounterInfo{global_reduction_sectors, "global_reduction_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
                "32-byte sectors that these touch"},
    CounterInfo{async_copy_requests, "async_copy_requests", "", "cp.async from global to shared memory"},
    CounterInfo{async_copy_sectors, "async_copy_sectors", "", "32-byte sectors that these read"},
    CounterInfo{async_copy_ideal_sectors, "async_copy_ideal_sectors", "", "the fewest sectors, as for loads"},
    CounterInfo{global_read_bytes, "global_read_bytes", "",
                "bytes that threads asked for in global memory, each thread for itself"},
    CounterInfo{global_written_bytes, "global_written_bytes", "", "bytes that threads wrote to global memory"},
    CounterInfo{shared_load_requests, "shared_load_requests", "", "loads of shared memory, ldmatrix included"},
    CounterInfo{shared_load_wavefronts, "shared_load_wavefronts",
                "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "passes through the banks that these take"},
    CounterInfo{shared_load_bank_conflicts, "shared_load_bank_conflicts",
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                "of these, such that only conflicts made necessary"},
    CounterInfo{shared_store_requests, "shared_store_requests", "", "stores to shared memory, stmatrix included"},
    CounterInfo{shared_store_wavefronts, "shared_store_wavefronts",
                "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "passes through the banks that these take"},
    CounterInfo{shared_store_bank_conflicts, "shared_store_bank_conflicts",
                "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                "of these, such that only conflicts made necessary"},
    CounterInfo{shared_atomic_requests, "shared_atomic_requests", "", "atomics on shared memory"},
    CounterInfo{shared_atomic_wavefronts, "shared_atomic_wavefronts", "", "passes through the banks that these take"},
    CounterInfo{shared_atomic_bank_conflicts, "shared_atomic_bank_conflicts", "",
                "of these, such that only conflicts made necessary"},
    CounterInfo{shared_copy_wavefronts, "shared_copy_wavefronts", "",
                "passes through the banks that the writes of cp.async take"},
    CounterInfo{shared_copy_bank_conflicts, "shared_copy_bank_conflicts", "",
                "of these, such that only conflicts made necessary"},
    CounterInfo{shared_read_bytes, "shared_read_bytes", "", "bytes that threads read from shared memory"},
    CounterInfo{shared_written_bytes, "shared_written_bytes", "", "bytes that threads wrote to shared memory"},
    CounterInfo{local_load_requests, "local_load_requests", "",
                "loads of local memory in the PTX; the compiler may keep them in registers or add spills"},
    CounterInfo{local_load_sectors, "local_load_sectors", "", "32-byte sectors that these touch"},
    CounterInfo{local_store_requests, "local_store_requests", "", "stores to local memory in the PTX"},
    CounterInfo{local_store_sectors, "local_store_sectors", "", "32-byte sectors that these touch"},
    CounterInfo{local_read_bytes, "local_read_bytes", "", "bytes that threads read from local memory"},
    CounterInfo{local_written_bytes, "local_written_bytes", "", "bytes that threads wrote to local memory"},
    CounterInfo{constant_load_requests, "constant_load_requests", "", "loads of constant memory (ld.const)"},
    CounterInfo{constant_read_bytes, "constant_read_bytes", "", "bytes that threads read from constant memory"},
    CounterInfo{tensor_instructions, "tensor_instructions", "sm__inst_executed_pipe_tensor.sum",
                "matrix instructions (mma) that warps executed"},
    CounterInfo{tensor_multiply_adds, "tensor_multiply_adds", "", "multiply-add operations of these"},
    CounterInfo{idle_ptx_instructions, "idle_ptx_instructions", "",
                "PTX instructions of loops that only waited for other threads; in no other counter"},
};
static_assert(kTable.size() == kCounterCount);

constexpr bool counters_in_order() {
  for (size_t i = 0; i < kTable.size(); ++i) {
    if (static_cast<size_t>(kTable[i].counter) != i) return false;
  }
  return true;
}
static_assert(counters_in_order());

}  // namespace

std::span<const CounterInfo> counter_table() {
  return kTable;
}

const CounterInfo& info(Counter counter) {
  return kTable[static_cast<size_t>(counter)];
}

Counters& Counters::operator+=(const Counters& other) {
  for (size_t i = 0; i < kCounterCount; ++i) values[i] += other.values[i];
  for (const auto& [name, count] : other.families) families[name] += count;
  for (const auto& [name, count] : other.tensor) tensor[name] += count;
  return *this;
}

std::map<std::string, uint64_t> Counters::flat() const {
  std::map<std::string, uint64_t> all;
  for (const CounterInfo& row : kTable) all.emplace(row.name, (*this)[row.counter]);
  const auto add = [&](Counter parent, const std::map<std::string, uint64_t>& parts) {
    for (const auto& [name, count] : parts) {
      std::string key(info(parent).name);
      key += '.';
      key += name;
      all.emplace(std::move(key), count);
    }
  };
  add(ptx_instructions, families);
  add(tensor_instructions, tensor);
  return all;
}

double coalescing_percent(const Counters& counters) {
  const uint64_t sectors =
      counters[global_load_sectors] + counters[global_store_sectors] + counters[async_copy_sectors];
  const uint64_t ideal =
      counters[global_load_ideal_sectors] + counters[global_store_ideal_sectors] + counters[async_copy_ideal_sectors];
  return sectors == 0 ? 100 : 100 * static_cast<double>(ideal) / static_cast<double>(sectors);
}

uint64_t bank_conflicts(const Counters& counters) {
  return counters[shared_load_bank_conflicts] + counters[shared_store_bank_conflicts] +
         counters[shared_atomic_bank_conflicts] + counters[shared_copy_bank_conflicts];
}

}  // namespace assay::gpu
