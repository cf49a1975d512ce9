// SPDX-License-Identifier: MIT
// What asynchronous units read from a block's shared memory: the sources of bulk stores and the operands of wgmma. Each
// operation reads until its thread or warp has waited for it, and somebody who overwrites the place must know of that.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "vgpu/observe/race_clock.hpp"

namespace assay::vgpu {

class ReadsInFlight {
 public:
  static constexpr uint32_t kUnit = 16;  // bytes: what bulk copies and matrix descriptors are made of

  enum class Unit : uint8_t { bulk_store, product };
  // The reads of one group of operations: a lane's bulk stores up to a commit, or a warp's products.
  struct Batch {
    Unit unit = Unit::product;
    size_t warp = 0;
    int lane = 0;            // of a bulk store
    uint32_t group = 0;      // of its lane or warp, counted from 0
    size_t instruction = 0;  // the number of the first one
    bool complete = false;   // somebody has waited
    Stamp stamp = 0;         // of that wait
    uint32_t left = 0;       // units that nobody has overwritten since
    std::vector<uint64_t> units;

    bool has(size_t at) const { return (units[at / 64] >> at % 64 & 1) != 0; }
  };

  explicit ReadsInFlight(uint32_t bytes) : count_((bytes + kUnit - 1) / kUnit), readers_(count_) {}

  // The batch of this group, which is made if there is none.
  Batch& batch(Unit unit, size_t warp, int lane, uint32_t group, size_t instruction);
  void read(Batch& batch, uint64_t offset, uint64_t bytes);
  // Groups below `group` are complete.
  void complete(Unit unit, size_t warp, int lane, uint32_t group, Stamp stamp);
  const Batch* incomplete(Unit unit, size_t warp, int lane) const;

  // Somebody overwrites these bytes. Calls body(batch) for each batch that reads or has read some of them; what is
  // overwritten is forgotten.
  template <class Body>
  void overwrite(uint64_t offset, uint64_t bytes, Body&& body) {
    for (uint64_t at = offset / kUnit; at * kUnit < offset + bytes && at < count_; ++at) {
      if (readers_[at] == 0) continue;
      for (Batch& batch : batches_) {
        if (!batch.has(at)) continue;
        body(static_cast<const Batch&>(batch));
        batch.units[at / 64] &= ~(uint64_t{1} << at % 64);
        --batch.left;
      }
      readers_[at] = 0;
    }
    std::erase_if(batches_, [](const Batch& batch) { return batch.complete && batch.left == 0; });
  }

 private:
  static constexpr size_t kMostBatches = 512;  // the oldest complete ones are forgotten

  size_t count_;
  std::vector<uint16_t> readers_;  // of each unit: batches that have it
  std::deque<Batch> batches_;
};

}  // namespace assay::vgpu
