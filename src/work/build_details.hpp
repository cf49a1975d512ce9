// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "assay/build.hpp"
#include "build/builder.hpp"
#include "report/documents.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct BuildDetails {
  spec::KernelSpec spec;
  std::vector<spec::Configuration> configurations;
  build::BuildReport report;
  std::string device;  // the GPU at hand, or the one that was asked for
  gpu::GpuModel model;
  std::vector<report::ConfigurationFits> fits;  // they point into `configurations`
  nlohmann::json document;                      // without the head
};

}  // namespace assay::work
