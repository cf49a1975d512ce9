// SPDX-License-Identifier: MIT
// A named barrier of a block (bar, barrier): counts threads until all that are expected have arrived.
#pragma once

#include <cstdint>

namespace assay::vgpu {

struct Barrier {
  static constexpr int kCount = 16;

  uint32_t arrived = 0;   // threads, in this phase; with a count, lanes that a warp lacks count as arrived with it
  uint32_t present = 0;   // threads that really arrived
  uint32_t expected = 0;  // 0: all threads of the block that have not ended
  uint32_t trues = 0;     // of bar.red: threads whose predicate holds
  bool in_use = false;
};

// Instruction::detail of bar and barrier.
inline constexpr uint32_t kBarrierHasCount = 1;
inline constexpr uint32_t kBarrierAligned = 2;  // all threads of a warp execute the same barrier instruction

// Which result bar.red gives: Instruction::variant of its instruction.
enum class BarrierReduction : uint8_t { popc, all, any };

}  // namespace assay::vgpu
