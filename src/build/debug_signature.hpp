// SPDX-License-Identifier: MIT
// What debug information says of a kernel's parameters: names, types, and the members of structures where the compiler
// placed them.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "build/kernel_signature.hpp"
#include "build/source_declaration.hpp"
#include "ptx/debug_info.hpp"

namespace assay::build {

class DebugSignatures {
 public:
  explicit DebugSignatures(const ptx::DebugInfo& info);

  // Of the kernel that PTX calls `entry`, in order; nothing if it is not described. `bytes` are those of its parameters
  // in PTX. A parameter that debug information tells otherwise, or not all of, has no values, and `missing` says why.
  std::optional<std::vector<SignatureParameter>> parameters(const std::string& entry, const std::vector<size_t>& bytes,
                                                            std::vector<std::string>& missing) const;

  // What the elements of a variable are, by its name in PTX.
  std::optional<ElementType> variable(const std::string& name) const;

 private:
  const ptx::DebugInfo& info_;
  std::map<std::string, const ptx::DebugEntry*, std::less<>> functions_;
  std::map<std::string, const ptx::DebugEntry*, std::less<>> variables_;
};

}  // namespace assay::build
