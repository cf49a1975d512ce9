// SPDX-License-Identifier: MIT
// Carry chains: add.cc, addc, sub.cc, subc, mad.cc, madc. The carry is a bit per lane of the warp.
#pragma once

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

Result<Handler> bind_add_carry(BindContext& context);
Result<Handler> bind_subtract_borrow(BindContext& context);
Result<Handler> bind_multiply_add_carry(BindContext& context);

}  // namespace assay::vgpu
