// SPDX-License-Identifier: MIT
// A worker: does what a folder that several machines share asks for.
#pragma once

#include <cstddef>
#include <string>

#include "assay/context.hpp"
#include "assay/exit_code.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct LabourRequest {
  std::string folder;         // that a command with an executor made
  std::string name;           // of the worker; empty: from the machine, the job and the process
  double unattended_s = 600;  // ends when nobody has waited for results for so long
};

struct LabourReport {
  ExitCode exit_code = ExitCode::good;
  std::string worker;
  std::string device;  // the GPU's UUID; "virtual": there is none
  size_t finished = 0;
  size_t given_back = 0;  // because it was told to end
  size_t overtaken = 0;   // another worker had the item by then
};

Result<LabourReport> labour(const LabourRequest& request, const Context& context = {});
std::string to_json(const LabourReport& report);

}  // namespace assay::work
