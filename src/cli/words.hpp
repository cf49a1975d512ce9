// SPDX-License-Identifier: MIT
// Words that several commands take, and the parts of requests that they become.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "assay/executor.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::cli {

class CommandLine;

void declare_device(CommandLine& line, std::string& device);
void declare_configuration(CommandLine& line, std::string& configuration);
void declare_seed(CommandLine& line, uint64_t& seed);
void declare_limits(CommandLine& line, work::CaseLimits& limits);
void declare_measuring(CommandLine& line, work::Measuring& measuring);

Result<int64_t> attempt_number(const std::string& word);

// The kernels that a command is for: the current folder if none is named.
class KernelWords {
 public:
  void declare(CommandLine& line, const std::string& help = "folders with a kernel.toml, or the files");

  // What one kernel came to: its exit code and, with --json, its document.
  struct Outcome {
    ExitCode exit_code = ExitCode::good;
    std::string document{};
  };
  // Each kernel in turn; the worst exit code. Documents are printed as one. An error of one of several kernels does not
  // keep the others from their turn.
  Result<ExitCode> each(const char* command, bool json,
                        const std::function<Result<Outcome>(const std::string& kernel)>& work) const;

  bool none() const { return kernels_.empty(); }
  bool several() const { return kernels_.size() > 1; }
  const std::vector<std::string>& all() const { return kernels_; }

 private:
  std::vector<std::string> kernels_;
};

// Where workers did how much; "" without an executor.
std::string devices_text(const std::vector<work::WorkerDevice>& devices);

// --executor and the options of executors
class ExecutorWords {
 public:
  void declare(CommandLine& line);
  Result<work::ExecutorOptions> read() const;

 private:
  work::ExecutorOptions options_;
};

// --ledger, --cost-per-hour and --note
class RecordWords {
 public:
  void declare(CommandLine& line);
  Result<work::RecordOptions> read() const;

 private:
  std::string ledger_;
  std::string cost_per_hour_;
  std::string note_;
};

}  // namespace assay::cli
