// SPDX-License-Identifier: MIT
// Bulk copies between global and shared memory (cp.async.bulk). As with cp.async the data arrives as late as the
// program allows: loads when a thread waits for their mbarrier, stores when their thread waits for their group or ends.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "vgpu/machine/bulk_reduction.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

struct BulkCopy {
  struct Piece {
    std::byte* to;
    const std::byte* from;  // nullptr: filled
    uint32_t bytes;
  };
  std::vector<Piece> pieces;
  std::byte fill{0};          // of what lies outside a tensor
  Combine combine = nullptr;  // with what is there; nullptr: in its place
  uint32_t bytes = 0;         // that the mbarrier counts, those of fillings too

  void add(std::byte* to, const std::byte* from, uint32_t count);
  void perform() const;
};

// The stores of a warp's threads that may still be under way.
class BulkStores {
 public:
  void start();  // nothing is under way
  void issue(int lane, BulkCopy copy);
  void commit(LaneMask lanes);
  void wait(LaneMask lanes, uint32_t groups_left);
  void finish(LaneMask lanes);  // committed or not

 private:
  struct Pending {
    size_t lane;
    uint32_t group;  // the commit that covers it
    BulkCopy copy;
  };
  std::vector<Pending> pending_;
  std::array<uint32_t, kLanes> committed_{};
};

}  // namespace assay::vgpu
