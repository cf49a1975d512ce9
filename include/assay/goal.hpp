// SPDX-License-Identifier: MIT
// What a kernel is meant to reach ([goal] in kernel.toml), beside what it has reached.
#pragma once

#include <string>
#include <vector>

namespace assay::work {

struct GoalLine {
  std::string goal;   // "speed-up over sdpa at least 1.10 at 2 shapes of canonical"
  std::string state;  // "met", "not met", "not known"
  std::string found;  // "3 of 8 shapes, the best 1.31"; for what is not known: what would tell
};

// Whether every goal that is known is met, and at least one is.
inline bool goals_met(const std::vector<GoalLine>& lines) {
  bool any = false;
  for (const GoalLine& line : lines) {
    if (line.state == "not met") return false;
    any = any || line.state == "met";
  }
  return any;
}

}  // namespace assay::work
