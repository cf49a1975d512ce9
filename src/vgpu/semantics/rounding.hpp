// SPDX-License-Identifier: MIT
// The rounding modifiers of PTX. Integer rounding (.rni, .rzi, .rmi, .rpi) uses the same four directions.
#pragma once

#include <cstdint>

namespace assay::vgpu::semantics {

enum class Rounding : uint8_t {
  rn,   // to nearest, ties to even
  rz,   // toward zero
  rm,   // toward minus infinity
  rp,   // toward plus infinity
  rna,  // to nearest, ties away from zero (cvt to tf32 only)
};

}  // namespace assay::vgpu::semantics
