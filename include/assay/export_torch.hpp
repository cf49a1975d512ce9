// SPDX-License-Identifier: MIT
// A kernel folder as a Python package with a PyTorch operator, without PyTorch's ABI.
#pragma once

#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct ExportTorchRequest {
  KernelChoice choice;  // the device does not matter
  std::string out;      // a new folder, whose name is the package's; empty: NAME_torch
};

struct ExportTorchReport {
  std::string kernel;
  std::string configuration;
  std::string out;
  std::string package;               // its name
  std::string call;                  // "softmax(x)"
  std::string example;               // the shape of its test
  std::vector<std::string> modules;  // "sm_90 (machine code and PTX)"
  std::vector<std::string> files;
  std::vector<std::string> remarks;  // what the test cannot compare
};

Result<ExportTorchReport> export_torch(const ExportTorchRequest& request, const Context& context = {});
std::string to_json(const ExportTorchReport& report);

}  // namespace assay::work
