// SPDX-License-Identifier: MIT
// Compiles configurations of a kernel ahead of time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct BuildRequest {
  std::string kernel = ".";
  std::string configurations;  // "NAME=value,...": those that match; empty: all
  std::string target;          // "sm_89": only this one
  std::string device;          // only the target that this device runs
  size_t jobs = 0;             // compilations at a time; 0: one for each core
  double time_limit_s = 120;   // of one compilation
  RecordOptions record;
};

// One configuration for one target.
struct Artifact {
  std::string configuration;
  std::string target;
  std::string status;  // "built", "cached", "prebuilt", "failed", "skipped"
  std::string ptx;     // files; empty if there is none
  std::string cubin;
  std::string reason;  // why it failed or was skipped
};

struct BuildDetails;

struct BuildReport {
  ExitCode exit_code = ExitCode::good;
  std::string verdict;  // "good"; "failed": a compilation failed; "skipped": nothing could be built here
  std::string kernel;
  std::vector<Artifact> artifacts;
  std::shared_ptr<const BuildDetails> details;  // what the program prints from
};

Result<BuildReport> build(const BuildRequest& request, const Context& context = {});
std::string to_json(const BuildReport& report);

// Writes the default configuration's PTX for each target into the kernel's folder, to be prebuilt for others; the
// files.
Result<std::vector<std::string>> write_prebuilt(const std::string& kernel, const Context& context = {});

}  // namespace assay::work
