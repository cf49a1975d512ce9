// SPDX-License-Identifier: MIT
// The virtual GPU: a model, its memory, and the modules loaded into it.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "vgpu/machine/global_memory.hpp"
#include "vgpu/machine/grid.hpp"
#include "vgpu/machine/program.hpp"
#include "vgpu/models/gpu_model.hpp"

namespace assay::vgpu {

class Gpu {
 public:
  explicit Gpu(const GpuModel& model) : model_(model) {}

  const GpuModel& model() const { return model_; }
  GlobalMemory& memory() { return memory_; }

  // Parses, lays out and decodes a module. A kernel that cannot be executed says so, with the source line, when it is
  // launched (Function::undecodable); the others of the module run.
  Result<const Program*> load(std::string_view ptx, const std::string& file_name);

  // Launch errors (geometry, shared memory, parameters) are Results; what goes wrong inside is in LaunchResult::fault.
  Result<LaunchResult> launch(const Launch& launch);

 private:
  Result<void> check(const Launch& launch) const;
  Result<void> check_cluster(const Launch& launch) const;

  const GpuModel& model_;
  GlobalMemory memory_;
  std::vector<std::unique_ptr<Program>> programs_;
};

}  // namespace assay::vgpu
