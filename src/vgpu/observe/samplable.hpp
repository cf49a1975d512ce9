// SPDX-License-Identifier: MIT
// Whether some blocks of a grid can run without the others: not if they take work from a common counter, or wait for
// what others write.
#pragma once

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

bool is_samplable(const Program& program);

}  // namespace assay::vgpu
