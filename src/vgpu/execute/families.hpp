// SPDX-License-Identifier: MIT
// The bindings of each family; a family is a file, or a few, named after it.
#pragma once

#include <span>

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

std::span<const Binding> data_bindings();
std::span<const Binding> integer_bindings();
std::span<const Binding> bits_bindings();
std::span<const Binding> video_bindings();
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
std::span<const Binding> texture_bindings();

// Families of several files, joined by the file that has the family's name.
std::span<const Binding> float_division_bindings();     // div, rcp, sqrt with a rounding
std::span<const Binding> float_approximate_bindings();  // .approx and .full
std::span<const Binding> float_sign_bindings();         // neg, abs, min, max, copysign, testp
std::span<const Binding> half_sign_bindings();          // neg, abs, min, max
std::span<const Binding> half_approximate_bindings();   // ex2, tanh
std::span<const Binding> convert_integer_bindings();    // integer to integer, cvt.pack
std::span<const Binding> convert_mixed_bindings();      // between integers and floats
std::span<const Binding> convert_float_bindings();      // float to float
std::span<const Binding> convert_narrow_bindings();     // packed halves, fp8, tf32
std::span<const Binding> bulk_tensor_bindings();        // copies by tensor map
std::span<const Binding> surface_bindings();            // suld, sust, sured, suq

}  // namespace assay::vgpu
