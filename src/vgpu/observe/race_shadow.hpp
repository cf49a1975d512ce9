// SPDX-License-Identifier: MIT
// What the race check remembers of memory: of every word the last write and two reads that nothing orders. Words are
// taken apart into halves or bytes on a page where an access is narrower.
#pragma once

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
static_assert(sizeof(ShadowCell) == 30, "7.5 bytes for each byte of memory");

class Shadow {
 public:
  static constexpr uint64_t kPageBytes = 1024;

  // Calls body(cell, address, bytes) for the cells of the range.
  template <class Body>
  void for_each_cell(uint64_t address, uint64_t bytes, Body&& body) {
    while (bytes > 0) {
      Page& page = page_at(address / kPageBytes);
      const uint64_t in_page = address % kPageBytes;
      const uint64_t part = bytes < kPageBytes - in_page ? bytes : kPageBytes - in_page;
      page.refine(in_page | part);
      const uint64_t unit = uint64_t{1} << page.shift;
      for (uint64_t at = in_page; at < in_page + part; at += unit)
        body(page.cells[at >> page.shift], address - in_page + at, unit);
      address += part;
      bytes -= part;
    }
  }
  void clear() { pages_.clear(); }

 private:
  struct Page {
    uint32_t shift = 2;  // a cell holds 1 << shift bytes
    std::vector<ShadowCell> cells = std::vector<ShadowCell>(kPageBytes >> 2);

    // So that a cell is no larger than what these bits are a multiple of.
    void refine(uint64_t bits) {
      const uint32_t wanted = (bits & 1) != 0 ? 0 : (bits & 2) != 0 ? 1 : 2;
      while (shift > wanted) {
        std::vector<ShadowCell> finer(cells.size() * 2);
        for (size_t i = 0; i < finer.size(); ++i) finer[i] = cells[i / 2];
        cells = std::move(finer);
        --shift;
      }
    }
  };
  Page& page_at(uint64_t index) {
    if (index >= pages_.size()) pages_.resize(index + 1);
    auto& page = pages_[index];
    if (page == nullptr) page = std::make_unique<Page>();
    return *page;
  }

  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace assay::vgpu
