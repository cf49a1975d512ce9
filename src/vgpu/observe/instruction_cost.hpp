// SPDX-License-Identifier: MIT
// What one execution of an instruction by a warp asks of the machine: issue slots, pipes, cycles until its result can
// be used. At PTX level: what ptxas makes of it differs by a few per cent (moves vanish, addresses are folded).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/rates.hpp"
#include "vgpu/machine/program.hpp"
#include "vgpu/observe/instruction_class.hpp"

namespace assay::vgpu {

// How the clock of a warp treats an instruction.
enum class ClockRule : uint8_t {
  free,        // a move: its result is there when its operand is
  compute,     // operands, then a fixed latency
  load,        // the access says how long
  store,       // nobody waits for it
  async_copy,  // the access says when the data is there
  async_commit,
  async_wait,  // for all but the last `wait_groups`
  bulk_copy,
  bulk_other,
  product,  // mma.sync
  group_product,
  group_commit,
  group_wait,
  branch,
  leave,  // ret and exit
  barrier,
  mbarrier,
  collective,  // of the warp: shuffles, votes
  other,
};

struct InstructionCost {
  float issue = 1;
  float fma = 0;
  float alu = 0;
  float xu = 0;
  float fp64 = 0;
  float lsu = 0;
  float latency = 4;
  ClockRule rule = ClockRule::compute;
  ptx::Operation memory = ptx::Operation::other;
  bool bypasses_l1 = false;
  bool address_arithmetic = false;  // integer work whose result only makes addresses
  uint32_t wait_groups = 0;         // of async_wait and group_wait: so many may be open still
  uint64_t multiply_adds = 0;
  std::string tensor_kind;  // "mma.f16"
};

// One for each instruction of the function.
std::vector<InstructionCost> instruction_costs(const Program& program, const Function& function,
                                               const gpu::Rates& rates);

}  // namespace assay::vgpu
