// SPDX-License-Identifier: MIT
// Asynchronous copies (cp.async). The data arrives as late as the program allows: when the issuing thread waits for
// it. A kernel that forgets to wait reads what was there before, on every run.
#include <bit>
#include <cstring>

#include "vgpu/machine/block.hpp"

namespace assay::vgpu {

void Warp::land(const PendingCopy& copy, int lane, const uint32_t* mbarrier) {
  const auto at = static_cast<size_t>(lane);
  std::memcpy(copy.target[at], copy.source[at], copy.source_bytes[at]);
  std::memset(copy.target[at] + copy.source_bytes[at], 0, copy.bytes - copy.source_bytes[at]);
  block().has_arrived(copy.target[at], copy.bytes);
  block().has_landed(copy.target[at], copy.bytes, this, lane, mbarrier);
}

void Warp::issue_copy(const PendingCopy& copy) {
  pending_copies_.push_back(copy);
  pending_copies_.back().group = committed_;
  pending_copies_.back().number = copies_issued_++;
}

void Warp::commit_copies() {
  for (LaneMask left = mask; left != 0; left &= left - 1) ++committed_[static_cast<size_t>(std::countr_zero(left))];
}

void Warp::wait_copies(uint32_t groups_left) {
  for (PendingCopy& copy : pending_copies_) {
    for (LaneMask left = copy.lanes & mask; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const auto at = static_cast<size_t>(lane);
      // Group g of a lane is complete when at most `groups_left` later commits of that lane are still open.
      const bool committed = copy.group[at] < committed_[at];
      if (!committed || copy.group[at] + groups_left >= committed_[at]) continue;
      land(copy, lane);
      copy.lanes &= ~(LaneMask{1} << lane);
    }
  }
  std::erase_if(pending_copies_, [](const PendingCopy& copy) { return copy.lanes == 0; });
}

void Warp::wait_all_copies() {
  for (PendingCopy& copy : pending_copies_) {
    for (LaneMask left = copy.lanes & mask; left != 0; left &= left - 1) land(copy, std::countr_zero(left));
    copy.lanes &= ~mask;
  }
  std::erase_if(pending_copies_, [](const PendingCopy& copy) { return copy.lanes == 0; });
}

void Warp::land_copies(int lane, uint64_t before, const uint32_t* mbarrier) {
  const LaneMask one = LaneMask{1} << lane;
  for (PendingCopy& copy : pending_copies_) {
    if ((copy.lanes & one) == 0 || copy.number >= before) continue;
    land(copy, lane, mbarrier);
    copy.lanes &= ~one;
  }
  std::erase_if(pending_copies_, [](const PendingCopy& copy) { return copy.lanes == 0; });
}

}  // namespace assay::vgpu
