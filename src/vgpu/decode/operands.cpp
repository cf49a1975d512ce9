// SPDX-License-Identifier: MIT
// Operands to rows: registers, immediates, special registers, addresses of variables.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/decode/function_decoder.hpp"
#include "vgpu/machine/warp.hpp"

namespace assay::vgpu {
namespace {

struct SpecialName {
  std::string_view name;
  SpecialRegister which;
};

constexpr std::array kSpecialNames = {
    SpecialName{"%tid.x", SpecialRegister::tid_x},
    SpecialName{"%tid.y", SpecialRegister::tid_y},
    SpecialName{"%tid.z", SpecialRegister::tid_z},
    SpecialName{"%ntid.x", SpecialRegister::ntid_x},
    SpecialName{"%ntid.y", SpecialRegister::ntid_y},
    SpecialName{"%ntid.z", SpecialRegister::ntid_z},
    SpecialName{"%ctaid.x", SpecialRegister::ctaid_x},
    SpecialName{"%ctaid.y", SpecialRegister::ctaid_y},
    SpecialName{"%ctaid.z", SpecialRegister::ctaid_z},
    SpecialName{"%nctaid.x", SpecialRegister::nctaid_x},
    SpecialName{"%nctaid.y", SpecialRegister::nctaid_y},
    SpecialName{"%nctaid.z", SpecialRegister::nctaid_z},
    SpecialName{"%laneid", SpecialRegister::laneid},
    SpecialName{"%warpid", SpecialRegister::warpid},
    SpecialName{"%nwarpid", SpecialRegister::nwarpid},
    SpecialName{"%smid", SpecialRegister::smid},
    SpecialName{"%nsmid", SpecialRegister::nsmid},
    SpecialName{"%gridid", SpecialRegister::gridid},
    SpecialName{"%lanemask_eq", SpecialRegister::lanemask_eq},
    SpecialName{"%lanemask_le", SpecialRegister::lanemask_le},
    SpecialName{"%lanemask_lt", SpecialRegister::lanemask_lt},
    SpecialName{"%lanemask_ge", SpecialRegister::lanemask_ge},
    SpecialName{"%lanemask_gt", SpecialRegister::lanemask_gt},
    SpecialName{"%dynamic_smem_size", SpecialRegister::dynamic_smem_size},
    SpecialName{"%total_smem_size", SpecialRegister::total_smem_size},
    SpecialName{"%aggr_smem_size", SpecialRegister::aggr_smem_size},
    SpecialName{"%reserved_smem_offset_begin", SpecialRegister::reserved_smem_begin},
    SpecialName{"%reserved_smem_offset_end", SpecialRegister::reserved_smem_end},
    SpecialName{"%reserved_smem_offset_cap", SpecialRegister::reserved_smem_end},
    SpecialName{"%reserved_smem_offset_0", SpecialRegister::reserved_smem_begin},
    SpecialName{"%reserved_smem_offset_1", SpecialRegister::reserved_smem_second},
    SpecialName{"%envreg1", SpecialRegister::envreg1},
    SpecialName{"%envreg2", SpecialRegister::envreg2},
    SpecialName{"%clusterid.x", SpecialRegister::clusterid_x},
    SpecialName{"%clusterid.y", SpecialRegister::clusterid_y},
    SpecialName{"%clusterid.z", SpecialRegister::clusterid_z},
    SpecialName{"%nclusterid.x", SpecialRegister::nclusterid_x},
    SpecialName{"%nclusterid.y", SpecialRegister::nclusterid_y},
    SpecialName{"%nclusterid.z", SpecialRegister::nclusterid_z},
    SpecialName{"%cluster_ctaid.x", SpecialRegister::cluster_ctaid_x},
    SpecialName{"%cluster_ctaid.y", SpecialRegister::cluster_ctaid_y},
    SpecialName{"%cluster_ctaid.z", SpecialRegister::cluster_ctaid_z},
    SpecialName{"%cluster_nctaid.x", SpecialRegister::cluster_nctaid_x},
    SpecialName{"%cluster_nctaid.y", SpecialRegister::cluster_nctaid_y},
    SpecialName{"%cluster_nctaid.z", SpecialRegister::cluster_nctaid_z},
    SpecialName{"%cluster_ctarank", SpecialRegister::cluster_ctarank},
    SpecialName{"%cluster_nctarank", SpecialRegister::cluster_nctarank},
    SpecialName{"%is_explicit_cluster", SpecialRegister::is_explicit_cluster},
};

// Those that change while a thread runs are read by an instruction of their own (mov.clock).
bool is_clock(const std::string& name) {
  return name == "%clock" || name == "%clock_hi" || name == "%clock64" || name == "%globaltimer" ||
         name == "%globaltimer_lo" || name == "%globaltimer_hi";
}

// A register that the instruction writes: "d" in the table's syntax. "[d]" is an address, which it reads.
bool is_written(const ptx::OperandPattern& pattern) {
  using Form = ptx::OperandPattern::Form;
  return pattern.name.front() == 'd' && pattern.form != Form::address && pattern.form != Form::tensor;
}

uint32_t row_bytes(int bits) {
  return bits == 1 ? 4u : static_cast<uint32_t>(bits) / 8 * kLanes;
}

void fill_row(std::byte* row, uint64_t value, int bits) {
  if (bits == 1) {
    const LaneMask lanes = (value & 1) != 0 ? kAllLanes : 0;
    std::memcpy(row, &lanes, sizeof lanes);
    return;
  }
  const auto bytes = static_cast<size_t>(bits) / 8;
  for (size_t lane = 0; lane < kLanes; ++lane) std::memcpy(row + lane * bytes, &value, std::min(bytes, sizeof value));
}

}  // namespace

int FunctionDecoder::bits_of(const ptx::OperandType& type) const {
  using From = ptx::OperandType::From;
  if (type.from == From::any) return 0;
  if (type.from == From::fixed) return type.fixed == ptx::Type::pred ? 1 : std::max(16, ptx::info(type.fixed).bits);
  if (modifiers->types().empty()) return 32;
  const auto index = std::min(static_cast<size_t>(type.index), modifiers->types().size() - 1);
  const int bits = ptx::info(modifiers->type(index)).bits;
  if (type.from == From::wide) return 2 * bits;
  return modifiers->type(index) == ptx::Type::pred ? 1 : std::max(16, bits);
}

bool FunctionDecoder::is_floating(const ptx::OperandType& type) const {
  using From = ptx::OperandType::From;
  if (type.from == From::any) return false;
  if (type.from == From::fixed) return ptx::info(type.fixed).kind == ptx::TypeKind::floating;
  if (modifiers->types().empty()) return false;
  const auto index = std::min(static_cast<size_t>(type.index), modifiers->types().size() - 1);
  return ptx::info(modifiers->type(index)).kind == ptx::TypeKind::floating;
}

uint32_t FunctionDecoder::new_row(int bits) {
  constexpr uint32_t kLine = 64;
  if (bits == 1) {
    if (predicate_room_ == 0) {
      predicate_next_ = function->frame_bytes;
      predicate_room_ = kLine;
      function->frame_bytes += kLine;
    }
    predicate_room_ -= 4;
    predicate_next_ += 4;
    return predicate_next_ - 4;
  }
  const uint32_t row = function->frame_bytes;
  function->frame_bytes += row_bytes(bits);
  return row;
}

BoundOperand FunctionDecoder::scratch(int bits) {
  const auto [entry, fresh] = scratch_rows_.try_emplace(bits, 0u);
  if (fresh) entry->second = new_row(bits);
  BoundOperand operand;
  operand.row = entry->second;
  operand.bits = bits;
  return operand;
}

BoundOperand FunctionDecoder::immediate(uint64_t value, int width) {
  if (width < 64) value &= (uint64_t{1} << width) - 1;
  const auto [entry, fresh] = constants_.try_emplace({value, width}, 0u);
  if (fresh) {
    const size_t offset = round_up(function->constants.size(), 64);
    function->constants.resize(offset + row_bytes(width));
    fill_row(function->constants.data() + offset, value, width);
    entry->second = static_cast<uint32_t>(offset) | kConstantRow;
  }
  BoundOperand operand;
  operand.row = entry->second;
  operand.bits = width;
  operand.is_immediate = true;
  operand.value = value;
  return operand;
}

std::optional<Register> FunctionDecoder::find_register(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->registers.find(name); found != scope->registers.end()) return found->second;
    for (const Scope::Range& range : scope->ranges) {
      if (!name.starts_with(range.prefix) || name.size() == range.prefix.size() ||
          name.size() > range.prefix.size() + 9)
        continue;
      const std::string_view digits = std::string_view(name).substr(range.prefix.size());
      if (!std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
      if (digits.size() > 1 && digits.front() == '0') continue;
      if (std::stoi(std::string(digits)) >= range.count) continue;
      const Register made{new_row(range.bits), range.bits};
      scope->registers.emplace(name, made);
      return made;
    }
  }
  return std::nullopt;
}

