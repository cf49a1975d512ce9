// SPDX-License-Identifier: MIT
// Answers to tasks of KernelBench and GPU MODE under our guards: correct, honest, and how much faster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct JudgeRequest {
  std::string task;        // a module with Model and get_inputs(), a folder of such; or a folder with task.yml
  std::string submission;  // a file, or a folder of files
  std::string device;      // "cuda:0"; empty: the GPU
  Measuring measuring;
  bool compile = true;         // torch.compile of the reference is measured as well
  bool tests = true;           // cases of a GPU MODE task that are only checked
  bool libraries = false;      // kernels of libraries are no objection
  std::optional<double> atol;  // otherwise KernelBench's, and ours by type for GPU MODE
  std::optional<double> rtol;
  uint64_t seed = 1;
  RecordOptions record;
};

struct JudgedBaseline {
  std::string name;  // "eager", "compile"
  double p50_us = 0;
  std::optional<double> speedup;  // of the answer over it; nothing: it cannot be compared
  double low = 0;                 // of the speed-up's interval
  double high = 0;
  std::string verdict;
};

// One case of a task.
struct JudgedTaskCase {
  std::string name;
  bool timed = true;
  bool correct = false;
  bool honest = false;
  std::string guard;   // that fired first; empty: none
  std::string detail;  // what it saw, or why the answer did not run
  std::optional<double> p50_us;
  std::vector<JudgedBaseline> baselines;
  std::vector<std::string> unavailable;  // guards that could not look
  bool default_stream = false;           // the answer launches there; all contenders were timed there, by events
  std::optional<int64_t> attempt;
};

struct JudgedSubmission {
  std::string task;
  std::string submission;  // empty: nobody answered this task
  bool runs = false;       // it could be loaded and called
  bool correct = false;
  bool honest = false;
  std::string guard;
  std::string detail;
  std::vector<JudgedTaskCase> cases;
  std::vector<std::pair<std::string, double>> speedups;  // by baseline: geometric mean over the timed cases

  bool good() const { return runs && correct && honest; }
};

struct FastP {
  std::string baseline;
  std::vector<std::pair<double, double>> shares;  // p, and the share of all that are good and more than p times as fast
  std::optional<double> geometric_mean;           // of the speed-ups of the good ones
};

struct JudgeReport {
  ExitCode exit_code = ExitCode::good;
  std::string gpu;
  std::vector<JudgedSubmission> submissions;
  std::vector<FastP> fast;
};

class JudgeListener {
 public:
  virtual ~JudgeListener() = default;
  virtual void on_submission(const JudgedSubmission& judged) = 0;  // as soon as it is judged
};

Result<JudgeReport> judge(const JudgeRequest& request, const Context& context = {}, JudgeListener* listener = nullptr);
std::string to_json(const JudgeReport& report);

}  // namespace assay::work
