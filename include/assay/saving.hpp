// SPDX-License-Identifier: MIT
// What a stop rule saved: work that was asked for and not begun, and an estimate of its time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace assay::work {

struct Saving {
  size_t shapes = 0;                 // that were not measured
  size_t evaluations = 0;            // of configurations, at most
  std::vector<std::string> steps{};  // that were not begun: "profile"
  std::optional<double> seconds{};   // of the shapes or the evaluations; always estimated
  std::string how{};                 // what the estimate rests on
};

// "5 shapes and profile not measured, about 12 s saved (estimated: ...)"
std::string saving_text(const Saving& saving);

}  // namespace assay::work
