// SPDX-License-Identifier: MIT
// Counters of one case on a virtual GPU, in all and for each source line; beside them those of Nsight Compute.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct ProfileRequest {
  KernelChoice choice;  // without a device: the virtual GPU that is most like this machine's
  std::string shape;    // empty: the first canonical one that is affordable
  uint64_t seed = 1;
  CaseLimits limits;
  bool with_ncu = false;  // Nsight Compute on a GPU, beside the counts
  RecordOptions record;
};

struct ProfileDetails;

struct ProfileReport {
  ExitCode exit_code = ExitCode::good;
  std::string kernel;
  std::string configuration;
  std::string device;
  std::string shape;
  std::map<std::string, uint64_t> counters;  // exact
  std::shared_ptr<const ProfileDetails> details;
};

Result<ProfileReport> profile(const ProfileRequest& request, const Context& context = {});
std::string to_json(const ProfileReport& report);

}  // namespace assay::work
