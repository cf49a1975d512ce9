// SPDX-License-Identifier: MIT
// A bounds-checked view of a 64-bit little-endian ELF file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::build {

struct ElfSection {
  std::string_view name;
  uint32_t type = 0;
  uint64_t flags = 0;
  uint64_t size = 0;
  uint32_t link = 0;
  uint32_t info = 0;
  std::string_view bytes;  // empty for sections that take no room in the file
};

struct ElfSymbol {
  std::string_view name;
  uint8_t info = 0;
  uint8_t other = 0;
  uint16_t section = 0;

  int type() const { return info & 0xf; }
};

class ElfView {
 public:
  static Result<ElfView> open(std::string_view bytes);

  uint16_t type() const { return type_; }
  uint16_t machine() const { return machine_; }
  uint32_t flags() const { return flags_; }
  uint8_t os_abi() const { return os_abi_; }
  const std::vector<ElfSection>& sections() const { return sections_; }
  const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  const ElfSection* find_section(std::string_view name) const;

 private:
  void read_symbols();

  uint16_t type_ = 0;
  uint16_t machine_ = 0;
  uint32_t flags_ = 0;
  uint8_t os_abi_ = 0;
  std::vector<ElfSection> sections_;
  std::vector<ElfSymbol> symbols_;
};

// The little-endian number at `offset`, or nothing if it does not lie within the bytes.
template <class T>
std::optional<T> read_number(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

}  // namespace assay::build
