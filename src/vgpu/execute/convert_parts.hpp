// SPDX-License-Identifier: MIT
// The parts of the convert family that have files of their own; convert.cpp joins them.
#pragma once

#include <span>

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

std::span<const Binding> convert_integer_bindings();  // integer to integer, cvt.pack
std::span<const Binding> convert_mixed_bindings();    // between integers and floats
std::span<const Binding> convert_float_bindings();    // float to float
std::span<const Binding> convert_narrow_bindings();   // packed halves, fp8, tf32

}  // namespace assay::vgpu
