// SPDX-License-Identifier: MIT
// NVIDIA does not document the layout; what is relied on here was found by comparing cubins of several architectures
// with what `ptxas -v` says about them, and tests/build/cubin_test.cpp repeats that comparison with the installed
// compiler.
//
//   .nv.info             attributes that name a symbol: registers, stack frame
//   .nv.info.<entry>     attributes of one entry: barriers, launch bounds
//   .nv.shared.<entry>   its size is the static shared memory; from sm_90 on with the 1 KiB that the system reserves
//
// An attribute is: format (1 byte), code (1 byte), then 2 bytes that are the value itself (formats 1, 2, 3) or the
// number of bytes that follow (format 4).
#include "build/cubin.hpp"

#include <algorithm>
#include <map>

#include "build/elf_view.hpp"

namespace assay::build {
namespace {

constexpr uint16_t kMachineCuda = 190;
constexpr uint16_t kTypeExecutable = 2;
constexpr int kFunctionSymbol = 2;
constexpr uint8_t kEntryFlag = 0x10;        // of a symbol's st_other
constexpr uint8_t kAbiWithBarriers = 0x41;  // of e_ident: layout of CUDA 13; before, barriers are elsewhere
constexpr int64_t kReservedShared = 1024;

enum class Code : uint8_t {
  max_threads = 0x05,
  required_threads = 0x10,
  frame_size = 0x11,
  barriers = 0x4c,
  registers = 0x2f,
};

struct Attribute {
  uint8_t format = 0;
  uint8_t code = 0;
  uint16_t value = 0;        // formats 1 to 3
  std::string_view payload;  // format 4

  bool is(Code wanted) const { return code == static_cast<uint8_t>(wanted); }
};

// Empty as soon as something does not parse: after it nothing can be trusted to be aligned.
std::vector<Attribute> read_attributes(std::string_view bytes) {
  std::vector<Attribute> attributes;
  while (!bytes.empty()) {
    if (bytes.size() < 4) return {};
    Attribute attribute{.format = static_cast<uint8_t>(bytes[0]),
                        .code = static_cast<uint8_t>(bytes[1]),
                        .value = *read_number<uint16_t>(bytes, 2),
                        .payload = {}};
    bytes.remove_prefix(4);
    if (attribute.format == 4) {
      if (attribute.value > bytes.size()) return {};
      attribute.payload = bytes.substr(0, attribute.value);
      bytes.remove_prefix(attribute.value);
    } else if (attribute.format == 0 || attribute.format > 4) {
      return {};
    }
    attributes.push_back(attribute);
  }
  return attributes;
}

// A figure that is named twice with two values is not known.
class Figure {
 public:
  void see(int64_t value) {
    if (seen_ && value_ != value) value_.reset();
    if (!seen_) value_ = value;
    seen_ = true;
  }
  std::optional<int64_t> within(int64_t low, int64_t high) const {
    return value_ && *value_ >= low && *value_ <= high ? value_ : std::nullopt;
  }

