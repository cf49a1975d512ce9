// SPDX-License-Identifier: MIT
// Gives every variable of a module its address and its first value.
#pragma once

#include <map>
#include <set>
#include <string>

#include "base/result.hpp"
#include "ptx/syntax.hpp"
#include "vgpu/machine/global_memory.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

struct Symbol {
  Space space = Space::global;
  uint64_t address = 0;  // inside the space
  uint64_t bytes = 0;
  bool dynamic_shared = false;  // .extern .shared: begins behind the kernel's static shared memory
};

struct ModuleLayout {
  std::map<std::string, Symbol> symbols;
  uint32_t shared_bytes = 0;  // of module-scope .shared variables
  uint32_t dynamic_shared_alignment = 16;
};

// The bytes of a variable, or an error if it is absurdly large.
Result<uint64_t> variable_bytes(const ptx::Variable& variable, const std::string& file_name);
uint64_t variable_alignment(const ptx::Variable& variable);
uint64_t round_up(uint64_t value, uint64_t unit);

Result<ModuleLayout> lay_out(const ptx::Module& module, const std::string& file_name, GlobalMemory& memory,
                             Program& program);

}  // namespace assay::vgpu