std::optional<ScopeVariable> FunctionDecoder::find_variable(const std::string& name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->variables.find(name); found != scope->variables.end()) return found->second;
  }
  if (const auto found = layout_.symbols.find(name); found != layout_.symbols.end())
    return ScopeVariable{found->second};
  return std::nullopt;
}

std::optional<BoundOperand> FunctionDecoder::special_register(const std::string& name, int bits) {
  if (is_clock(name)) return immediate(0, bits);  // mov reads the clock itself
  const auto found =
      std::find_if(kSpecialNames.begin(), kSpecialNames.end(), [&](const SpecialName& s) { return s.name == name; });
  if (found == kSpecialNames.end()) return std::nullopt;
  const std::string key = name + "/" + std::to_string(bits);
  if (const auto known = special_rows_.find(key); known != special_rows_.end()) return known->second;
  BoundOperand operand;
  operand.row = new_row(bits);
  operand.bits = bits;
  function->special_rows.push_back({found->which, operand.row, bits});
  function->reserved_shared |= name.starts_with("%reserved_smem");
  special_rows_.emplace(key, operand);
  return operand;
}

BoundOperand FunctionDecoder::local_address(uint64_t offset, int bits) {
  const std::string key = "local " + std::to_string(offset) + "/" + std::to_string(bits);
  if (const auto known = special_rows_.find(key); known != special_rows_.end()) return known->second;
  BoundOperand operand;
  operand.row = new_row(bits);
  operand.bits = bits;
  function->local_rows.push_back({operand.row, static_cast<uint32_t>(offset), bits});
  special_rows_.emplace(key, operand);
  return operand;
}

