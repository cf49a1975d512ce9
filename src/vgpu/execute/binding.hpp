// SPDX-License-Identifier: MIT
// How a row of the opcode table gets its handler: each family lists (row, binder) pairs. A binder looks at the
// modifiers and the operands' widths once, at decode time, and picks a handler that needs neither.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gpu/gpu_model.hpp"
#include "ptx/opcode_pattern.hpp"
#include "ptx/syntax.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

// One operand as decoded. Elements of a vector are operands of their own, in order.
struct BoundOperand {
  uint32_t row = kNoRow;  // kNoRow: absent (the second part of a pair)
  int bits = 0;           // width of the register: 1 (predicate), 16, 32, 64
  bool is_address = false;
  int64_t offset = 0;  // of an address
  bool is_immediate = false;
  uint64_t value = 0;                 // of an immediate
  bool is_lane_parameter = false;     // the address of a .param variable that each lane has for itself
  uint32_t shared_variable = kNoRow;  // of the address of a .shared variable: where that begins
};

// What the decoder offers to a binder.
class BindContext {
 public:
  virtual ~BindContext() = default;

  const ptx::Instruction* syntax = nullptr;
  const ptx::Modifiers* modifiers = nullptr;
  const gpu::GpuModel* model = nullptr;
  std::vector<BoundOperand> operands;  // empty for rows with "*"
  std::vector<int> group_sizes;        // how many operands each operand of the text became
  Instruction* instruction = nullptr;  // rows are set from `operands` after the binder; the rest is the binder's
  Function* function = nullptr;

  ptx::Type type(size_t index = 0) const { return modifiers->type(index); }
  bool has(std::string_view name) const { return modifiers->has(name); }
  int bits(size_t operand) const { return operands.at(operand).bits; }

  // The handler finds it again with payload<T>().
  template <class T>
  void keep(T value) {
    function->payloads.push_back(std::make_unique<PayloadOf<T>>(std::move(value)));
    instruction->payload = function->payloads.back().get();
  }

  // The following are for control flow and for instructions that name variables.
  virtual Result<uint32_t> label(const std::string& name) = 0;  // index of the instruction behind the label
  virtual Result<int32_t> function_named(const std::string& name) = 0;
  virtual bool is_only_declared(int32_t function) const = 0;
  virtual Result<BoundOperand> value(const ptx::Operand& operand, int bits, bool is_float) = 0;
  virtual Result<CallSite::Copy> call_parameter(const std::string& name) = 0;  // a .param variable of this function
  virtual Result<std::vector<std::string>> target_list(const std::string& name) = 0;
  virtual Error error(std::string message) const = 0;  // with this instruction's place
};

// Nothing is linked to a module here: a function that it only declares cannot be called.
Error only_declared(const BindContext& context, const std::string& name);
// An error if the model is older than Hopper. `what`: "bulk copies".
Result<void> need_hopper(const BindContext& context, std::string_view what);

using Binder = Result<Handler> (*)(BindContext&);

struct Binding {
  std::string_view row;  // OpcodeRow::name
  Binder bind;
};

// All pairs of all families.
std::span<const std::span<const Binding>> all_bindings();
Binder binder_of(std::string_view row);  // nullptr: the row has none, which a test forbids

}  // namespace assay::vgpu
