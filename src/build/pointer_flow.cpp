// SPDX-License-Identifier: MIT
#include "build/pointer_flow.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

namespace assay::build {
namespace {

// Which parameters, and at which offset in them, a register's value comes from.
using Origins = std::set<std::pair<size_t, int64_t>>;

// Follows pointers from the parameters to loads and stores.
class Flow {
 public:
  Flow(const ptx::Function& function, const std::set<std::string>& dynamic_shared,
       const std::map<std::string, SignatureConstant>& constants, KernelSignature& signature)
      : function_(function), dynamic_shared_(dynamic_shared), constants_(constants), signature_(signature) {
    for (size_t i = 0; i < function.parameters.size(); ++i) parameters_[function.parameters[i].name] = i;
  }

  void run() {
    for (int round = 0; round < 3; ++round) visit(*function_.body);  // loops carry values back
  }

 private:
  void visit(const ptx::CompoundStatement& compound) {
    for (const ptx::Statement& statement : compound.statements) {
      if (const auto* inner = std::get_if<ptx::CompoundStatement>(&statement.value)) visit(*inner);
      if (const auto* instruction = std::get_if<ptx::Instruction>(&statement.value)) visit(*instruction);
    }
  }

  static bool has(const ptx::Instruction& instruction, std::string_view modifier) {
    return std::ranges::any_of(instruction.modifiers,
                               [&](const std::string& each) { return each.starts_with(modifier); });
  }

  void note(const std::string& name) {
    for (size_t axis = 0; axis < 3; ++axis) {
      const char suffix = "xyz"[axis];
      if (name == fmt::format("%ctaid.{}", suffix)) signature_.block_index[axis] = true;
      if (name == fmt::format("%tid.{}", suffix)) signature_.thread_index[axis] = true;
    }
    if (dynamic_shared_.contains(name)) signature_.dynamic_shared = true;
    const auto constant = constants_.find(name);
    const bool new_one =
        constant != constants_.end() &&
        std::ranges::find(signature_.constants, name, &SignatureConstant::name) == signature_.constants.end();
    if (new_one) signature_.constants.push_back(constant->second);
    if (name == "%ntid.x") signature_.block_size = true;
    if (name.starts_with("%nctaid")) signature_.grid_size = true;
    if (name == "%envreg1" || name == "%envreg2") signature_.grid_barrier = true;
  }

  Origins origins_of(const ptx::Operand& operand) {
    Origins origins;
    const auto take = [&](const std::string& name) {
      note(name);
      if (const auto found = registers_.find(name); found != registers_.end())
        origins.insert(found->second.begin(), found->second.end());
      if (const auto found = parameters_.find(name); found != parameters_.end()) origins.insert({found->second, 0});
    };
    if (const auto* identifier = std::get_if<ptx::Identifier>(&operand.value)) take(identifier->name);
    if (const auto* symbol = std::get_if<ptx::OffsetSymbol>(&operand.value)) note(symbol->name);
    if (const auto* address = std::get_if<ptx::AddressOperand>(&operand.value)) {
      for (const ptx::Operand& base : address->base) {
        const auto* identifier = std::get_if<ptx::Identifier>(&base.value);
        if (identifier == nullptr) continue;
        if (const auto found = parameters_.find(identifier->name); found != parameters_.end()) {
          origins.insert({found->second, address->offset});
        } else {
          take(identifier->name);
        }
      }
    }
    if (const auto* vector = std::get_if<ptx::VectorOperand>(&operand.value)) {
      for (const ptx::Operand& element : vector->elements) origins.merge(origins_of(element));
    }
    return origins;
  }

