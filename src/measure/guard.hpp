// SPDX-License-Identifier: MIT
// Guards: what was looked at so that a measurement cannot fool anybody, and what was seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace assay::measure {

enum class GuardState { passed, failed, unavailable };

std::string_view name(GuardState state);

struct Guard {
  std::string name;  // "fingerprint", "roofline", ...: docs/red_team.md lists them
  GuardState state = GuardState::passed;
  std::string detail;  // what was seen; for one that is unavailable, why
};

// One entry for each name: a failure stays, however often the guard passes later.
class Guards {
 public:
  void pass(const std::string& name, std::string detail = "");
  void fail(const std::string& name, std::string detail);
  void unavailable(const std::string& name, std::string why);

  const std::vector<Guard>& all() const { return guards_; }
  const Guard* first_failure() const;

 private:
  void enter(Guard guard);

  std::vector<Guard> guards_;
};

}  // namespace assay::measure
