// SPDX-License-Identifier: MIT
// Types as debug information describes them: how large they are, and which pointers and numbers one consists of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/kernel_signature.hpp"
#include "build/source_declaration.hpp"
#include "ptx/debug_info.hpp"

namespace assay::build {

// The numbers and pointers of one type, each at its place.
struct DebugLayout {
  std::vector<SignatureValue> values;
  std::vector<std::string> notes;  // what is no number or pointer of ours, and stays zero
};

class DebugTypes {
 public:
  explicit DebugTypes(const ptx::DebugInfo& info) : info_(info) {}

  // Without typedef, const, volatile and restrict. Null for void, and for a chain without an end.
  const ptx::DebugEntry* plain(const ptx::DebugEntry* type) const;
  bool is_const(const ptx::DebugEntry* type) const;
  bool is_structure(const ptx::DebugEntry* type) const;
  std::optional<uint64_t> bytes(const ptx::DebugEntry* type, int depth = 0) const;
  // As C++ writes it: "float const*".
  std::string spelled(const ptx::DebugEntry* type, int depth = 0) const;
  // What it is as one element of a tensor, or as a number; nothing if it is none of ours.
  std::optional<ElementType> element(const ptx::DebugEntry* type) const;
  // Nothing if it nests too deeply, or its size or a member's place is not known.
  std::optional<DebugLayout> layout(const ptx::DebugEntry* type, const std::string& name, bool named_members) const;

 private:
  class Walk;

  std::optional<ElementType> known_element(const ptx::DebugEntry* type) const;

  const ptx::DebugInfo& info_;
};

// The elements of an array with all its dimensions; nothing if one is not known.
std::optional<std::vector<uint64_t>> dimensions_of(const ptx::DebugInfo& info, const ptx::DebugEntry& array);

}  // namespace assay::build
