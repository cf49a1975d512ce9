// SPDX-License-Identifier: MIT
// What a launch asks of each part of a GPU: the input of an estimate. Sums over the grid. If only some blocks were run,
// each of them stands for those that are like it, and the sums are scaled; else they are exact at PTX level.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/dim3.hpp"
#include "gpu/finding.hpp"

namespace assay::gpu {

enum class Work : uint8_t {
  // issue slots and pipes, in instructions of a warp
  issue,
  fma,
  alu,
  xu,
  xu_float64,      // of them: conversions and functions of float64
  xu_conversions,  // of them: other conversions between types
  fp64,
  lsu,
  lsu_global,  // of them: accesses to global and local memory
  // memory
  l1_wavefronts,        // of global and local accesses: lines of 128 bytes
  shared_wavefronts,    // of shared memory, asynchronous copies into it included
  shared_conflicts,     // of them: what conflicts of loads, stores and copies added
  shared_atomics,       // of the wavefronts: those of atomics
  sectors_asked,        // by loads, stores and copies of global memory
  sectors_ideal,        // the fewest that could have held the bytes
  sectors_again_warp,   // of the loads: asked for by the same warp before
  sectors_again_block,  // of the loads: asked for by another warp of the block before
  l2_read_sectors,      // what the block's own L1 does not hold
  l2_write_sectors,
  partial_sectors,  // of them: the request writes only some of its bytes
  atomics,          // lanes of global atomics and reductions
  stored_words,     // 4-byte words written to global memory; a narrower store is a part of one
  silent_words,     // of them: they held this value already
  local_sectors,
  local_write_sectors,    // of local memory: what stores pass on to the L2
  local_partial_sectors,  // of them: only some of the bytes are written
  // synchronisation
  barriers,           // executions by a warp
  needless_barriers,  // of them: no two threads of the block communicate across
  // what instructions are for
  instructions,          // executed by warps; moves are none
  sites,                 // places of the program that these stand at
  address_instructions,  // of them: integer arithmetic whose result only makes addresses
  address_issue,         // issue slots that these take
  integer_issue,         // issue slots of other integer arithmetic, bits and comparisons
  float_issue,           // issue slots of floating-point arithmetic and its functions
  conversion_issue,      // issue slots of conversions from or to floating point
  narrow_accesses,       // of global memory: neighbouring lanes touch neighbouring values of fewer than 4 bytes
  narrow_spared,         // so many of them would go if each lane touched 16 bytes
  shuffles,              // of the instructions: those that exchange values between lanes
  lanes,                 // that executed them
  // cycles in which a warp waits, when it runs alone
  wait_global,
  wait_async,   // for an asynchronous copy
  wait_shared,  // shared memory, shuffles, special functions
  wait_tensor,
  wait_fixed,  // arithmetic
  wait_barrier,
  held_up,  // other warps of the block wait at a barrier for one that waits for this
};
inline constexpr size_t kWorkCount = static_cast<size_t>(Work::held_up) + 1;

std::string_view to_string(Work work);
std::optional<Work> work_named(std::string_view name);

struct WorkSums {
  std::array<double, kWorkCount> values{};

  double& operator[](Work work) { return values[static_cast<size_t>(work)]; }
  double operator[](Work work) const { return values[static_cast<size_t>(work)]; }
  void add(const WorkSums& other, double weight = 1) {
    for (size_t i = 0; i < kWorkCount; ++i) values[i] += weight * other.values[i];
  }
};

struct LineWork {
  SourceLine line;  // the innermost line of the user's own code; file "" if the PTX has no line information
  WorkSums sums;
  double tensor_multiply_adds = 0;
};

// Of one allocation.
struct BufferWork {
  std::string name;
  uint64_t bytes = 0;
  double l2_read_sectors = 0;
  double l2_write_sectors = 0;
  double asked_sectors = 0;         // by loads and copies, before any cache
  double unique_read_bytes = 0;     // different ones that the grid reads, in sectors
  double fetched_bytes = 0;         // the same in pieces of 64 bytes: what DRAM gives at least
  double unique_written_bytes = 0;  // in sectors
  double block_fetched_bytes = 0;   // the different bytes of each block, added up over the blocks
  bool read_by_all = false;         // every block that was run reads the same bytes
};

// How long a warp takes that has its SM to itself, barriers included: along the executed dependences, in the order of
// the basic blocks, with the latencies of the GPU's rates. Data that no cache holds is in the L2 in one of the two, in
// DRAM in the other.
struct ChainCycles {
  double with_l2 = 0;
  double with_dram = 0;
};

struct LaunchWork {
  Dim3 grid;
  Dim3 block;
  uint64_t blocks = 0;          // of the grid
  uint64_t counted_blocks = 0;  // of them: run and counted
  int warps_per_block = 0;
  bool judges_barriers = false;  // false: it synchronises in ways that the rule of needless barriers cannot judge

  WorkSums total;
  std::map<std::string, double> tensor_multiply_adds;  // by "mma.f16", "wgmma.f16", ...
  ChainCycles mean_chain;                              // of a block
  ChainCycles longest_chain;                           // of the slowest block
  double hottest_atomics = 0;                          // global atomics on the address that has the most
  std::vector<BufferWork> buffers;
  std::vector<LineWork> lines;  // by file and line

  bool sampled() const { return counted_blocks < blocks; }
};

}  // namespace assay::gpu
