// SPDX-License-Identifier: MIT
// What a kernel's PTX alone shows: whether it is a kernel that was seen before, and whether it looks at the
// machine it runs on or keeps something for its next launch.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace assay::evolve {

// Without comments, line information, spaces and the names that a compiler chose for registers and labels: two texts
// with the same normal form are the same program.
std::string normalised_ptx(std::string_view ptx);

struct PtxFacts {
  std::set<std::string> looks_at;  // registers that tell one machine or moment from another: "%clock64", "%smid"
  std::set<std::string> keeps;     // variables of the module that a launch can leave something in
  int stages = 1;                  // of a pipeline of asynchronous copies, at least
};
PtxFacts ptx_facts(std::string_view ptx);

}  // namespace assay::evolve
