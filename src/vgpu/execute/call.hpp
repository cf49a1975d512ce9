// SPDX-License-Identifier: MIT
// Calls: of functions in the module, of functions by address, and of the few that the system provides.
#pragma once

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

Result<Handler> bind_call(BindContext& context);

}  // namespace assay::vgpu
