// SPDX-License-Identifier: MIT
// wmma.load and wmma.store: fragments from memory and to it.
#pragma once

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

Result<Handler> bind_wmma_load(BindContext& context);
Result<Handler> bind_wmma_store(BindContext& context);

}  // namespace assay::vgpu
