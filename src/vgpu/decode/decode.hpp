// SPDX-License-Identifier: MIT
// PTX text to a program that runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "vgpu/machine/global_memory.hpp"
#include "vgpu/machine/program.hpp"
#include "vgpu/models/gpu_model.hpp"

namespace assay::vgpu {

Result<std::unique_ptr<Program>> decode(std::string_view ptx, const std::string& file_name, GlobalMemory& memory,
                                        const GpuModel& model);

}  // namespace assay::vgpu
