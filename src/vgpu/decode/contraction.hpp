// SPDX-License-Identifier: MIT
// Products and sums that ptxas may contract. `mul` and `add` (or `sub`) without a rounding modifier allow one fma of
// the two, which rounds once; with `.rn` they do not. Here they are found and, if wanted, fused: the product must have
// one use, in the same straight piece of code, and both must have the same type, .ftz included.
#pragma once

#include <cstdint>
#include <vector>

#include "ptx/syntax.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

// The pairs of a function. With `fuse` they are rewritten: the product goes, the sum becomes an fma.
std::vector<FusiblePair> contract(ptx::Function& function, int32_t number, bool fuse);

}  // namespace assay::vgpu
