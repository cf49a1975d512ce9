// SPDX-License-Identifier: MIT
#include "vgpu/decode/function_decoder.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "ptx/literal.hpp"
#include "ptx/type.hpp"

namespace assay::vgpu {
namespace {

int register_bits(ptx::Type type) {
  const int bits = ptx::info(type).bits;
  if (type == ptx::Type::pred) return 1;
  return std::max(16, bits);  // there are no narrower registers
}

}  // namespace

FunctionDecoder::FunctionDecoder(const ptx::Function& function_syntax, const ModuleLayout& layout,
                                 LocationTable& locations, Program& program, int function_index,
                                 const gpu::GpuModel& gpu_model)
    : source_(function_syntax),
      layout_(layout),
      locations_(locations),
      program_(program),
      function_index_(function_index) {
  function = &program.functions[static_cast<size_t>(function_index)];
  model = &gpu_model;
}

Result<void> FunctionDecoder::decode() {
  locations_.enter_function(source_.name);
  scopes_.emplace_back();
  ASSAY_CHECK(declare_parameters());
  if (source_.body) {
    ASSAY_CHECK(decode_compound(*source_.body));
    // Falling off the end is a return.
    ptx::Instruction last;
    last.opcode = "ret";
    ASSAY_CHECK(decode_instruction(last));
  }
  return finish();
}

Result<void> FunctionDecoder::declare_parameters() {
  const auto place = [&](const std::vector<ptx::Variable>& variables, std::vector<Parameter>& into,
                         bool entry) -> Result<void> {
    for (const ptx::Variable& variable : variables) {
      ASSAY_TRY(const uint64_t bytes, variable_bytes(variable, program_.file_name));
      const uint64_t offset = round_up(function->parameter_bytes, variable_alignment(variable));
      constexpr uint64_t kLargestParameters = 1 << 20;
      if (offset + bytes > kLargestParameters) return error("the parameters are larger than 1 MiB");
      function->parameter_bytes = static_cast<uint32_t>(offset + bytes);
      into.push_back({variable.name, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)});
      scopes_.back().variables[variable.name] = {{Space::parameter, offset, bytes}, entry};
    }
    return {};
  };
  ASSAY_CHECK(place(source_.parameters, function->parameters, source_.is_entry));
  // A kernel's parameters live in the launch, not in the lanes.
  if (source_.is_entry) function->parameter_bytes = 0;
  return place(source_.returns, function->returns, false);
}

Result<void> FunctionDecoder::decode_compound(const ptx::CompoundStatement& compound) {
  for (const ptx::Statement& statement : compound.statements) {
    if (const auto* label_statement = std::get_if<ptx::Label>(&statement.value)) {
      const auto number = static_cast<int>(label_targets_.size());
      label_targets_.push_back(kNoRow);
      if (!scopes_.back().labels.emplace(label_statement->name, number).second) {
        return Error{fmt::format("the label '{}' stands twice in one scope", label_statement->name),
                     Place{program_.file_name, label_statement->position.line, label_statement->position.column}};
      }
    }
  }
  for (const ptx::Statement& statement : compound.statements) ASSAY_CHECK(decode_statement(statement));
  return {};
}

Result<void> FunctionDecoder::decode_statement(const ptx::Statement& statement) {
  struct Visitor {
    FunctionDecoder& self;
    Result<void> operator()(const ptx::Instruction& instruction) { return self.decode_instruction(instruction); }
    Result<void> operator()(const ptx::Label& label) {
      self.label_targets_[static_cast<size_t>(self.scopes_.back().labels.at(label.name))] =
          static_cast<uint32_t>(self.function->code.size());
      return {};
    }
    Result<void> operator()(const ptx::RegisterDeclaration& declaration) { return self.declare(declaration); }
    Result<void> operator()(const ptx::Variable& variable) { return self.declare(variable); }
    Result<void> operator()(const ptx::Location& location) {
      self.locations_.add(location);
      return {};
    }
    Result<void> operator()(const ptx::Pragma& pragma) {
      self.note(pragma);
      return {};
    }
    Result<void> operator()(const ptx::CallPrototype&) { return {}; }
    Result<void> operator()(const ptx::TargetList& list) {
      self.scopes_.back().target_lists[list.label] = list.targets;
      return {};
    }
    Result<void> operator()(const ptx::CompoundStatement& compound) {
      self.scopes_.emplace_back();
      auto result = self.decode_compound(compound);
      self.scopes_.pop_back();
      return result;
    }
  };
  return std::visit(Visitor{*this}, statement.value);
}

