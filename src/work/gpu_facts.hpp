// SPDX-License-Identifier: MIT
// What assay doctor says of the GPUs of this machine; nothing on a machine without a driver.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "build/environment.hpp"
#include "device/cuda/ceilings.hpp"
#include "device/cuda/gpu_state.hpp"

namespace assay::work {

struct GpuFactOptions {
  bool torch = true;    // import it, which takes seconds, to learn its CUDA, its cuDNN and the order of its backends
  bool measure = true;  // the ceilings, in a second or two; never while others compute on the GPU
};

std::vector<build::Fact> gpu_facts(const GpuFactOptions& options);

// --- the parts, each from what was found
std::vector<build::Fact> state_facts(const device::cuda::GpuState& state, unsigned own_pid);
std::vector<build::Fact> ceiling_facts(const device::cuda::Ceilings& ceilings, const gpu::GpuModel& model,
                                       bool known_product);

// What PyTorch says of itself, from the JSON line that our question makes it print.
struct TorchAnswer {
  std::string version;
  std::string cuda;   // that it was built for: "13.0"; "" if for none
  std::string cudnn;  // "91002"
  std::string sdpa;   // the order in which it tries its backends
  bool sees_gpu = false;
};
std::optional<TorchAnswer> torch_answer(const std::string& line);

// Versions side by side; `driver_cuda` as the driver gives it (13000), `nvcc` as "13.0.88" or "".
std::vector<build::Fact> version_facts(int driver_cuda, const std::string& nvcc,
                                       const std::optional<TorchAnswer>& torch);

}  // namespace assay::work
