// SPDX-License-Identifier: MIT
#include "measure/measurement.hpp"

#include <fmt/format.h>

namespace assay::measure {

std::string ContenderResult::objection() const {
  if (failure) return failure->message;
  if (const Guard* guard = guards.first_failure()) return fmt::format("{}: {}", guard->name, guard->detail);
  return timed() ? "" : "it was not timed";
}

}  // namespace assay::measure
