// SPDX-License-Identifier: MIT
// Plain loads that only guess what an atom.cas at the same place will find, as in the atomics that programs make of it:
// "old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen);". If the value is stale, the
// loop goes round once more.
#pragma once

#include <cstddef>
#include <vector>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

struct FirstGuess {
  size_t load, exchange;  // indices of the instructions
};
std::vector<FirstGuess> first_guesses(const Program& program, const Function& function);

}  // namespace assay::vgpu
