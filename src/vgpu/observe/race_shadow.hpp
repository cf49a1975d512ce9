// SPDX-License-Identifier: MIT
// What the race check remembers of memory: of every cell the last write and two reads that nothing orders. A page
// begins with cells as wide as its first access, and takes them apart where an access is narrower.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace assay::vgpu {

// One access of one thread, in ten bytes.
#pragma pack(push, 2)
struct AccessRecord {
  static constexpr uint32_t kLaneBits = 5, kWarpBits = 7;
  static constexpr uint32_t kStampBits = 24;
  static constexpr uint32_t kUnderWay = (1u << kStampBits) - 1;  // a stamp that nobody knows: an asynchronous copy
  enum Flag : uint32_t {
    strong = 1u << kStampBits,  // atomic, volatile or with an order
    wide = 2u << kStampBits,    // of a scope beyond the block
    valid = 4u << kStampBits,
    several = 8u << kStampBits,        // lanes of the warp
    asynchronous = 16u << kStampBits,  // by a copy
    noncoherent = 32u << kStampBits,   // a read through the read-only cache
  };

  uint32_t who = 0;   // block, warp, lane
  uint32_t when = 0;  // stamp, flags
  uint16_t instruction = 0;

  static uint32_t name(uint32_t block, uint32_t warp, uint32_t lane) {
    return block << (kWarpBits + kLaneBits) | warp << kLaneBits | lane;
  }
  bool has(Flag flag) const { return (when & flag) != 0; }
  uint32_t block() const { return who >> (kWarpBits + kLaneBits); }
  uint32_t warp() const { return who >> kLaneBits & ((1u << kWarpBits) - 1); }
  int lane() const { return static_cast<int>(who & ((1u << kLaneBits) - 1)); }
  uint32_t stamp() const { return when & kUnderWay; }
};
struct ShadowCell {
  AccessRecord write;
  AccessRecord reads[2];
};
#pragma pack(pop)
static_assert(sizeof(ShadowCell) == 30, "7.5 bytes for each byte of memory that is accessed by words");

class Shadow {
 public:
  static constexpr uint64_t kPageBytes = 1024;
  static constexpr uint32_t kLargestShift = 4;  // a cell holds up to 16 bytes, as long as all accesses are as wide

  // Calls body(cell, address, bytes) for the cells of the range.
  template <class Body>
  void for_each_cell(uint64_t address, uint64_t bytes, Body&& body) {
    while (bytes > 0) {
      const uint64_t in_page = address % kPageBytes;
      const uint64_t part = bytes < kPageBytes - in_page ? bytes : kPageBytes - in_page;
      Page& page = page_at(address / kPageBytes, in_page | part);
      const uint64_t unit = uint64_t{1} << page.shift;
      for (uint64_t at = in_page; at < in_page + part; at += unit)
        body(page.cells[at >> page.shift], address - in_page + at, unit);
      address += part;
      bytes -= part;
    }
  }
  void clear() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  struct Page {
    uint32_t shift = 0;  // a cell holds 1 << shift bytes
    std::vector<ShadowCell> cells;
  };

  // So that a cell is no larger than what these bits are a multiple of.
  static uint32_t shift_for(uint64_t bits) {
    const auto zeros = static_cast<uint32_t>(std::countr_zero(bits));
    return zeros < kLargestShift ? zeros : kLargestShift;
  }
  Page& page_at(uint64_t index, uint64_t bits) {
    if (last_ == nullptr || index != last_index_) {
      if (index >= pages_.size()) pages_.resize(index + 1);
      auto& page = pages_[index];
      if (page == nullptr) {
        page = std::make_unique<Page>();
        page->shift = shift_for(bits);
        page->cells.resize(kPageBytes >> page->shift);
      }
      last_ = page.get();
      last_index_ = index;
    }
    if ((bits & ((uint64_t{1} << last_->shift) - 1)) != 0) refine(*last_, shift_for(bits));
    return *last_;
  }
  static void refine(Page& page, uint32_t shift) {
    const uint32_t by = page.shift - shift;
    std::vector<ShadowCell> finer(page.cells.size() << by);
    for (size_t i = 0; i < finer.size(); ++i) finer[i] = page.cells[i >> by];
    page.cells = std::move(finer);
    page.shift = shift;
  }

  std::vector<std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;  // that was asked for
  uint64_t last_index_ = 0;
};

}  // namespace assay::vgpu
