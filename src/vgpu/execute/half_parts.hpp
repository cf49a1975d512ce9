// SPDX-License-Identifier: MIT
// The parts of the half family that have files of their own; half.cpp joins them.
#pragma once

#include <span>

#include "vgpu/execute/binding.hpp"

namespace assay::vgpu {

std::span<const Binding> half_sign_bindings();         // neg, abs, min, max
std::span<const Binding> half_approximate_bindings();  // ex2, tanh

}  // namespace assay::vgpu
