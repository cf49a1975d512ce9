// SPDX-License-Identifier: MIT
// PTX text to a program that runs.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "gpu/gpu_model.hpp"
#include "vgpu/machine/global_memory.hpp"
#include "vgpu/machine/gpu.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

Result<std::unique_ptr<Program>> decode(std::string_view ptx, const std::string& file_name, GlobalMemory& memory,
                                        const gpu::GpuModel& model, const DecodeOptions& options = {});

// Decodes a module into the GPU's memory; the GPU keeps it. A kernel that cannot be executed says so, with the source
// line, when it is launched (Function::undecodable); the others of the module run.
Result<const Program*> load(Gpu& gpu, std::string_view ptx, const std::string& file_name,
                            const DecodeOptions& options = {});

}  // namespace assay::vgpu
