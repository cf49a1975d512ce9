// SPDX-License-Identifier: MIT
// What is generally known of kernels and GPUs before any counter and any run, as far as names and values of parameters
// tell it: blocks of 128 to 512 threads in whole warps, a row of a block at least a warp wide, some work per thread,
// vectors of moderate width. Each is a distance (how far a configuration is from that) with an uncertain cost, a mean
// and a deviation, so that a few evaluations can overrule it.
#pragma once

#include <string>
#include <vector>

#include "tune/space.hpp"

namespace assay::tune {

struct Habit {
  std::string about;
  double cost = 0;              // of a distance of 1, as a logarithm of time
  double deviation = 0;         // of the cost
  std::vector<float> distance;  // of each configuration, at least 0 and at most kFarthest
};
inline constexpr double kFarthest = 2;

class GpuHabits {
 public:
  // None where names say nothing, or say the same of all configurations.
  explicit GpuHabits(const Space& space);

  bool empty() const { return list_.empty(); }
  const std::vector<Habit>& list() const { return list_; }
  double cost(size_t configuration) const { return costs_.empty() ? 0 : costs_[configuration]; }  // of all of them
  // How much they count after so many evaluations that ran: the times themselves say more than a rule of thumb then.
  static double weight(size_t evaluations);

 private:
  std::vector<Habit> list_;
  std::vector<double> costs_;
};

}  // namespace assay::tune
