// SPDX-License-Identifier: MIT
#include "build/elf_view.hpp"

#include <bit>

static_assert(std::endian::native == std::endian::little, "cubins are little-endian, and so are our hosts");

namespace assay::build {
namespace {

// Offsets of the ELF64 header, section header and symbol (System V ABI, "Object Files").
constexpr size_t kHeaderBytes = 64;
constexpr size_t kSectionHeaderBytes = 64;
constexpr size_t kSymbolBytes = 24;
constexpr uint32_t kSymbolTable = 2;
constexpr uint32_t kNoBits = 8;

Error not_elf(std::string message) {
  return Error{std::move(message), {}, "", ExitCode::environment};
}

std::string_view slice(std::string_view bytes, uint64_t offset, uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) return {};
  return bytes.substr(offset, size);
}

// The zero-terminated text at `offset` of a string table; "" if it is not terminated within it.
std::string_view text_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const size_t end = table.find('\0', offset);
  return end == std::string_view::npos ? std::string_view() : table.substr(offset, end - offset);
}

ElfSection read_section(std::string_view bytes, uint64_t at) {
  ElfSection section;
  section.type = *read_number<uint32_t>(bytes, at + 4);
  section.flags = *read_number<uint64_t>(bytes, at + 8);
  section.size = *read_number<uint64_t>(bytes, at + 32);
  section.link = *read_number<uint32_t>(bytes, at + 40);
  section.info = *read_number<uint32_t>(bytes, at + 44);
  if (section.type != kNoBits) section.bytes = slice(bytes, *read_number<uint64_t>(bytes, at + 24), section.size);
  return section;
}

}  // namespace

Result<ElfView> ElfView::open(std::string_view bytes) {
  constexpr std::string_view kMagic =
      "\x7f"
      "ELF"
      "\x02\x01\x01";  // 64 bits, little-endian, version 1
  if (bytes.size() < kHeaderBytes || !bytes.starts_with(kMagic)) return not_elf("not a 64-bit little-endian ELF file");
  ElfView view;
  view.os_abi_ = static_cast<uint8_t>(bytes[7]);
  view.type_ = *read_number<uint16_t>(bytes, 16);
  view.machine_ = *read_number<uint16_t>(bytes, 18);
  view.flags_ = *read_number<uint32_t>(bytes, 48);
  const uint64_t table = *read_number<uint64_t>(bytes, 40);
  const uint16_t header_bytes = *read_number<uint16_t>(bytes, 58);
  const uint16_t count = *read_number<uint16_t>(bytes, 60);
  const uint16_t name_table = *read_number<uint16_t>(bytes, 62);
  if (header_bytes != kSectionHeaderBytes) return not_elf("the ELF file has section headers of an unknown size");
  if (slice(bytes, table, uint64_t{count} * kSectionHeaderBytes).empty()) {
    return not_elf("the ELF file ends before its section headers do");
  }
  for (uint64_t i = 0; i < count; ++i) view.sections_.push_back(read_section(bytes, table + i * kSectionHeaderBytes));
  if (name_table >= view.sections_.size()) return not_elf("the ELF file has no table of section names");
  const std::string_view names = view.sections_[name_table].bytes;
  for (uint64_t i = 0; i < count; ++i) {
    view.sections_[i].name = text_at(names, *read_number<uint32_t>(bytes, table + i * kSectionHeaderBytes));
  }
  view.read_symbols();
  return view;
}

void ElfView::read_symbols() {
  for (const ElfSection& section : sections_) {
    if (section.type != kSymbolTable || section.link >= sections_.size()) continue;
    const std::string_view names = sections_[section.link].bytes;
    for (uint64_t at = 0; at + kSymbolBytes <= section.bytes.size(); at += kSymbolBytes) {
      symbols_.push_back(ElfSymbol{.name = text_at(names, *read_number<uint32_t>(section.bytes, at)),
                                   .info = *read_number<uint8_t>(section.bytes, at + 4),
                                   .other = *read_number<uint8_t>(section.bytes, at + 5),
                                   .section = *read_number<uint16_t>(section.bytes, at + 6)});
    }
    return;
  }
}

const ElfSection* ElfView::find_section(std::string_view name) const {
  for (const ElfSection& section : sections_) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

}  // namespace assay::build
