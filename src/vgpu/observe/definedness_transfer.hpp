// SPDX-License-Identifier: MIT
// From the codes of an instruction's operands to those of its results, in one frame's shadow. Loads, stores and atomics
// are not here: what they bring is known where memory is accessed.
#pragma once

#include "vgpu/machine/warp.hpp"
#include "vgpu/observe/definedness.hpp"
#include "vgpu/observe/definedness_rule.hpp"

namespace assay::vgpu {

// One executed instruction. Its values may be those of after the execution: a rule that looks at a value which the
// result has overwritten takes every byte for undecided.
struct ExecutedStep {
  const Warp& warp;
  const Function& function;
  const Instruction& instruction;
  DefinednessStep step;
  LaneMask lanes;
  Code from_memory = code::kDefined;  // that it read as an operand: wgmma's matrices

  const RowInfo* info() const { return function.info_of(instruction); }
  size_t written() const { return function.origin_of(instruction).written; }
  LaneMask existing() const { return warp.existing_lanes(); }
};

// `fresh` gives a code to a register that was never written when an instruction computes with it.
class DefinednessTransfer {
 public:
  using Fresh = Code (*)(void* context, const ExecutedStep& step, size_t operand, int lane);
  DefinednessTransfer(FrameShadow& shadow, Fresh fresh, void* context)
      : shadow_(shadow), fresh_(fresh), context_(context) {}

  void apply(const ExecutedStep& step);

 private:
  OperandCodes operand(const ExecutedStep& step, size_t index);
  Code lane_code(const ExecutedStep& step, int lane);  // of all operands together, computed
  void compute(const ExecutedStep& step);
  void move(const ExecutedStep& step);
  void pack(const ExecutedStep& step);
  void unpack(const ExecutedStep& step);
  void select(const ExecutedStep& step);
  void mask(const ExecutedStep& step, uint8_t deciding_byte);
  void rearrange(const ExecutedStep& step);
  void shift(const ExecutedStep& step, bool left);
  void extend(const ExecutedStep& step);
  void permute(const ExecutedStep& step);
  void shuffle(const ExecutedStep& step);
  void across_lanes(const ExecutedStep& step);
  void product(const ExecutedStep& step);
  void group_product(const ExecutedStep& step);
  void write(const ExecutedStep& step, size_t index, const OperandCodes& codes);
  void write_all(const ExecutedStep& step, const std::array<Code, kLanes>& codes);

  FrameShadow& shadow_;
  Fresh fresh_;
  void* context_;
};

}  // namespace assay::vgpu
