// SPDX-License-Identifier: MIT
// Experiments on a kernel: what each resource gains if it were free, what more of it costs, and so what limits it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct InvertRequest {
  KernelChoice choice;  // without a device: the GPU if there is one, beside the virtual one that is most like it
  std::string shape;    // empty: the first of the specification
  std::vector<std::string> experiments;  // names of rows; empty: all of the catalogue
  bool quick = false;                    // ablations and the first dose of each injection
  bool measure = true;                   // on a GPU, if there is one
  double budget_s = 0;                   // of GPU time; 0: 60, quick: 15
  double seconds = 0;                    // begin no proof after so many; 0: 60 if there is a GPU (quick: 15), else none
  bool assemble = true;                  // with ptxas, if there is one
  uint64_t seed = 1;
  uint64_t blocks = 24;  // run at most so many blocks on the virtual GPU; 0: all
  CaseLimits limits;
  RecordOptions record;
};

// One row of the catalogue with one dose.
struct InvertedExperiment {
  std::string name;
  std::string kind;  // "injection", "ablation"
  std::string resource;
  int dose = 1;
  std::string state;               // "ranked", "confounded", "not proved", "failed", "not applicable", "not timed",
                                   // "not tried"
  std::string why;                 // of all states but "ranked"
  std::vector<std::string> sites;  // "softmax.cu:31", each once

  // counted, in instructions of warps, in the blocks that were run
  uint64_t counted_before = 0;
  uint64_t counted_added = 0;
  uint64_t counted_removed = 0;
  bool counts_foretold = false;  // every line ran exactly as often as the row foretells

  // by ptxas, if it is here: control -> mutant
  std::optional<int> registers_before, registers;
  std::optional<int64_t> spill_bytes_before, spill_bytes;
  std::optional<int64_t> code_bytes_before, code_bytes;
  std::optional<int> blocks_per_sm_before, blocks_per_sm;

  std::optional<double> estimated_ratio;  // of the time of its control
  std::optional<double> measured_ratio;
  double measured_low = 0;  // 95 % interval
  double measured_high = 0;
};

struct InvertedResource {
  std::string name;
  std::string verdict;         // "bottleneck", "hidden", "slack", "latency", "not known"
  std::optional<double> gain;  // share of the time that goes if it is free
  double gain_low = 0;
  double gain_high = 0;
  std::optional<double> cost_per_dose;  // share of the time that the first dose adds
  std::optional<int> slack;             // the largest dose that costs nothing
  std::vector<std::string> sites;
  std::string remedy;
};

struct InvertDetails;

struct InvertReport {
  ExitCode exit_code = ExitCode::good;
  std::string kernel;
  std::string configuration;
  std::string device;  // the virtual GPU that counted
  std::string shape;
  std::string known;   // "counted and estimated", "counted and measured"
  double time_us = 0;  // of the prepared kernel
  bool measured = false;
  double noise = 0;                         // what the prepared kernel differs from itself, if it was measured
  double gpu_s = 0;                         // of GPU time that the experiments took
  std::vector<InvertedResource> resources;  // the first is what limits
  std::vector<InvertedExperiment> experiments;
  std::string first;  // the resource that comes first; "latency"; "" if nothing stands out
  std::string sentence;
  std::string diagnosed;               // the first rule of `diagnose`; "" if it finds nothing
  bool agrees = false;                 // with it
  std::vector<std::string> left_over;  // experiments that there was no time for; the same command goes on with them
  std::string not_measured;            // why, if there is a GPU and no time
  std::shared_ptr<const InvertDetails> details;
};

Result<InvertReport> invert(const InvertRequest& request, const Context& context = {});
std::string to_json(const InvertReport& report);

}  // namespace assay::work
