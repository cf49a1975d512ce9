// SPDX-License-Identifier: MIT
#include "vgpu/observe/reads_in_flight.hpp"

#include <algorithm>

namespace assay::vgpu {

ReadsInFlight::Batch& ReadsInFlight::batch(Unit unit, size_t warp, int lane, uint32_t group, size_t instruction) {
  for (auto known = batches_.rbegin(); known != batches_.rend(); ++known) {
    if (!known->complete && known->unit == unit && known->warp == warp && known->lane == lane && known->group == group)
      return *known;
  }
  if (batches_.size() >= kMostBatches) {
    const auto oldest = std::ranges::find_if(batches_, &Batch::complete);
    if (oldest != batches_.end()) {
      for (size_t at = 0; at < count_; ++at)
        readers_[at] = static_cast<uint16_t>(readers_[at] - (oldest->has(at) ? 1 : 0));
      batches_.erase(oldest);
    }
  }
  Batch made;
  made.unit = unit;
  made.warp = warp;
  made.lane = lane;
  made.group = group;
  made.instruction = instruction;
  made.units.resize((count_ + 63) / 64);
  batches_.push_back(std::move(made));
  return batches_.back();
}

void ReadsInFlight::read(Batch& batch, uint64_t offset, uint64_t bytes) {
  for (uint64_t at = offset / kUnit; at * kUnit < offset + bytes && at < count_; ++at) {
    uint64_t& word = batch.units[at / 64];
    const uint64_t bit = uint64_t{1} << at % 64;
    if ((word & bit) != 0) continue;
    word |= bit;
    ++batch.left;
    ++readers_[at];
  }
}

void ReadsInFlight::complete(Unit unit, size_t warp, int lane, uint32_t group, Stamp stamp) {
  for (Batch& batch : batches_) {
    const bool mine = batch.unit == unit && batch.warp == warp && batch.lane == lane && batch.group < group;
    if (!mine || batch.complete) continue;
    batch.complete = true;
    batch.stamp = stamp;
  }
}

const ReadsInFlight::Batch* ReadsInFlight::incomplete(Unit unit, size_t warp, int lane) const {
  const auto found = std::ranges::find_if(batches_, [&](const Batch& batch) {
    return !batch.complete && batch.unit == unit && batch.warp == warp && batch.lane == lane && batch.left > 0;
  });
  return found != batches_.end() ? &*found : nullptr;
}

}  // namespace assay::vgpu
