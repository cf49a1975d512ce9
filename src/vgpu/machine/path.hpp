// SPDX-License-Identifier: MIT
// Lanes of a warp that run together, and the function frames that they run in.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

// One activation of a function. Lanes that called it together share it, even when they part inside.
struct Frame {
  const Function* function = nullptr;
  std::unique_ptr<std::byte[]> registers;   // frame_bytes, 64-byte aligned by the allocator's over-allocation
  std::byte* rows = nullptr;                // the aligned start
  std::unique_ptr<std::byte[]> parameters;  // parameter_bytes of each lane, lane after lane
  Frame* caller = nullptr;
  const CallSite* call_site = nullptr;  // in the caller
  uint32_t return_pc = 0;
  uint32_t local_base = 0;  // of this activation's .local variables
  uint32_t local_top = 0;   // where the next activation's begin; alloca raises it
  uint32_t depth = 0;
  LaneMask lanes = 0;                // that have not returned yet
  std::shared_ptr<void> attachment;  // of an observer that follows instructions: its shadow of this activation
};

// What a loop read that waits for a change of it.
struct PolledValue {
  const std::byte* at = nullptr;
  uint32_t bytes = 0;
  std::array<std::byte, 32> value{};
};

// A warp is one path while its lanes agree, and several after they part. Paths that reach the same instruction of the
// same frame become one again.
struct Path {
  enum class State : uint8_t { ready, at_barrier, at_warp_sync, at_mbarrier, at_cluster, at_registers, at_memory };

  Frame* frame = nullptr;
  uint32_t pc = 0;
  LaneMask lanes = 0;
  State state = State::ready;
  // A path that has looped for long lets the others come first. What is left of its turn is kept while it parts, meets
  // others and is interrupted, or a loop with a branch inside would never reach its end.
  static constexpr int kTurn = 4096;  // backward branches
  int turn_left = kTurn;
  bool had_turn = false;
  uint8_t barrier = 0;                      // of at_barrier
  LaneMask sync_members = 0;                // of at_warp_sync: the members that its first lane waits for
  const Instruction* collective = nullptr;  // of at_warp_sync: an instruction with a member mask, else all must be here
  const Instruction* reduction = nullptr;  // of at_barrier: the bar.red that gets its result when the barrier completes
  uint32_t mbarrier = 0;                   // of at_mbarrier: its address in shared memory
  uint32_t registers = 0;                  // of at_registers: how many each thread wants
  std::vector<PolledValue> polled;         // of at_memory: it goes on when one of them has changed
  bool was_polling = false;                // and then tries again
  bool timed_out = false;                  // nothing else could run while it waited there: the wait gives up
};

}  // namespace assay::vgpu
