// SPDX-License-Identifier: MIT
// The bindings of each family; one file per family, named after it.
#pragma once

#include <span>

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

std::span<const Binding> data_bindings();
std::span<const Binding> integer_bindings();
std::span<const Binding> bits_bindings();
std::span<const Binding> float_bindings();
std::span<const Binding> half_bindings();
std::span<const Binding> compare_bindings();
std::span<const Binding> convert_bindings();
std::span<const Binding> memory_bindings();
std::span<const Binding> atomic_bindings();
std::span<const Binding> async_bindings();
std::span<const Binding> mbarrier_bindings();
std::span<const Binding> bulk_bindings();
std::span<const Binding> cluster_bindings();
std::span<const Binding> control_bindings();
std::span<const Binding> barrier_bindings();
std::span<const Binding> warp_bindings();
std::span<const Binding> tensor_bindings();
std::span<const Binding> warpgroup_bindings();
std::span<const Binding> wmma_bindings();

}  // namespace assay::vgpu
