// SPDX-License-Identifier: MIT
#include "judge/estimated_change.hpp"

#include <fmt/format.h>

namespace assay::judge {
namespace {

std::string text(const EstimatedTime& time) {
  return fmt::format("{:.3g} us ({:.3g} ... {:.3g})", time.us, time.low_us, time.high_us);
}

}  // namespace

std::string describe(const EstimatedChange& change) {
  const char* meaning = change.slower()   ? "slower beyond the error of the estimate"
                        : change.faster() ? "faster beyond the error of the estimate"
                                          : "within the error of the estimate";
  return fmt::format("estimated {}, the baseline {}: {}", text(change.candidate), text(change.baseline), meaning);
}

}  // namespace assay::judge