 private:
  bool seen_ = false;
  std::optional<int64_t> value_;
};

std::optional<int> narrow(std::optional<int64_t> value) {
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

constexpr int kFirstKnown = 50;  // compute capabilities whose layout was looked at
constexpr int kLastKnown = 129;

// The compute capability times ten, or 0. It moved by one byte when the ABI changed.
int architecture(const ElfView& elf) {
  return static_cast<int>(elf.os_abi() == kAbiWithBarriers ? (elf.flags() >> 8) & 0xff : elf.flags() & 0xff);
}

struct SymbolFigures {
  Figure registers;
  Figure frame;
};

// By index into the symbol table.
std::map<uint32_t, SymbolFigures> figures_by_symbol(const ElfView& elf) {
  std::map<uint32_t, SymbolFigures> figures;
  const ElfSection* section = elf.find_section(".nv.info");
  if (section == nullptr) return figures;
  for (const Attribute& attribute : read_attributes(section->bytes)) {
    if (attribute.format != 4 || attribute.payload.size() != 8) continue;
    const uint32_t symbol = *read_number<uint32_t>(attribute.payload, 0);
    const int64_t value = *read_number<uint32_t>(attribute.payload, 4);
    if (attribute.is(Code::registers)) figures[symbol].registers.see(value);
    if (attribute.is(Code::frame_size)) figures[symbol].frame.see(value);
  }
  return figures;
}

void read_entry_attributes(const ElfView& elf, ResourceUsage& usage) {
  const ElfSection* section = elf.find_section(".nv.info." + usage.entry);
  if (section == nullptr) return;
  const std::vector<Attribute> attributes = read_attributes(section->bytes);
  if (attributes.empty()) return;
  Figure barriers, threads;
  if (elf.os_abi() == kAbiWithBarriers) barriers.see(0);
  for (const Attribute& attribute : attributes) {
    if (attribute.is(Code::barriers) && attribute.format == 2) {
      barriers = Figure();
      barriers.see(attribute.value & 0xff);
    }
    if ((attribute.is(Code::max_threads) || attribute.is(Code::required_threads)) && attribute.payload.size() == 12) {
      int64_t product = 1;
      for (uint64_t at = 0; at < 12; at += 4) {
        product = std::min<int64_t>(product * std::min<uint32_t>(*read_number<uint32_t>(attribute.payload, at), 65536),
                                    1 << 20);
      }
      threads.see(product);
    }
  }
  usage.barriers = narrow(barriers.within(0, 64));
  usage.max_threads = narrow(threads.within(1, 1024));
}

std::optional<int64_t> static_shared(const ElfView& elf, std::string_view entry) {
  const int sm = architecture(elf);
  if (sm < kFirstKnown || sm > kLastKnown) return std::nullopt;
  const int64_t reserved = sm >= 90 ? kReservedShared : 0;
  const ElfSection* section = elf.find_section(".nv.shared." + std::string(entry));
  if (section == nullptr) return reserved == 0 ? std::optional<int64_t>(0) : std::nullopt;
  constexpr uint64_t kMost = 1 << 20;
  if (section->size > kMost || static_cast<int64_t>(section->size) < reserved) return std::nullopt;
  return static_cast<int64_t>(section->size) - reserved;
}

// Before sm_90 the register count is also in the header of the code section. Zero there says nothing.
std::optional<int64_t> registers_of_code(const ElfView& elf, const ElfSymbol& symbol) {
  if (symbol.section >= elf.sections().size()) return std::nullopt;
  const uint32_t count = elf.sections()[symbol.section].info >> 24;
  return count > 0 ? std::optional<int64_t>(count) : std::nullopt;
}

}  // namespace

int cubin_architecture(std::string_view bytes) {
  const Result<ElfView> elf = ElfView::open(bytes);
  if (!elf || elf->machine() != kMachineCuda) return 0;
  const int sm = architecture(*elf);
  return sm < kFirstKnown || sm > kLastKnown ? 0 : sm;
}

Result<std::vector<ResourceUsage>> read_cubin(std::string_view bytes) {
  ASSAY_TRY(const ElfView elf, ElfView::open(bytes));
  if (elf.machine() != kMachineCuda || elf.type() != kTypeExecutable) {
    return Error{"an ELF file, but not a linked cubin", {}, "", ExitCode::environment};
  }
  std::map<uint32_t, SymbolFigures> figures = figures_by_symbol(elf);
  std::vector<ResourceUsage> usages;
  for (uint32_t i = 0; i < elf.symbols().size(); ++i) {
    const ElfSymbol& symbol = elf.symbols()[i];
    if (symbol.type() != kFunctionSymbol || (symbol.other & kEntryFlag) == 0 || symbol.name.empty()) continue;
    ResourceUsage usage{.entry = std::string(symbol.name)};
    if (const auto in_header = registers_of_code(elf, symbol)) figures[i].registers.see(*in_header);
    usage.registers = narrow(figures[i].registers.within(1, 255));
    usage.stack_bytes = figures[i].frame.within(0, int64_t{1} << 24);
    usage.static_shared_bytes = static_shared(elf, symbol.name);
    read_entry_attributes(elf, usage);
    usages.push_back(std::move(usage));
  }
  std::ranges::sort(usages, {}, &ResourceUsage::entry);
  return usages;
}

}  // namespace assay::build
