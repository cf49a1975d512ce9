// SPDX-License-Identifier: MIT
// What ptxas makes of a branch, as far as the clock of a warp must know. A short forward branch becomes predicates, so
// that loads behind it can be issued ahead of it. A small loop that counts up by a constant is unrolled four times, so
// that the loads of four rounds are in flight together, unless the PTX says "nounroll". Both were read in the machine
// code that ptxas 13.0 makes for sm_90.
#pragma once

#include <vector>

#include "vgpu/machine/program.hpp"
#include "vgpu/observe/instruction_cost.hpp"

namespace assay::vgpu {

// Sets `join` and `rounds` of the branches among `costs`, which stand beside the function's instructions.
void shape_branches(const Program& program, const Function& function, std::vector<InstructionCost>& costs);

}  // namespace assay::vgpu