  // The element that an access moves, as its last modifier has it: what neither name nor source tell is taken from
  // here.
  static std::string moved_type(const ptx::Instruction& instruction) {
    static const std::map<std::string, std::string> kTypes{
        {"f16", "f16"}, {"b16", "f16"}, {"f32", "f32"}, {"b32", "f32"},  {"f64", "f64"}, {"b64", "f64"},
        {"u8", "u8"},   {"b8", "u8"},   {"s8", "i8"},   {"u16", "u16"},  {"s16", "i16"}, {"u32", "u32"},
        {"s32", "i32"}, {"u64", "u64"}, {"s64", "i64"}, {"bf16", "bf16"}};
    const auto found = instruction.modifiers.empty() ? kTypes.end() : kTypes.find(instruction.modifiers.back());
    return found == kTypes.end() ? "" : found->second;
  }

  void mark(const ptx::Instruction& instruction, const Origins& origins, bool read, bool written, bool atomic) {
    for (const auto& [parameter, offset] : origins) {
      for (SignatureValue& value : signature_.parameters[parameter].values) {
        if (!value.pointer || static_cast<int64_t>(value.offset) != offset) continue;
        value.read = value.read || read;
        value.written = value.written || written;
        value.atomic = value.atomic || atomic;
        if (value.type.empty() && value.dtype.empty()) value.dtype = moved_type(instruction);
      }
    }
  }

