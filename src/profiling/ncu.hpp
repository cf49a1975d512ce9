// SPDX-License-Identifier: MIT
// One case on a GPU under Nsight Compute.
#pragma once

#include <chrono>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "check/case_result.hpp"
#include "check/case_runner.hpp"
#include "profiling/figure.hpp"
#include "profiling/ncu_csv.hpp"

namespace assay::profiling {

// A metric that is imported beyond those that counter_table() names.
struct MeasuredMetric {
  std::string_view metric;
  std::string_view name;
};
std::span<const MeasuredMetric> measured_metrics();

// Where the tool's own report is kept, which Nsight Compute's window opens, and the table beside it; empty: nowhere.
struct NcuKept {
  std::filesystem::path report{};  // "kernel.ncu-rep"
  std::filesystem::path table{};   // "kernel.csv"
};

struct NcuRun {
  check::RunnerSetup setup;  // of a GPU: "cuda:0"
  check::Case test;
  std::string entry;  // the kernel, as in the PTX
  std::chrono::milliseconds time_limit{std::chrono::minutes(2)};
  std::filesystem::path program = "/proc/self/exe";  // that runs the case
  NcuKept kept{};
};

// The error says why there is nothing to import: no tool, no permission, no GPU.
Result<NcuLaunch> run_ncu(const NcuRun& run);

// Any program that runs kernels.
struct NcuProgram {
  std::vector<std::string> arguments;  // the program first
  std::string input;                   // on its standard input
  std::string kernel{};                // the only one that is looked at; empty: every kernel
  int launches = 1;                    // at most
  std::chrono::milliseconds time_limit{std::chrono::minutes(2)};
  NcuKept kept{};
};
struct NcuOutcome {
  std::vector<NcuLaunch> launches;
  std::string output;  // of the program
};
// `said`: what the program wrote, also where there is nothing to import.
Result<NcuOutcome> run_ncu(const NcuProgram& program, std::string* said = nullptr);

// The figures that only a GPU can give: SM busy, achieved occupancy, tensor pipe, duration, local memory.
std::vector<Figure> measured_figures(const NcuLaunch& launch);

}  // namespace assay::profiling
