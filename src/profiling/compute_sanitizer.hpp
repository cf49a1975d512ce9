// SPDX-License-Identifier: MIT
// One case on a GPU under compute-sanitizer.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "check/case_result.hpp"
#include "check/case_runner.hpp"

namespace assay::profiling {

const std::vector<std::string>& sanitizer_tools();  // memcheck, racecheck, initcheck, synccheck

struct SanitizerRun {
  check::RunnerSetup setup;  // of a GPU: "cuda:0"
  check::Case test;
  std::string tool = "memcheck";
  std::string kernel;                   // the specification's entry, for findings that name none
  std::filesystem::path source_folder;  // what file names in the PTX are relative to
  std::chrono::milliseconds time_limit{std::chrono::minutes(2)};
  std::filesystem::path program = "/proc/self/exe";  // that runs the case
};

// The case with the tool's findings in it. An error says why there are none to import: no tool, no GPU, a tool that did
// not work here.
Result<check::CaseResult> run_compute_sanitizer(const SanitizerRun& run);

}  // namespace assay::profiling
