// SPDX-License-Identifier: MIT
// tensormap.replace and tensormap.cp_fenceproxy: kernels that change tensor maps, as those of grouped products do.
#pragma once

#include <span>

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

std::span<const Binding> tensor_map_bindings();

}  // namespace assay::vgpu
