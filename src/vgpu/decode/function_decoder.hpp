// SPDX-License-Identifier: MIT
// Decodes one function: registers to rows, labels to indices, opcodes to handlers.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "ptx/opcode_pattern.hpp"
#include "ptx/syntax.hpp"
#include "vgpu/decode/location_table.hpp"
#include "vgpu/decode/module_layout.hpp"
#include "vgpu/decode/scope.hpp"
#include "vgpu/execute/binding.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

class FunctionDecoder final : private BindContext {
 public:
  FunctionDecoder(const ptx::Function& function_syntax, const ModuleLayout& layout, LocationTable& locations,
                  Program& program, int function_index, const gpu::GpuModel& gpu_model);

  Result<void> decode();
  bool uses_dynamic_shared() const { return uses_dynamic_shared_; }

 private:
  // --- statements
  Result<void> decode_compound(const ptx::CompoundStatement& compound);
  Result<void> decode_statement(const ptx::Statement& statement);
  Result<void> declare(const ptx::RegisterDeclaration& declaration);
  Result<void> declare(const ptx::Variable& variable);
  Result<void> declare_parameters();
  void note(const ptx::Pragma& pragma);
  Result<void> decode_instruction(const ptx::Instruction& instruction);
  Result<void> bind_guard(const ptx::Guard& guard, Instruction& out);
  Result<void> finish();

  // --- operands (operands.cpp)
  Result<void> bind_operands(const ptx::OpcodePattern& pattern);
  Result<void> bind_operand(const ptx::OperandPattern& pattern, const ptx::Operand& operand);
  Result<BoundOperand> bind_register_or_value(const ptx::OperandType& type, const ptx::Operand& operand, bool written);
  Result<BoundOperand> bind_address(const ptx::AddressOperand& address);
  Result<BoundOperand> bind_identifier(const std::string& name, int64_t offset, int bits);
  Result<BoundOperand> negate(const std::string& name);
  int bits_of(const ptx::OperandType& type) const;
  bool is_floating(const ptx::OperandType& type) const;
  BoundOperand immediate(uint64_t bits, int width);
  uint32_t new_row(int bits);
  BoundOperand scratch(int bits);
  std::optional<Register> find_register(const std::string& name);
  std::optional<ScopeVariable> find_variable(const std::string& name) const;
  std::optional<BoundOperand> special_register(const std::string& name, int bits);
  BoundOperand local_address(uint64_t offset, int bits);

  // --- BindContext
  Result<uint32_t> label(const std::string& name) override;
  Result<int32_t> function_named(const std::string& name) override;
  bool is_only_declared(int32_t number) const override {
    return program_.functions[static_cast<size_t>(number)].declared_only;
  }
  Result<BoundOperand> value(const ptx::Operand& operand, int bits, bool is_float) override;
  Result<CallSite::Copy> call_parameter(const std::string& name) override;
  Result<std::vector<std::string>> target_list(const std::string& name) override;
  Error error(std::string message) const override;

  int opcode_number(const ptx::Instruction& source);  // in Program::opcodes
  void emit(const Instruction& instruction, const ptx::TextPosition& position, int table_row,
            const std::vector<BoundOperand>& operands, size_t written);

  const ptx::Function& source_;
  const ModuleLayout& layout_;
  LocationTable& locations_;
  Program& program_;
  const int function_index_;
  std::vector<Scope> scopes_;
  std::vector<uint32_t> label_targets_;           // label number -> instruction
  std::vector<std::pair<size_t, int>> branches_;  // instruction whose immediate is a label's target, label number
  std::vector<size_t> row_starts_;                // of each instruction's rows in the pool
  std::map<std::pair<uint64_t, int>, uint32_t> constants_;
  std::map<std::string, BoundOperand> special_rows_;
  std::map<int, uint32_t> scratch_rows_;
  uint32_t predicate_room_ = 0;  // bytes left in the current line of predicates
  uint32_t predicate_next_ = 0;
  int table_row_ = 0;
  size_t written_ = 0;                                  // of the operands: results
  uint32_t used_bytes_ = InstructionOrigin::kAllBytes;  // of the next instruction
  bool uses_dynamic_shared_ = false;
};

}  // namespace assay::vgpu
