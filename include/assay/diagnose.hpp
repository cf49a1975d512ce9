// SPDX-License-Identifier: MIT
// Why is it not faster: how far a case is from its floor, and what keeps it there, with the most that each finding can
// bring.
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

struct StoredRates;

struct DiagnoseRequest {
  KernelChoice choice;  // without a device: the GPU if there is one, beside the virtual one that is most like it
  std::string shape;    // empty: the first of the specification
  std::string sweep;    // "S=128..16384": shapes that double this variable; empty: none
  bool measure = true;  // on a GPU, if there is one
  bool with_ncu = false;
  // Beside the kernel: a [baseline.NAME] or a kernel folder. It is measured where the kernel is, and profiled with
  // Nsight Compute. Empty: with Nsight Compute the first of the specification, if it has one.
  std::string baseline;
  std::string keep;  // folder for Nsight Compute's reports; empty: one of the cache
  uint64_t seed = 1;
  uint64_t blocks = 24;  // run at most so many blocks on the virtual GPU; 0: all
  CaseLimits limits;
  RecordOptions record;
  bool page = false;  // write the HTML report, if it is recorded
  // Rates that were measured, for a caller that has them; null: those of the ledger, if there are any.
  std::shared_ptr<const StoredRates> rates;
};

struct DiagnosedFinding {
  std::string rule;
  std::string stage;  // of a call with several kernels: the one that it is about
  std::string title;
  std::vector<std::string> evidence;
  std::string file;  // where most of it happens; "" if no line stands out
  int line = 0;
  double cap_us = 0;  // the most that mending it can bring
  std::string remedy;
  std::vector<std::string> baseline;  // what the baseline does differently there, by Nsight Compute
};

// Of the GPU while a shape was measured; empty where it does not tell.
struct GpuConditions {
  std::optional<double> clock_mhz;  // of the multiprocessors: the median over batches of samples
  std::optional<double> power_w;    // the most that was read
  std::optional<double> temperature_c;
  std::string throttled;  // "none", or why clocks were held back
};

// Device memory that one call holds.
struct CallMemory {
  uint64_t kernel_bytes = 0;
  std::string baseline;                    // "": none was measured or profiled
  std::optional<uint64_t> baseline_bytes;  // nothing: it does not say
};

// One shape of a sweep.
struct SweepPoint {
  std::string shape;
  double time_us = 0;
  bool measured = false;
  double floor_us = 0;
  std::string limiter;
  double tflops = 0;  // 0: the specification does not say
  double gb_per_s = 0;
  GpuConditions gpu{};
};

struct DiagnoseDetails;

struct DiagnoseReport {
  ExitCode exit_code = ExitCode::good;
  std::string kernel;
  std::string configuration;
  std::string device;  // the virtual GPU that counted
  std::string shape;
  std::string known;   // "counted and estimated", "counted and measured", either with "profiled"
  double time_us = 0;  // measured if it was, else estimated
  bool measured = false;
  std::string cache;  // in which it was measured, as --cache of assay bench names it; "": it was not
  double floor_us = 0;
  std::string floor_by;
  std::string limiter;
  std::vector<DiagnosedFinding> findings;  // the largest cap first
  std::vector<SweepPoint> sweep;
  std::string sweep_ended;  // the shape that could not be run, and why; "": all of them were
  CallMemory memory;
  std::string rates_measured;            // when the rates in use were; "": they are the model's
  std::string baseline;                  // that was profiled too; "": none
  std::vector<std::string> differences;  // what it does differently, the largest difference first
  std::string kept;                      // folder with the reports of Nsight Compute; "": none
  std::string page;                      // the HTML report that was written; "": none
  std::shared_ptr<const DiagnoseDetails> details;
};

Result<DiagnoseReport> diagnose(const DiagnoseRequest& request, const Context& context = {});
std::string to_json(const DiagnoseReport& report);

}  // namespace assay::work
