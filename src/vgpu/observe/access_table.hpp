// SPDX-License-Identifier: MIT
// The accesses that the race check's shadow names. The lanes of a warp that access memory by one instruction at one
// time share a record, so that a cell of the shadow needs four bytes for an access: the record, and the lane.
#pragma once

#include <array>
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
    strong = 1u << kStampBits,        // atomic, volatile or with an order
    wide = 2u << kStampBits,          // of a scope beyond the block
    asynchronous = 4u << kStampBits,  // by a copy
    noncoherent = 8u << kStampBits,   // a read through the read-only cache
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
  bool operator==(const AccessRecord&) const = default;
};
#pragma pack(pop)
static_assert(sizeof(AccessRecord) == 10);

// An access in a cell: its lane, whether other lanes of the warp made it too, and its record's index; 0: none.
using AccessMark = uint32_t;

class AccessTable {
 public:
  static constexpr AccessMark kLanes = (1u << AccessRecord::kLaneBits) - 1;
  static constexpr AccessMark kSeveral = kLanes + 1;
  static constexpr uint32_t kIndexShift = AccessRecord::kLaneBits + 1;
  static constexpr size_t kMost = size_t{1} << (32 - kIndexShift);

  AccessTable() { clear(); }

  // The mark of an access. Its records are those of a warp: their lane is 0.
  AccessMark mark(const AccessRecord& access) {
    AccessRecord record = access;
    record.who &= ~kLanes;
    if (record != records_[last_] || last_ == 0) last_ = find(record);
    return last_ << kIndexShift | (access.who & kLanes);
  }
  static uint32_t index_of(AccessMark mark) { return mark >> kIndexShift; }
  static int lane_of(AccessMark mark) { return static_cast<int>(mark & kLanes); }
  const AccessRecord& record(AccessMark mark) const { return records_[index_of(mark)]; }
  AccessRecord access(AccessMark mark) const {  // with its lane
    AccessRecord of = record(mark);
    of.who |= mark & kLanes;
    return of;
  }

  size_t size() const { return records_.size(); }
  // Changes when indices name other records than before.
  uint64_t generation() const { return generation_; }
  size_t bytes() const { return records_.capacity() * sizeof(AccessRecord); }
  void clear();
  // Keeps the records that `used` names, and says which index each of them has now.
  std::vector<uint32_t> keep(const std::vector<bool>& used);

 private:
  static constexpr size_t kRecent = 1024;
  uint32_t find(const AccessRecord& record);  // its index; it is added if it is none of the recent ones
  void add(const AccessRecord& record);

  std::vector<AccessRecord> records_;                      // the first one is none
  std::unique_ptr<std::array<uint32_t, kRecent>> recent_;  // indices by a hash of their records
  uint32_t last_ = 0;                                      // that was asked for
  uint64_t generation_ = 0;
};

}  // namespace assay::vgpu
