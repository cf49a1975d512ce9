// SPDX-License-Identifier: MIT
// The configurations of a kernel as a space: those that cannot run on the device are left out before anything is built.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "gpu/gpu_model.hpp"
#include "spec/configuration.hpp"
#include "spec/shape.hpp"
#include "tune/space.hpp"

namespace assay::work {

struct KernelSpace {
  tune::Space space;
  std::vector<spec::Configuration> configurations;       // beside those of the space
  std::vector<std::pair<std::string, size_t>> left_out;  // why, and how many
};

// `restriction`: "NAME=value,..."; empty: all. `only`: these whole configurations; empty: all that the restriction
// leaves.
Result<KernelSpace> kernel_space(const spec::KernelSpec& spec, const std::string& restriction,
                                 const std::vector<std::string>& only, const std::vector<spec::Shape>& shapes,
                                 const gpu::GpuModel& model);

}  // namespace assay::work
