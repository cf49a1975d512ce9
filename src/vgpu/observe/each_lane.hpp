// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

// body(lane) for every lane of the mask, lowest first.
template <class Body>
void for_each(LaneMask lanes, Body body) {
  for (LaneMask left = lanes; left != 0; left &= left - 1) body(std::countr_zero(left));
}

}  // namespace assay::vgpu
