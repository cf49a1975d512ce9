// SPDX-License-Identifier: MIT
// What the race check remembers of memory: of every cell the last write and two reads that nothing orders. A page
// begins with cells as wide as its first access, and takes them apart where an access is narrower. Pages that nobody
// looks at are packed: neighbouring cells mostly differ by the lane alone.
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

  // Pages are packed as soon as the open ones take more than `open_bytes`.
  explicit Shadow(size_t open_bytes = kOpenBytes) : most_open_(open_bytes) {}

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
  void clear();
  size_t bytes() const { return open_ + packed_; }  // of all pages

 private:
  static constexpr size_t kOpenBytes = 64 << 20;

  // Cells of which each differs from the one before by the same step in who made its accesses.
  struct Run {
    ShadowCell first;
    uint16_t count = 1;
    uint32_t write_step = 0;
    uint32_t read_steps[2] = {0, 0};
  };
  struct Page {
    uint32_t shift = 0;             // a cell holds 1 << shift bytes
    std::vector<ShadowCell> cells;  // empty while the page is packed
    std::vector<Run> runs;
  };

  // So that a cell is no larger than what these bits are a multiple of.
  static uint32_t shift_for(uint64_t bits) {
    const auto zeros = static_cast<uint32_t>(std::countr_zero(bits));
    return zeros < kLargestShift ? zeros : kLargestShift;
  }
  Page& page_at(uint64_t index, uint64_t bits) {
    if (last_ == nullptr || index != last_index_) open(index, bits);
    if ((bits & ((uint64_t{1} << last_->shift) - 1)) != 0) refine(*last_, shift_for(bits));
    return *last_;
  }
  void open(uint64_t index, uint64_t bits);
  void refine(Page& page, uint32_t shift);
  void pack_others();
  static bool continues(const Run& run, const ShadowCell& cell);
  static std::vector<Run> runs_of(const std::vector<ShadowCell>& cells);
  static std::vector<ShadowCell> cells_of(const Page& page);

  std::vector<std::unique_ptr<Page>> pages_;
  Page* last_ = nullptr;  // that was asked for
  uint64_t last_index_ = 0;
  size_t most_open_;
  size_t open_ = 0;    // bytes of cells
  size_t packed_ = 0;  // bytes of runs, and of cells that no run holds
  size_t unpackable_ = 0;
};

}  // namespace assay::vgpu
