// SPDX-License-Identifier: MIT
// Rows of the opcode table: branches, calls and the end of a thread.
#include <array>

#include "ptx/opcode_rows.hpp"

namespace assay::ptx {
namespace {

constexpr std::array kControlRows = {
    OpcodeRow{"bra", "bra{.uni} *", "goes to the label", Fidelity::exact, Operation::branch},
    OpcodeRow{"brx.idx", "brx.idx{.uni} *", "goes to the label that the index picks from a list", Fidelity::exact,
              Operation::branch},
    OpcodeRow{"call", "call{.uni} *", "calls a function, by name or by address"},
    OpcodeRow{"ret", "ret{.uni}", "returns; from a kernel: ends the thread"},
    OpcodeRow{"exit", "exit", "ends the thread"},
    OpcodeRow{"trap", "trap", "stops the kernel with an error"},
    OpcodeRow{"brkpt", "brkpt", "stops for a debugger; has no effect here", Fidelity::functional},
    OpcodeRow{"nanosleep", "nanosleep.u32 a", "lets others run", Fidelity::functional},
    OpcodeRow{"alloca", "alloca.(u32|u64) d, n{, k:u32}", "d = the address of n fresh bytes of local memory"},
    OpcodeRow{"stacksave", "stacksave.(u32|u64) d", "d = the top of the local stack"},
    OpcodeRow{"stackrestore", "stackrestore.(u32|u64) a", "the top of the local stack = a"},
    OpcodeRow{"pmevent", "pmevent{.mask} a:u32", "triggers a performance monitor; has no effect here",
              Fidelity::functional},
    OpcodeRow{"setmaxnreg", "setmaxnreg.(inc|dec).sync.aligned.u32 n",
              "moves registers between warps of a block; who takes more than others gave away waits for ever",
              Fidelity::functional},
    OpcodeRow{"griddepcontrol", "griddepcontrol.(launch_dependents|wait)",
              "lets grids overlap; here one begins when the one before it has ended", Fidelity::functional},
};

}  // namespace

std::span<const OpcodeRow> control_rows() {
  return kControlRows;
}

}  // namespace assay::ptx