Result<void> FunctionDecoder::declare(const ptx::RegisterDeclaration& declaration) {
  const Place place{program_.file_name, declaration.position.line, declaration.position.column};
  const auto type = ptx::type_named(declaration.type);
  if (!type || declaration.vector_width != 1) {
    return Error{fmt::format("registers of the type '.{}{}' are not supported",
                             declaration.vector_width > 1 ? "v2/.v4 ." : "", declaration.type),
                 place, "", ExitCode::environment};
  }
  Scope& scope = scopes_.back();
  for (const auto& name : declaration.names) {
    if (name.count) {
      scope.ranges.push_back({name.name, *name.count, register_bits(*type)});
    } else {
      const int bits = register_bits(*type);
      scope.registers[name.name] = {new_row(bits), bits};
    }
  }
  return {};
}

Result<void> FunctionDecoder::declare(const ptx::Variable& variable) {
  const Place place{program_.file_name, variable.position.line, variable.position.column};
  ASSAY_TRY(const uint64_t bytes, variable_bytes(variable, program_.file_name));
  const uint64_t alignment = variable_alignment(variable);
  constexpr uint64_t kLargest = 1 << 26;
  if (bytes > kLargest) return Error{fmt::format("variable '{}' is too large", variable.name), place};
  Scope& scope = scopes_.back();
  if (variable.space == "local") {
    const uint64_t offset = round_up(function->local_bytes, alignment);
    function->local_bytes = static_cast<uint32_t>(offset + bytes);
    scope.variables[variable.name] = {{Space::local, offset, bytes}};
  } else if (variable.space == "shared" && source_.is_entry) {
    const uint64_t start = std::max<uint64_t>(function->static_shared_bytes, layout_.shared_bytes);
    const uint64_t offset = round_up(start, alignment);
    function->static_shared_bytes = static_cast<uint32_t>(offset + bytes);
    scope.variables[variable.name] = {{Space::shared, offset, bytes}};
    program_.shared_variables.push_back(
        {variable.name, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), function_index_});
  } else if (variable.space == "param") {
    const uint64_t offset = round_up(function->parameter_bytes, alignment);
    function->parameter_bytes = static_cast<uint32_t>(offset + bytes);
    scope.variables[variable.name] = {{Space::parameter, offset, bytes}};
  } else {
    return Error{fmt::format("a variable in the space '.{}' inside a function is not supported", variable.space), place,
                 "", ExitCode::environment};
  }
  return {};
}

// "used_bytes_mask 4095": of the load that follows. Other pragmas are for compilers.
void FunctionDecoder::note(const ptx::Pragma& pragma) {
  constexpr std::string_view kUsedBytes = "used_bytes_mask ";
  for (const std::string& text : pragma.strings) {
    if (!text.starts_with(kUsedBytes)) continue;
    if (const auto mask = ptx::integer_value(std::string_view(text).substr(kUsedBytes.size())))
      used_bytes_ = static_cast<uint32_t>(mask->bits);
  }
}

Result<void> FunctionDecoder::decode_instruction(const ptx::Instruction& source) {
  syntax = &source;
  auto match = ptx::OpcodeMatcher::instance().match(source);
  if (!match) {
    Error problem = std::move(match).error();
    const Error placed = error(problem.message);
    problem.message = placed.message;
    problem.place = placed.place;
    return problem;
  }
  const ptx::OpcodePattern& pattern = *match->pattern;
  modifiers = &match->modifiers;
  table_row_ = pattern.row_index;
  operands.clear();
  group_sizes.clear();
  written_ = 0;
  Instruction out;
  instruction = &out;
  if (source.guard) ASSAY_CHECK(bind_guard(*source.guard, out));
  if (!pattern.raw_operands) ASSAY_CHECK(bind_operands(pattern));
  const Binder binder = binder_of(pattern.row->name);
  if (binder == nullptr)
    return error(fmt::format("the row '{}' of the opcode table has no handler", pattern.row->name));
  ASSAY_TRY(out.handler, binder(*this));
  if (pattern.row->fidelity == ptx::Fidelity::approximate) {
    std::string name = program_.opcodes[static_cast<size_t>(opcode_number(source))];
    auto& list = program_.approximate;
    if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(std::move(name));
  }
  emit(out, source.position, table_row_, operands, written_);
  return {};
}

