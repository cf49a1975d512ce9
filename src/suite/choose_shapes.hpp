// SPDX-License-Identifier: MIT
// The shapes that a suite chooses of a kernel.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"
#include "suite/suite.hpp"

namespace assay::suite {

// Each once, in the file's order, the last axis of a grid and then the element type fastest. A shape of a list must
// meet the kernel's constraints; of a grid and of a set, those that do not are skipped, unless none is left.
Result<std::vector<spec::Shape>> choose_shapes(const spec::KernelSpec& spec, const ShapeChoice& choice,
                                               const Dtypes& dtypes);

}  // namespace assay::suite
