// SPDX-License-Identifier: MIT
#include "vgpu/decode/module_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "ptx/type.hpp"

namespace assay::vgpu {
namespace {

constexpr uint64_t kLargestVariable = uint64_t{1} << 30;

Error error_at(const std::string& file_name, const ptx::TextPosition& position, std::string message) {
  return Error{std::move(message), Place{file_name, position.line, position.column}, "", ExitCode::usage};
}

// Writes an initialiser into the variable's bytes, element after element.
class InitializerWriter {
 public:
  InitializerWriter(const ModuleLayout& layout, const Program& program, const ptx::Variable& variable, std::byte* bytes,
                    uint64_t size, const std::string& file_name)
      : layout_(layout), program_(program), variable_(variable), bytes_(bytes), size_(size), file_name_(file_name) {
    element_bytes_ = static_cast<uint64_t>(ptx::bytes_of(ptx::type_named(variable.type).value_or(ptx::Type::b8)));
  }

  Result<void> write(const ptx::Initializer& initializer) {
    if (const auto* list = std::get_if<ptx::InitializerList>(&initializer.value)) {
      for (const ptx::Initializer& element : *list) ASSAY_CHECK(write(element));
      return {};
    }
    ASSAY_TRY(const uint64_t bits, value_of(initializer));
    if (size_ - at_ < element_bytes_) return error("more initial values than the variable has elements");
    std::memcpy(bytes_ + at_, &bits, element_bytes_);
    at_ += element_bytes_;
    return {};
  }

 private:
  Error error(std::string message) const {
    return error_at(file_name_, variable_.position, fmt::format("variable '{}': {}", variable_.name, message));
  }

  Result<uint64_t> value_of(const ptx::Initializer& initializer) const {
    if (const auto* integer = std::get_if<ptx::IntegerLiteral>(&initializer.value)) return integer->bits;
    if (const auto* real = std::get_if<ptx::FloatLiteral>(&initializer.value)) {
      if (element_bytes_ == 4 && real->width == 64) {
        return uint64_t{std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(real->bits)))};
      }
      if (element_bytes_ == 8 && real->width == 32) {
        return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(real->bits))));
      }
      return real->bits;
    }
    const auto& symbol = std::get<ptx::SymbolAddress>(initializer.value);
    uint64_t address = 0;
    if (const auto function = program_.function_index.find(symbol.name); function != program_.function_index.end()) {
      address = function_address(function->second);
    } else if (const auto found = layout_.symbols.find(symbol.name); found != layout_.symbols.end()) {
      address = found->second.address + (symbol.generic ? window_base(found->second.space) : 0);
    } else {
      return error(fmt::format("the initial value names '{}', which is not declared before it", symbol.name));
    }
    address += static_cast<uint64_t>(symbol.offset);
    if (symbol.mask) address = *symbol.mask == 0 ? 0 : (address & *symbol.mask) >> std::countr_zero(*symbol.mask);
    return address;
  }

  const ModuleLayout& layout_;
  const Program& program_;
  const ptx::Variable& variable_;
  std::byte* bytes_;
  uint64_t size_;
  const std::string& file_name_;
  uint64_t element_bytes_ = 1;
  uint64_t at_ = 0;
};

Result<void> place_global(const ptx::Variable& variable, const std::string& file_name, GlobalMemory& memory,
                          Program& program, ModuleLayout& layout) {
  ASSAY_TRY(const uint64_t bytes, variable_bytes(variable, file_name));
  ASSAY_TRY(const uint64_t address,
            memory.allocate(bytes, variable.name, std::max<uint64_t>(256, variable_alignment(variable))));
  // Its bytes are zero already: no address is given out twice. Writing them would take memory for all of a large one.
  layout.symbols[variable.name] = {Space::global, address, bytes};
  program.global_symbols[variable.name] = address;
  return {};
}

Result<void> place_constant(const ptx::Variable& variable, const std::string& file_name, Program& program,
                            ModuleLayout& layout) {
  ASSAY_TRY(const uint64_t bytes, variable_bytes(variable, file_name));
  constexpr uint64_t kConstantBankBytes = 65536;
  const uint64_t offset = round_up(program.constant_bank.size(), std::max<uint64_t>(8, variable_alignment(variable)));
  if (offset + bytes > kConstantBankBytes) {
    return error_at(file_name, variable.position,
                    fmt::format("constant variables need more than {} bytes", kConstantBankBytes));
  }
  program.constant_bank.resize(offset + bytes);
  layout.symbols[variable.name] = {Space::constant, offset, bytes};
  program.constant_variables.push_back({variable.name, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes)});
  return {};
}

