// SPDX-License-Identifier: MIT
#include "measure/guard.hpp"

#include <algorithm>

namespace assay::measure {

std::string_view name(GuardState state) {
  switch (state) {
    case GuardState::passed:
      return "passed";
    case GuardState::failed:
      return "failed";
    case GuardState::unavailable:
      break;
  }
  return "unavailable";
}

void Guards::pass(const std::string& name, std::string detail) {
  enter({name, GuardState::passed, std::move(detail)});
}

void Guards::fail(const std::string& name, std::string detail) {
  enter({name, GuardState::failed, std::move(detail)});
}

void Guards::unavailable(const std::string& name, std::string why) {
  enter({name, GuardState::unavailable, std::move(why)});
}

void Guards::enter(Guard guard) {
  const auto found =
      std::find_if(guards_.begin(), guards_.end(), [&](const Guard& each) { return each.name == guard.name; });
  if (found == guards_.end()) {
    guards_.push_back(std::move(guard));
  } else if (found->state != GuardState::failed && guard.state != GuardState::unavailable) {
    *found = std::move(guard);
  }
}

const Guard* Guards::first_failure() const {
  for (const Guard& guard : guards_) {
    if (guard.state == GuardState::failed) return &guard;
  }
  return nullptr;
}

}  // namespace assay::measure
