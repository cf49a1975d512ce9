// SPDX-License-Identifier: MIT
// What the gate says of one case, and of all.
#pragma once

#include <string_view>

namespace assay::judge {

enum class GateVerdict {
  pass,
  trade,  // some counters grew and some fell: for people to decide
  inconclusive,
  regression,
  incorrect,
};

std::string_view to_string(GateVerdict verdict);  // "PASS", ...

}  // namespace assay::judge
