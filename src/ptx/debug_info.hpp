// SPDX-License-Identifier: MIT
// What a module's debug information (DWARF 2 to 4, `nvcc -G`) says of its functions, variables and types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "ptx/syntax.hpp"

namespace assay::ptx {

// The tags that describe what a kernel takes, as the DWARF standard numbers them.
enum class DebugTag : uint16_t {
  none = 0,
  array = 0x01,
  class_type = 0x02,
  enumeration = 0x04,
  formal_parameter = 0x05,
  member = 0x0d,
  pointer = 0x0f,
  reference = 0x10,
  structure = 0x13,
  typedef_type = 0x16,
  union_type = 0x17,
  inheritance = 0x1c,
  subrange = 0x21,
  base_type = 0x24,
  const_type = 0x26,
  subprogram = 0x2e,
  variable = 0x34,
  volatile_type = 0x35,
  restrict_type = 0x37,
  rvalue_reference = 0x42,
};

// How the bits of a base type are read.
enum class DebugEncoding : uint8_t {
  none = 0,
  boolean = 0x02,
  real = 0x04,
  signed_integer = 0x05,
  signed_char = 0x06,
  unsigned_integer = 0x07,
  unsigned_char = 0x08,
};

// One entry of the tree. Names are views into the DebugInfo that it belongs to.
struct DebugEntry {
  uint64_t offset = 0;  // in the section: others refer to it by this
  DebugTag tag = DebugTag::none;
  std::string_view name;
  std::string_view linkage_name;  // as PTX writes it
  std::optional<uint64_t> type;   // the offset of the type's entry
  std::optional<uint64_t> bytes;
  std::optional<uint64_t> location;     // of a member, in its structure
  std::optional<uint64_t> bits;         // of a bit-field
  std::optional<uint64_t> bit_offset;   // from the highest bit of its storage, `bytes` wide
  std::optional<uint64_t> data_bits;    // DWARF 4: from the start of the structure
  std::optional<uint64_t> count;        // of a subrange
  std::optional<uint64_t> upper_bound;  // the same less one
  DebugEncoding encoding = DebugEncoding::none;
  bool declaration = false;      // the whole is elsewhere
  std::vector<size_t> children;  // places in entries()
};

class DebugInfo {
 public:
  // Of a module without debug information nothing. An error says which byte cannot be read.
  static Result<DebugInfo> read(const Module& module);

  const std::vector<DebugEntry>& entries() const { return entries_; }
  const DebugEntry& child(const DebugEntry& parent, size_t index) const { return entries_[parent.children[index]]; }
  // Null if no entry begins there.
  const DebugEntry* at(uint64_t offset) const;
  // Null if the entry has no type, which means void, or names none that exists.
  const DebugEntry* type_of(const DebugEntry& entry) const { return entry.type ? at(*entry.type) : nullptr; }

 private:
  struct Sections {
    std::string abbreviations;
    std::string information;
    std::string strings;
  };

  std::shared_ptr<const Sections> sections_;
  std::vector<DebugEntry> entries_;  // in the order of their offsets

  friend class DebugUnitReader;
};

}  // namespace assay::ptx
