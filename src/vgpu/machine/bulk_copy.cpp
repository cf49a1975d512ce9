// SPDX-License-Identifier: MIT
#include "vgpu/machine/bulk_copy.hpp"

#include <bit>
#include <cstring>

namespace assay::vgpu {

void BulkCopy::add(std::byte* to, const std::byte* from, uint32_t count) {
  if (!pieces.empty()) {
    Piece& last = pieces.back();
    const bool goes_on =
        from == nullptr ? last.from == nullptr : last.from != nullptr && last.from + last.bytes == from;
    if (goes_on && last.to + last.bytes == to) {
      last.bytes += count;
      return;
    }
  }
  pieces.push_back({to, from, count});
}

void BulkCopy::perform() const {
  for (const Piece& piece : pieces) {
    if (combine != nullptr) {
      combine(piece.to, piece.from, piece.bytes);
    } else if (piece.from != nullptr) {
      std::memcpy(piece.to, piece.from, piece.bytes);
    } else {
      std::memset(piece.to, static_cast<int>(fill), piece.bytes);
    }
  }
}

void BulkStores::start() {
  pending_.clear();
  committed_.fill(0);
}

void BulkStores::issue(int lane, BulkCopy copy) {
  const auto at = static_cast<size_t>(lane);
  pending_.push_back({at, committed_[at], std::move(copy)});
}

void BulkStores::commit(LaneMask lanes) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) ++committed_[static_cast<size_t>(std::countr_zero(left))];
}

void BulkStores::wait(LaneMask lanes, uint32_t groups_left) {
  std::erase_if(pending_, [&](const Pending& store) {
    // Group g of a lane is complete when at most `groups_left` later commits of that lane are still open.
    if ((lanes >> store.lane & 1) == 0 || store.group + uint64_t{groups_left} >= committed_[store.lane]) return false;
    store.copy.perform();
    return true;
  });
}

void BulkStores::finish(LaneMask lanes) {
  std::erase_if(pending_, [&](const Pending& store) {
    if ((lanes >> store.lane & 1) == 0) return false;
    store.copy.perform();
    return true;
  });
}

}  // namespace assay::vgpu
