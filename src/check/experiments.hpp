// SPDX-License-Identifier: MIT
// Mutants of one kernel on a virtual GPU, one after the other on the same buffers, under the memory check, in a process
// of its own: this same program with a hidden command. A mutant that hangs or crashes costs its process, and the next
// one gets another.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>

#include "assay/context.hpp"
#include "check/line_worker.hpp"
#include "check/traced_case.hpp"

namespace assay::check {

inline constexpr const char* kExperimentsCommand = "--experiments-worker";

// The worker's side: a setup, then requests, until its input ends.
int serve_experiments(std::istream& input, std::ostream& output);

// The command's side.
class Experiments {
 public:
  struct Setup {
    std::filesystem::path spec_file;
    std::string configuration;
    std::string shape;
    std::string device;
    uint64_t seed = 1;
    std::filesystem::path cache_folder;
    std::chrono::milliseconds time_limit{std::chrono::minutes(2)};  // of one mutant
    Context context{};
  };
  explicit Experiments(Setup setup)
      : setup_(std::move(setup)), worker_(kExperimentsCommand, setup_.time_limit, setup_.context) {}

  // An error of the kernel, the launch or the process is the mutant's own; kInterrupted ends the work.
  Result<TracedRun> run(const TracedRequest& request);

 private:
  Result<void> start();

  Setup setup_;
  LineWorker worker_;
};

}  // namespace assay::check
