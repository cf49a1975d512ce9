// SPDX-License-Identifier: MIT
// Runners for functions whose operands and result have one type. The function's type is spelled out, so that the name
// of an overloaded function is enough.
#pragma once

#include "vgpu/execute/lanes.hpp"

namespace assay::vgpu {

template <class T, T (*F)(T)>
using UnaryLanes = Lanes<F, T, T>;

template <class T, T (*F)(T, T)>
using BinaryLanes = Lanes<F, T, T, T>;

template <class T, T (*F)(T, T, T)>
using TernaryLanes = Lanes<F, T, T, T, T>;

}  // namespace assay::vgpu