Result<void> place_shared(const ptx::Variable& variable, const std::string& file_name, Program& program,
                          ModuleLayout& layout) {
  const bool dynamic = !variable.dimensions.empty() && variable.dimensions[0] < 0;
  if (dynamic) {
    layout.symbols[variable.name] = {Space::shared, 0, 0, true};
    layout.dynamic_shared_alignment =
        std::max(layout.dynamic_shared_alignment, static_cast<uint32_t>(variable_alignment(variable)));
    return {};
  }
  ASSAY_TRY(const uint64_t bytes, variable_bytes(variable, file_name));
  const uint64_t offset = round_up(layout.shared_bytes, variable_alignment(variable));
  if (offset + bytes > kLargestVariable)
    return error_at(file_name, variable.position, "the module's shared variables are too large");
  layout.shared_bytes = static_cast<uint32_t>(offset + bytes);
  layout.symbols[variable.name] = {Space::shared, offset, bytes};
  program.shared_variables.push_back({variable.name, static_cast<uint32_t>(offset), static_cast<uint32_t>(bytes), -1});
  return {};
}

}  // namespace

uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

uint64_t variable_alignment(const ptx::Variable& variable) {
  if (variable.alignment > 0) return static_cast<uint64_t>(variable.alignment);
  const auto type = ptx::type_named(variable.type);
  return static_cast<uint64_t>(type ? std::max(1, ptx::bytes_of(*type)) : 8) *
         static_cast<uint64_t>(variable.vector_width);
}

Result<uint64_t> variable_bytes(const ptx::Variable& variable, const std::string& file_name) {
  const auto type = ptx::type_named(variable.type);
  if (!type) {
    return Error{fmt::format("variable '{}' has the type '.{}', which the virtual GPU does not have", variable.name,
                             variable.type),
                 Place{file_name, variable.position.line, variable.position.column}, "", ExitCode::environment};
  }
  uint64_t bytes = static_cast<uint64_t>(ptx::bytes_of(*type)) * static_cast<uint64_t>(variable.vector_width);
  for (const int64_t dimension : variable.dimensions) {
    uint64_t count = dimension > 0 ? static_cast<uint64_t>(dimension) : 0;
    // "[]" with initial values is as long as they are.
    if (dimension < 0 && variable.initializer) {
      const auto* list = std::get_if<ptx::InitializerList>(&variable.initializer->value);
      count = list != nullptr ? list->size() : 1;
    }
    if (count > kLargestVariable || bytes * count > kLargestVariable) {
      return error_at(file_name, variable.position, fmt::format("variable '{}' is larger than 1 GiB", variable.name));
    }
    bytes *= count;
  }
  return bytes;
}

Result<ModuleLayout> lay_out(const ptx::Module& module, const std::string& file_name, GlobalMemory& memory,
                             Program& program) {
  ModuleLayout layout;
  for (const ptx::ModuleItem& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr) continue;
    if (variable->space == "global") {
      ASSAY_CHECK(place_global(*variable, file_name, memory, program, layout));
    } else if (variable->space == "const") {
      ASSAY_CHECK(place_constant(*variable, file_name, program, layout));
    } else if (variable->space == "shared") {
      ASSAY_CHECK(place_shared(*variable, file_name, program, layout));
    } else {
      return error_at(file_name, variable->position,
                      fmt::format("variable '{}' in the space '.{}' is not supported at module scope", variable->name,
                                  variable->space));
    }
  }
  // Initial values come last, since they may name any variable.
  for (const ptx::ModuleItem& item : module.items) {
    const auto* variable = std::get_if<ptx::Variable>(&item);
    if (variable == nullptr || !variable->initializer) continue;
    const Symbol& symbol = layout.symbols.at(variable->name);
    if (symbol.space == Space::shared) continue;  // shared memory has no initial values
    std::byte* bytes =
        symbol.space == Space::global ? memory.host(symbol.address) : program.constant_bank.data() + symbol.address;
    ASSAY_CHECK(
        InitializerWriter(layout, program, *variable, bytes, symbol.bytes, file_name).write(*variable->initializer));
  }
  return layout;
}

}  // namespace assay::vgpu
