// SPDX-License-Identifier: MIT
// What the virtual GPU counts of a launch, in all and for each source line. One table names every counter, gives its
// Nsight Compute metric where the two are the same quantity, and says what it is; docs/counters.md follows it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/finding.hpp"

namespace assay::gpu {

enum class Counter : uint8_t {
  ptx_instructions,
  ptx_thread_instructions,
  ptx_thread_instructions_off,
  branches,
  divergent_branches,
  barriers,
  global_load_requests,
  global_load_sectors,
  global_load_ideal_sectors,
  global_store_requests,
  global_store_sectors,
  global_store_ideal_sectors,
  global_atomic_requests,
  global_atomic_sectors,
  global_reduction_requests,
  global_reduction_sectors,
  async_copy_requests,
  async_copy_sectors,
  async_copy_ideal_sectors,
  global_read_bytes,
  global_written_bytes,
  shared_load_requests,
  shared_load_wavefronts,
  shared_load_bank_conflicts,
  shared_store_requests,
  shared_store_wavefronts,
  shared_store_bank_conflicts,
  shared_atomic_requests,
  shared_atomic_wavefronts,
  shared_atomic_bank_conflicts,
  shared_copy_wavefronts,
  shared_copy_bank_conflicts,
  shared_read_bytes,
  shared_written_bytes,
  local_load_requests,
  local_load_sectors,
  local_store_requests,
  local_store_sectors,
  local_read_bytes,
  local_written_bytes,
  constant_load_requests,
  constant_read_bytes,
  tensor_instructions,
  tensor_multiply_adds,
  idle_ptx_instructions,
};
inline constexpr size_t kCounterCount = static_cast<size_t>(Counter::idle_ptx_instructions) + 1;

struct CounterInfo {
  Counter counter;
  std::string_view name;
  std::string_view ncu;  // the metric that counts the same; "": there is none, or it counts machine instructions
  std::string_view meaning;
};

std::span<const CounterInfo> counter_table();  // in the order of the enumeration
const CounterInfo& info(Counter counter);

struct Counters {
  std::array<uint64_t, kCounterCount> values{};
  std::map<std::string, uint64_t> families;  // ptx_instructions of each family of the opcode table
  std::map<std::string, uint64_t> tensor;    // tensor_instructions of each shape: "m16n8k16.f32.f16.f16.f32"

  uint64_t& operator[](Counter counter) { return values[static_cast<size_t>(counter)]; }
  uint64_t operator[](Counter counter) const { return values[static_cast<size_t>(counter)]; }
  Counters& operator+=(const Counters& other);
  bool operator==(const Counters&) const = default;

  // Every counter under its name, those that are 0 as well; families and shapes follow a dot:
  // "ptx_instructions.float", "tensor_instructions.m16n8k16.f32.f16.f16.f32".
  std::map<std::string, uint64_t> flat() const;
};

// Percent of what was moved that could not have been spared: ideal sectors over sectors, loads, stores and asynchronous
// copies together. 100 if nothing was moved.
double coalescing_percent(const Counters& counters);
uint64_t bank_conflicts(const Counters& counters);  // of all kinds of accesses

struct LineCounters {
  SourceLine line;  // the innermost line of the user's own code; file "" if the PTX has no line information
  Counters counters;
};

struct LaunchCounters {
  Counters total;
  std::vector<LineCounters> lines;  // by file and line
};

}  // namespace assay::gpu
