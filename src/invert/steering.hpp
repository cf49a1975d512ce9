// SPDX-License-Identifier: MIT
// Kernels whose warps hand work to each other through mbarriers live by a protocol: who is a producer, which stage is
// next, how often a barrier is arrived at. A mutation that changes what steers it leaves a kernel that waits for ever.
// Experiments keep away from such instructions; a kernel without mbarriers has none.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "invert/kernel_text.hpp"

namespace assay::invert {

class Steering {
 public:
  explicit Steering(const std::vector<Line>& lines);

  // Its results decide where a warp goes, or what a barrier, an mbarrier or a bulk copy names.
  bool steers(const ptx::Instruction& instruction) const;
  // Another warp may read from there what steers it.
  bool may_carry(const ptx::Instruction& store) const;
  // A part of the warps does another work than the rest: threads cannot change places.
  bool warps_have_roles() const { return roles_; }
  // Somebody arrives at barriers that others wait at: a wait cannot be repeated without its arrival.
  bool barriers_are_handed_over() const { return handed_over_; }
  // Between these lines somebody arrives, waits, starts a copy, goes elsewhere or makes what steers: how many lanes
  // come there is part of the protocol.
  bool is_kept_between(const std::vector<Line>& lines, size_t first, size_t last) const;
  // How often such a branch is taken depends on the order of the warps.
  bool waits(const ptx::Instruction& branch) const;

 private:
  bool protocol_ = false;
  bool roles_ = false;
  bool handed_over_ = false;
  bool through_shared_ = false;
  std::set<std::string> registers_;  // that steer
  std::set<std::string> waiting_;    // predicates that tell whether an mbarrier is through
};

}  // namespace assay::invert
