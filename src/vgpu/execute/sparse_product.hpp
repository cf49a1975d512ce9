// SPDX-License-Identifier: MIT
// mma.sp: products whose first matrix has half of its elements, and metadata that says which.
#pragma once

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

Result<Handler> bind_sparse_float(BindContext& context);
Result<Handler> bind_sparse_integer(BindContext& context);

}  // namespace assay::vgpu
