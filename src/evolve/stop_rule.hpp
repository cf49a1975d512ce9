// SPDX-License-Identifier: MIT
// When an evolution ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace assay::evolve {

struct StopRules {
  size_t proposals = 50;
  size_t patience = 20;          // proposals in a row without an accepted one
  size_t passes = 3;             // in a row
  std::optional<double> target;  // speedup over the first kernel
  std::optional<double> seconds;
  std::optional<double> gpu_seconds;
  std::optional<double> money;
  double margin = 0.01;  // of the floor
};

// How far it is.
struct Standing {
  size_t proposals = 0;
  size_t since_accepted = 0;
  size_t passes = 0;  // in a row
  double speedup = 1;
  double seconds = 0;
  double gpu_seconds = 0;
  double money = 0;
  double above_floor = 1;  // time of the incumbent over its floor, on the shape where it is largest
};

// Why it ends here; "" if it goes on.
std::string reason_to_stop(const StopRules& rules, const Standing& now);

}  // namespace assay::evolve
