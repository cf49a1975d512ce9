// SPDX-License-Identifier: MIT
// How often one instruction of the PTX was executed, in the blocks that were run: the proof of a changed program.
#pragma once

#include <cstdint>
#include <string>

namespace assay::gpu {

struct InstructionCount {
  std::string function;
  int ptx_line = 0;
  std::string opcode;       // as the PTX writes it, modifiers included
  uint64_t issued = 0;      // by a warp, or by a path of one that has diverged; predicated off or not
  uint64_t lanes = 0;       // that executed it
  uint64_t path_lanes = 0;  // of the paths that issued it: the others were predicated off
  uint64_t divergent = 0;   // of `issued`: some lanes of the path executed it and some did not
};

}  // namespace assay::gpu
