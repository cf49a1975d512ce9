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
#include "vgpu/observe/warp_clock.hpp"

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

// Where an access keeps its place among others: a load does not pass a store that may be to the same address.
enum class OrderedIn : uint8_t { nothing, global, shared, local };

// What arithmetic is for, beside addresses.
enum class Arithmetic : uint8_t { none, integer, floating, conversion };

struct InstructionCost {
  float issue = 1;
  float fma = 0;
  float alu = 0;
  float xu = 0;
  float fp64 = 0;
  float lsu = 0;
  float latency = 4;
  PipeNeed pipe;  // what the clock of the warp keeps busy
  ClockRule rule = ClockRule::compute;
  ptx::Operation memory = ptx::Operation::other;
  OrderedIn order = OrderedIn::nothing;
  uint8_t in_flight = 1;  // of a load from shared memory: registers of a lane that it fills
  bool bypasses_l1 = false;
  Arithmetic arithmetic = Arithmetic::none;
  bool of_float64 = false;          // on the XU: a conversion or function of float64
  bool address_arithmetic = false;  // integer work whose result only makes addresses
  uint32_t wait_groups = 0;         // of async_wait and group_wait: so many may be open still
  uint32_t join = 0;                // of a branch that becomes predicates: where its two ways meet
  uint32_t rounds = 1;              // of a loop's branch: so many rounds of the loop are one basic block
  uint64_t multiply_adds = 0;
  std::string tensor_kind;  // "mma.f16"
};

// One for each instruction of the function.
std::vector<InstructionCost> instruction_costs(const Program& program, const Function& function,
                                               const gpu::Rates& rates);

}  // namespace assay::vgpu
