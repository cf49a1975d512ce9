// SPDX-License-Identifier: MIT
// Matrices between shared memory and registers: ldmatrix, stmatrix, movmatrix.
#pragma once

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

Result<Handler> bind_load_matrix(BindContext& context);
Result<Handler> bind_store_matrix(BindContext& context);
Result<Handler> bind_transpose_matrix(BindContext& context);

}  // namespace assay::vgpu
