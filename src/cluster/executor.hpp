// SPDX-License-Identifier: MIT
// Who starts workers: on this machine, or through a batch system. Workers find their work in the folder by themselves;
// an executor knows only how to start them, whether they are there, and how to end them.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace assay::cluster {

class Executor {
 public:
  virtual ~Executor() = default;

  virtual Result<void> start(const std::vector<std::string>& command) = 0;  // one worker more; the program first
  virtual Result<size_t> present() = 0;                                     // running, or waiting to run
  virtual std::string state() const = 0;  // for people: "2 running, 1 pending (Resources)"
  virtual void end_all() = 0;
};

// Processes of this machine. Each gets one of `environments`, that which the fewest have: a GPU of its own.
std::unique_ptr<Executor> local_executor(std::vector<std::map<std::string, std::string>> environments);

struct SlurmOptions {
  std::string partition;             // empty: the cluster's default
  std::string gres;                  // as "gpu:1"; empty: none
  std::string time;                  // of a job, as Slurm writes it; empty: the partition's
  std::vector<std::string> options;  // further words for sbatch
  std::chrono::seconds warning{60};  // before the limit of time: the worker gives its item back
};

// One job for each worker. `log_folder`: for what jobs print, and their numbers: those of an earlier run in the same
// folder are taken over. An error: there is no Slurm here.
Result<std::unique_ptr<Executor>> slurm_executor(const SlurmOptions& options, const std::filesystem::path& log_folder);

}  // namespace assay::cluster