Result<BoundOperand> FunctionDecoder::bind_identifier(const std::string& name, int64_t offset, int bits) {
  if (const auto found = find_register(name)) {
    BoundOperand operand;
    operand.row = found->row;
    operand.bits = found->bits;
    operand.offset = offset;
    return operand;
  }
  const int width = bits == 0 ? 64 : bits;
  if (const auto special = special_register(name, width)) return *special;
  if (name == "WARP_SZ") return immediate(kLanes, width);
  if (const auto variable = find_variable(name)) {
    const Symbol& symbol = variable->symbol;
    uint64_t address = symbol.address;
    if (symbol.dynamic_shared) {
      uses_dynamic_shared_ = true;
      address = function->dynamic_shared_base;
    }
    // Where a called function's local variables lie depends on how deep the call is.
    if (symbol.space == Space::local && !source_.is_entry)
      return local_address(address + static_cast<uint64_t>(offset), width);
    BoundOperand operand = immediate(address + static_cast<uint64_t>(offset), width);
    operand.is_lane_parameter = symbol.space == Space::parameter && !variable->entry_parameter;
    if (symbol.space == Space::shared) operand.shared_variable = static_cast<uint32_t>(address);
    return operand;
  }
  if (const auto callee = program_.function_index.find(name); callee != program_.function_index.end()) {
    if (is_only_declared(callee->second)) return only_declared(*this, name);
    return immediate(function_address(callee->second), width);
  }
  Error unknown = error(fmt::format("'{}' is not declared", name));
  // nvcc declares all registers that it uses, and none has such a name: it is a special register that the engine lacks.
  if (name.starts_with("%envreg") || name.starts_with("%pm") ||
      (name.starts_with('%') && name.find('_') != std::string::npos)) {
    unknown.message = fmt::format("the special register '{}' is not supported", name);
    unknown.exit_code = ExitCode::environment;
  }
  return unknown;
}

