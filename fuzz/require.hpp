// SPDX-License-Identifier: MIT
// What was read must keep its promises: an input for which it does not is kept by libFuzzer.
#pragma once

#include <cstdlib>

namespace assay::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace assay::fuzz
