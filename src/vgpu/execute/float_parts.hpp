// SPDX-License-Identifier: MIT
// The parts of the float family that have files of their own; float.cpp joins them.
#pragma once

#include <span>

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

std::span<const Binding> float_division_bindings();     // div, rcp, sqrt with a rounding
std::span<const Binding> float_approximate_bindings();  // .approx and .full
std::span<const Binding> float_sign_bindings();         // neg, abs, min, max, copysign, testp

}  // namespace assay::vgpu
