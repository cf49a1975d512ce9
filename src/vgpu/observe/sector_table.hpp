// SPDX-License-Identifier: MIT
// What a block has done to each 32-byte sector of global memory: an open hash table, because every access asks it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace assay::vgpu {

struct SectorState {
  uint64_t sector = 0;         // address / 32
  double arrival[2] = {0, 0};  // when its data is in the L1: with data from L2, from DRAM
  uint32_t missed = 0;         // sectors that the last reader had missed by then
  uint32_t read_epoch = 0;     // barriers that were complete at the last read
  uint32_t write_epoch = 0;
  uint16_t reader = 0;  // the last warp that read it
  uint16_t writer = 0;
  bool used = false;
  bool read = false;
  bool written = false;
};

class SectorTable {
 private:
  template <class Slots>
  static auto& find(Slots& slots, uint64_t sector) {
    const size_t mask = slots.size() - 1;
    size_t at = static_cast<size_t>(sector * 0x9e37'79b9'7f4a'7c15U >> 20) & mask;
    while (slots[at].used && slots[at].sector != sector) at = (at + 1) & mask;
    return slots[at];
  }

 public:
  SectorTable() : slots_(kFirstSize) {}

  // Of this sector; a fresh one if it was never asked for. Good until the next call.
  SectorState& operator[](uint64_t sector) {
    if (2 * count_ >= slots_.size()) grow();
    SectorState& slot = find(slots_, sector);
    if (!slot.used) {
      slot.used = true;
      slot.sector = sector;
      ++count_;
    }
    return slot;
  }
  bool was_read(uint64_t sector) const {
    const SectorState& slot = find(slots_, sector);
    return slot.used && slot.read;
  }
  // Of this sector, or nullptr if it was never asked for.
  const SectorState* known(uint64_t sector) const {
    const SectorState& slot = find(slots_, sector);
    return slot.used ? &slot : nullptr;
  }
  template <class Body>
  void for_each(Body&& body) const {
    for (const SectorState& slot : slots_) {
      if (slot.used) body(slot);
    }
  }

 private:
  static constexpr size_t kFirstSize = 1024;  // a power of two

  void grow() {
    std::vector<SectorState> larger(2 * slots_.size());
    for (const SectorState& slot : slots_) {
      if (slot.used) find(larger, slot.sector) = slot;
    }
    slots_.swap(larger);
  }

  std::vector<SectorState> slots_;
  size_t count_ = 0;
};

}  // namespace assay::vgpu