  // A texture or surface object is a number, and only the instructions that take it tell what it is.
  void mark_object(const ptx::Instruction& instruction, const Origins& origins) {
    const bool surface = instruction.opcode.starts_with("su");
    const bool load = instruction.opcode != "sust";
    std::string geometry;
    for (const std::string& modifier : instruction.modifiers) {
      static const std::set<std::string> kGeometries{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
      if (kGeometries.contains(modifier)) geometry = modifier;
    }
    if (!surface && geometry == "1d" && instruction.modifiers.back() == "s32") geometry = "linear";
    for (const auto& [parameter, offset] : origins) {
      for (SignatureValue& value : signature_.parameters[parameter].values) {
        if (static_cast<int64_t>(value.offset) != offset || value.bytes != 8) continue;
        value.object = surface ? "surface" : "texture";
        if (!geometry.empty()) value.geometry = geometry;
        value.pointer = false;
        if (geometry.empty()) continue;  // a question about its size
        value.read = value.read || load;
        value.written = value.written || (surface && instruction.opcode != "suld");
        value.dtype = texel_type(instruction, surface);
        if (surface) value.vector = has(instruction, "v4") ? 4 : has(instruction, "v2") ? 2 : 1;
      }
    }
  }

  // The last modifiers of a fetch are the types of its result and of its coordinates.
  static std::string texel_type(const ptx::Instruction& instruction, bool surface) {
    const std::vector<std::string>& names = instruction.modifiers;
    const std::string result = names.size() > 1 ? names[names.size() - 2] : "";
    if (!surface) return result == "u32" ? "u32" : result == "s32" ? "i32" : "f32";
    return has(instruction, "b8") ? "u8" : has(instruction, "b16") ? "u16" : has(instruction, "u32") ? "u32" : "f32";
  }

  void give(const ptx::Operand& to, const Origins& origins) {
    if (const auto* identifier = std::get_if<ptx::Identifier>(&to.value))
      registers_[identifier->name].insert(origins.begin(), origins.end());
    if (const auto* vector = std::get_if<ptx::VectorOperand>(&to.value)) {
      for (const ptx::Operand& element : vector->elements) give(element, origins);
    }
  }

  // Registers may hold the address of a parameter, which is not what the parameter holds:
  //   mov.b64 %rd2, kernel_param_0; add.s64 %rd1, %rd2, 32; ld.param.u64 %rd3, [%rd1+-24];
  void follow_place(const ptx::Instruction& instruction) {
    const std::vector<ptx::Operand>& operands = instruction.operands;
    const auto* const to = operands.size() > 1 ? std::get_if<ptx::Identifier>(&operands[0].value) : nullptr;
    const auto* const from = operands.size() > 1 ? std::get_if<ptx::Identifier>(&operands[1].value) : nullptr;
    if (to == nullptr || from == nullptr) return;
    const auto known = places_.find(from->name);
    if (instruction.opcode == "mov" && parameters_.contains(from->name)) {
      places_[to->name] = {parameters_.at(from->name), 0};
    } else if ((instruction.opcode == "mov" || instruction.opcode == "cvta") && known != places_.end()) {
      places_[to->name] = known->second;
    } else if (instruction.opcode == "add" && known != places_.end() && operands.size() > 2) {
      if (const auto* const by = std::get_if<ptx::IntegerLiteral>(&operands[2].value))
        places_[to->name] = {known->second.first, known->second.second + static_cast<int64_t>(by->bits)};
    }
  }

  std::optional<std::pair<size_t, int64_t>> place_of(const ptx::Operand& operand) const {
    const auto* const address = std::get_if<ptx::AddressOperand>(&operand.value);
    if (address == nullptr || address->base.empty()) return std::nullopt;
    const auto* const base = std::get_if<ptx::Identifier>(&address->base.front().value);
    const auto found = base == nullptr ? places_.end() : places_.find(base->name);
    if (found == places_.end()) return std::nullopt;
    return std::pair(found->second.first, found->second.second + address->offset);
  }

  void visit(const ptx::Instruction& instruction) {
    const std::string& opcode = instruction.opcode;
    const std::vector<ptx::Operand>& operands = instruction.operands;
    std::vector<Origins> origins;
    for (const ptx::Operand& operand : operands) origins.push_back(origins_of(operand));
    if (operands.empty()) return;
    follow_place(instruction);
    if (opcode == "ld" && operands.size() > 1) {
      if (const auto place = place_of(operands[1])) {
        give(operands[0], {*place});
      } else if (has(instruction, "param")) {
        give(operands[0], origins[1]);
      } else {
        mark(instruction, origins[1], true, false, false);
      }
    } else if (opcode == "st") {
      if (has(instruction, "param") || has(instruction, "local")) {
        // An argument of a call: what the callee does with it is not followed, so it may do either.
        if (operands.size() > 1 && has(instruction, "param")) mark(instruction, origins[1], true, true, false);
      } else {
        mark(instruction, origins[0], false, true, false);
      }
    } else if (opcode == "tex" || opcode == "tld4" || opcode == "txq" || opcode == "suld" || opcode == "sust" ||
               opcode == "sured" || opcode == "suq") {
      for (size_t i = 0; i < operands.size(); ++i) {
        if (std::holds_alternative<ptx::AddressOperand>(operands[i].value)) mark_object(instruction, origins[i]);
      }
    } else if (opcode == "atom" || opcode == "red") {
      mark(instruction, origins[opcode == "atom" && operands.size() > 1 ? 1 : 0], true, true, true);
    } else if (opcode.starts_with("cp") || opcode == "ldmatrix" || opcode == "wmma" || opcode == "prefetch") {
      const bool stores =
          has(instruction, "store") || (has(instruction, "global") && opcode == "cp" && has(instruction, "bulk") &&
                                        !instruction.modifiers.empty() && instruction.modifiers[0] == "reduce");
      for (const Origins& each : origins) mark(instruction, each, !stores, stores, false);
    } else {
      Origins all;
      for (size_t i = 1; i < origins.size(); ++i) all.insert(origins[i].begin(), origins[i].end());
      give(operands[0], all);
    }
  }

  const ptx::Function& function_;
  const std::set<std::string>& dynamic_shared_;
  const std::map<std::string, SignatureConstant>& constants_;
  KernelSignature& signature_;
  std::map<std::string, size_t> parameters_;
  std::map<std::string, Origins> registers_;
  std::map<std::string, std::pair<size_t, int64_t>>
      places_;  // registers that hold a parameter's address, and where in it
};

}  // namespace

void follow_pointers(const ptx::Function& function, const std::set<std::string>& dynamic_shared,
                     const std::map<std::string, SignatureConstant>& constants, KernelSignature& signature) {
  Flow(function, dynamic_shared, constants, signature).run();
}

}  // namespace assay::build