Result<BoundOperand> FunctionDecoder::negate(const std::string& name) {
  const auto found = find_register(name);
  if (!found || found->bits != 1) return error(fmt::format("'!{}': only a predicate can be negated", name));
  // A helper instruction computes the negation before the one that wants it.
  BoundOperand source;
  source.row = found->row;
  source.bits = 1;
  BoundOperand result;
  result.row = new_row(1);
  result.bits = 1;
  Instruction helper;
  helper.handler = [](Warp& warp, const Instruction& self) {
    *warp.row<LaneMask>(self.rows[0]) = ~*warp.row<LaneMask>(self.rows[1]);
  };
  emit(helper, syntax->position, kNoTableRow, {result, source}, 1);
  return result;
}

Result<BoundOperand> FunctionDecoder::value(const ptx::Operand& operand, int bits, bool is_float) {
  if (const auto* identifier = std::get_if<ptx::Identifier>(&operand.value))
    return bind_identifier(identifier->name, 0, bits);
  if (const auto* symbol = std::get_if<ptx::OffsetSymbol>(&operand.value))
    return bind_identifier(symbol->name, symbol->offset, bits);
  if (const auto* negated = std::get_if<ptx::Negated>(&operand.value)) return negate(negated->name);
  if (std::holds_alternative<ptx::Sink>(operand.value)) return scratch(bits == 0 ? 32 : bits);
  const int width = bits == 0 ? 64 : bits;
  if (const auto* integer = std::get_if<ptx::IntegerLiteral>(&operand.value)) {
    // A whole number where a floating-point value is meant has that value, not those bits.
    if (is_float && width == 32)
      return immediate(std::bit_cast<uint32_t>(static_cast<float>(static_cast<int64_t>(integer->bits))), 32);
    if (is_float && width == 64)
      return immediate(std::bit_cast<uint64_t>(static_cast<double>(static_cast<int64_t>(integer->bits))), 64);
    return immediate(integer->bits, width);
  }
  if (const auto* real = std::get_if<ptx::FloatLiteral>(&operand.value)) {
    if (real->width == 64 && width == 32) {
      return immediate(std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(real->bits))), 32);
    }
    if (real->width == 32 && width == 64) {
      return immediate(
          std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(real->bits)))), 64);
    }
    return immediate(real->bits, width);
  }
  return error("expected a register or a constant");
}

Result<BoundOperand> FunctionDecoder::bind_register_or_value(const ptx::OperandType& type, const ptx::Operand& operand,
                                                             bool written) {
  const int expected = bits_of(type);
  ASSAY_TRY(BoundOperand bound, value(operand, expected, is_floating(type)));
  if (written && (bound.is_immediate || (bound.row & kConstantRow) != 0)) return error("the result needs a register");
  const bool fits =
      expected == 0 || bound.bits == expected || (type.or_wider && bound.bits >= expected && expected != 1);
  if (!fits) {
    return error(fmt::format("an operand is {} bits wide, expected {}{}", bound.bits, expected,
                             type.or_wider ? " or more" : ""));
  }
  return bound;
}