Result<void> FunctionDecoder::bind_guard(const ptx::Guard& guard, Instruction& out) {
  const auto found = find_register(guard.predicate);
  if (!found || found->bits != 1)
    return error(fmt::format("the guard '{}' is not a predicate register", guard.predicate));
  out.guard = found->row;
  out.guard_negated = guard.negated;
  return {};
}

int FunctionDecoder::opcode_number(const ptx::Instruction& source) {
  std::string name = source.opcode;
  for (const std::string& modifier : source.modifiers) {
    name += '.';
    name += modifier;
  }
  const auto [entry, fresh] = program_.opcode_index.try_emplace(name, static_cast<int>(program_.opcodes.size()));
  if (fresh) program_.opcodes.push_back(std::move(name));
  return entry->second;
}

void FunctionDecoder::emit(const Instruction& out, const ptx::TextPosition& position, int table_row,
                           const std::vector<BoundOperand>& bound, size_t written) {
  row_starts_.push_back(function->row_pool.size());
  for (const BoundOperand& operand : bound) {
    function->row_pool.push_back(operand.row);
    function->row_info.push_back({static_cast<uint8_t>(operand.bits / 8), operand.is_address, operand.is_lane_parameter,
                                  operand.shared_variable});
  }
  function->code.push_back(out);
  function->code.back().row_count = static_cast<uint16_t>(bound.size());
  function->origins.push_back({position.line, locations_.current(), table_row, opcode_number(*syntax), used_bytes_,
                               static_cast<uint16_t>(written)});
  used_bytes_ = InstructionOrigin::kAllBytes;
}

Result<void> FunctionDecoder::finish() {
  for (const auto& [at, number] : branches_) {
    const uint32_t target = label_targets_[static_cast<size_t>(number)];
    function->code[at].immediate = target;
  }
  for (auto& table : function->branch_tables) {
    for (uint32_t& target : table) target = label_targets_[target];
  }
  for (size_t i = 0; i < function->code.size(); ++i)
    function->code[i].rows = function->row_pool.data() + row_starts_[i];
  function->static_shared_bytes = std::max(function->static_shared_bytes, layout_.shared_bytes);
  return {};
}

Result<uint32_t> FunctionDecoder::label(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->labels.find(name);
    if (found == scope->labels.end()) continue;
    branches_.emplace_back(function->code.size(), found->second);
    return static_cast<uint32_t>(found->second);
  }
  return error(fmt::format("there is no label '{}' here", name));
}

Result<int32_t> FunctionDecoder::function_named(const std::string& name) {
  const auto found = program_.function_index.find(name);
  if (found == program_.function_index.end()) return error(fmt::format("there is no function '{}'", name));
  return found->second;
}

Result<CallSite::Copy> FunctionDecoder::call_parameter(const std::string& name) {
  const auto variable = find_variable(name);
  if (!variable || variable->symbol.space != Space::parameter || variable->entry_parameter) {
    return error(fmt::format("'{}' is not a .param variable of this function", name));
  }
  return CallSite::Copy{static_cast<uint32_t>(variable->symbol.address), static_cast<uint32_t>(variable->symbol.bytes)};
}

Result<std::vector<std::string>> FunctionDecoder::target_list(const std::string& name) {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->target_lists.find(name);
    if (found != scope->target_lists.end()) return found->second;
  }
  return error(fmt::format("there is no list of targets '{}'", name));
}

Error FunctionDecoder::error(std::string message) const {
  Error problem{std::move(message), {program_.file_name, 0, 0}};
  if (syntax == nullptr) return problem;
  problem.place.line = syntax->position.line;
  problem.place.column = syntax->position.column;
  const auto chain = program_.source_chain(locations_.current());
  if (!chain.empty()) {
    problem.message += fmt::format(" (source {}:{} in {})", chain.front().file, chain.front().line, source_.name);
  } else {
    problem.message += fmt::format(" (in {})", source_.name);
  }
  return problem;
}

}  // namespace assay::vgpu
