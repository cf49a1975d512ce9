// SPDX-License-Identifier: MIT
// Where work is done that can be divided: in this process, by processes of this machine, or by jobs of a cluster.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace assay::work {

struct ExecutorOptions {
  std::string executor;        // "": in this process; "local": a process for each GPU; "slurm": jobs
  size_t workers = 0;          // 0: one for each GPU of this machine (local), or one job
  std::string folder;          // that all workers see; empty: in the cache folder
  double lease_s = 60;         // a worker that is not heard of for so long has lost its item
  double time_limit_s = 3600;  // of one item
  // --- Slurm alone
  std::string partition;
  std::string gres;                  // "gpu:1"
  std::string time;                  // of a job
  std::vector<std::string> options;  // further words for sbatch

  bool divided() const { return !executor.empty(); }
};

// Where work was done.
struct WorkerDevice {
  std::string device;  // the GPU's UUID; "virtual": there is none
  std::string gpu;     // what it is called
  std::vector<std::string> hosts;
  size_t answers = 0;
};

}  // namespace assay::work