Result<BoundOperand> FunctionDecoder::bind_address(const ptx::AddressOperand& address) {
  ASSAY_TRY(BoundOperand bound, value(address.base.at(0), 0, false));
  if (bound.bits != 32 && bound.bits != 64) return error("an address needs a register of 32 or 64 bits");
  bound.is_address = true;
  bound.offset += address.offset;
  return bound;
}

Result<void> FunctionDecoder::bind_operand(const ptx::OperandPattern& pattern, const ptx::Operand& operand) {
  using Form = ptx::OperandPattern::Form;
  const bool written = is_written(pattern);
  if (pattern.form == Form::address) {
    const auto& address = std::get<ptx::AddressOperand>(operand.value);
    ASSAY_TRY(BoundOperand bound, bind_address(address));
    operands.push_back(bound);
    return {};
  }
  if (pattern.form == Form::tensor) {
    const auto& address = std::get<ptx::AddressOperand>(operand.value);
    ASSAY_TRY(const BoundOperand map, bind_address(address));
    operands.push_back(map);
    // "[%rd1, {%r1, %r2}]"; tools also write "[%rd1, %r1]" for a tensor of one dimension.
    const ptx::Operand& first = address.coordinates.front();
    const auto* vector = std::get_if<ptx::VectorOperand>(&first.value);
    if (address.coordinates.size() != 1)
      return error("expected one list of coordinates; textures have their samplers inside");
    for (const ptx::Operand& coordinate : vector != nullptr ? vector->elements : address.coordinates) {
      ASSAY_TRY(const BoundOperand bound, bind_register_or_value({ptx::OperandType::From::fixed}, coordinate, false));
      operands.push_back(bound);
    }
    return {};
  }
  if (pattern.form == Form::vector) {
    if (const auto* vector = std::get_if<ptx::VectorOperand>(&operand.value)) {
      for (const ptx::Operand& element : vector->elements) {
        ASSAY_TRY(BoundOperand bound, bind_register_or_value(pattern.type, element, written));
        // A constant among the parts of a register is as wide as a part.
        if (bound.is_immediate && pattern.type.from == ptx::OperandType::From::any) {
          bound = immediate(bound.value, ptx::info(modifiers->type()).bits / static_cast<int>(vector->elements.size()));
        }
        operands.push_back(bound);
      }
      return {};
    }
  }
  if (pattern.form == Form::pair) {
    if (const auto* pair = std::get_if<ptx::PairOperand>(&operand.value)) {
      ASSAY_TRY(BoundOperand first, bind_register_or_value(pattern.type, pair->elements.at(0), true));
      ASSAY_TRY(BoundOperand second, bind_register_or_value(pattern.second_type, pair->elements.at(1), true));
      operands.push_back(first);
      operands.push_back(second);
      return {};
    }
    ASSAY_TRY(BoundOperand only, bind_register_or_value(pattern.type, operand, true));
    operands.push_back(only);
    operands.emplace_back();
    return {};
  }
  ASSAY_TRY(BoundOperand bound, bind_register_or_value(pattern.type, operand, written));
  operands.push_back(bound);
  return {};
}

Result<void> FunctionDecoder::bind_operands(const ptx::OpcodePattern& pattern) {
  size_t count = syntax->operands.size();
  // A cache policy is looked at here and goes no further: to handlers and observers a hinted access is a plain one.
  if (modifiers->has("L2::cache_hint")) {
    --count;
    ASSAY_TRY(const BoundOperand policy,
              bind_register_or_value(pattern.operands.back().type, syntax->operands[count], false));
    static_cast<void>(policy);
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t before = operands.size();
    ASSAY_CHECK(bind_operand(pattern.operands[i], syntax->operands[i]));
    group_sizes.push_back(static_cast<int>(operands.size() - before));
    if (is_written(pattern.operands[i])) written_ += operands.size() - before;
  }
  return {};
}

}  // namespace assay::vgpu
