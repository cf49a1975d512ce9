// SPDX-License-Identifier: MIT
// What the checks of a virtual GPU cost: the launches of one case without any, with each alone, and with all of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace assay::check {

struct CheckCosts {
  std::string shape;
  double bare_s = 0;                                 // without checks
  double all_s = 0;                                  // with all that were asked for
  std::vector<std::pair<std::string, double>> each;  // seconds with one alone

  double times(double seconds) const { return bare_s > 0 ? seconds / bare_s : 0; }
};

}  // namespace assay::check
