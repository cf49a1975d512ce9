// SPDX-License-Identifier: MIT
// The virtual GPU: a model, its memory, and the modules loaded into it.
#pragma once

#include <memory>
#include <vector>

#include "base/result.hpp"
#include "gpu/gpu_model.hpp"
#include "vgpu/machine/global_memory.hpp"
#include "vgpu/machine/grid.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

class Gpu {
 public:
  explicit Gpu(const gpu::GpuModel& model) : model_(model) {}

  const gpu::GpuModel& model() const { return model_; }
  GlobalMemory& memory() { return memory_; }
  TextureTable& textures() { return textures_; }

  // Keeps a decoded module for as long as the GPU lives; decode.hpp makes one of PTX.
  const Program* keep(std::unique_ptr<Program> program);

  // Launch errors (geometry, shared memory, parameters) are Results; what goes wrong inside is in LaunchResult::fault.
  Result<LaunchResult> launch(const Launch& launch);

 private:
  Result<void> check(const Launch& launch) const;
  Result<void> check_cluster(const Launch& launch) const;

  const gpu::GpuModel& model_;
  GlobalMemory memory_;
  TextureTable textures_;
  std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace assay::vgpu
