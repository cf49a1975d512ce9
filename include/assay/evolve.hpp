// SPDX-License-Identifier: MIT
// Lets a program propose changes of a kernel, and judges them: docs/evolve.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/executor.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct EvolveRequest {
  KernelChoice choice;
  std::vector<std::string> proposer;     // a program with its arguments, or "mutate", "manual", "command" of our own
  std::optional<double> answer_seconds;  // time limit of one answer; without it 300, a day for "manual"
  std::string replay;                    // a journal: judge its accepted proposals again, without a proposer
  std::optional<size_t> proposals;       // at most; without it 50, no limit for "manual"
  std::optional<size_t> patience;        // end after so many in a row that brought nothing; 20, no limit for "manual"
  std::optional<double> target;          // end at this speedup over the first kernel
  std::optional<double> seconds;         // end after so long
  std::optional<double> gpu_seconds;
  std::optional<double> money;  // that proposers say they have cost, and this machine at its cost per hour
  double gain = 0.03;           // on so many of the canonical shapes
  size_t gaining_shapes = 2;
  double margin = 0.01;          // none of the shapes may be worse by more
  std::string baseline;          // a kernel folder; a kernel that is half as fast is diagnosed first
  bool anyway = false;           // evolve it all the same
  bool resume = false;           // go on with an interrupted evolution
  std::string journal;           // where it is kept; empty: in the cache folder; "none": nowhere
  bool apply = false;            // write the best kernel into the kernel's folder
  std::string diff;              // a file for the change from the first kernel to the best; empty: none
  std::optional<uint64_t> seed;  // that the deciding shapes and inputs come from, for tests; the system's randomness
  CaseLimits limits;
  ExecutorOptions executor;         // who judges
  std::optional<size_t> in_flight;  // proposals at once; without it one for each worker, one for "manual" and a replay
  RecordOptions record;
};

// Of a race; ratios are candidate / incumbent time: below 1 the candidate is faster.
struct EvolvedShape {
  std::string shape;
  bool drawn = false;  // after the proposal came
  double time_us = 0;
  double incumbent_us = 0;
  double ratio = 1;
  std::optional<double> low;  // of the interval, if it was measured
  std::optional<double> high;
};

struct EvolveCosts {
  double proposer_s = 0;
  double compile_s = 0;
  double virtual_s = 0;  // of the virtual GPU
  double gpu_s = 0;
  double tokens_in = 0;  // as the proposer says
  double tokens_out = 0;
  double money = 0;  // the same, and the machine's if its cost per hour is known
};

struct EvolveStep {
  size_t proposal = 0;
  std::string parent;   // ids of kernels
  std::string id;       // "" if there is none: no answer, or one that cannot be applied
  std::string verdict;  // "accepted", "lost", "refused", "passed"
  std::string gate;     // the last that looked at it: "answer", "files", "build", "seen", "code", "sanitize", "check",
                        // "plausible", "quick race", "race"
  std::string text;
  std::string hypothesis;
  std::string counter;
  std::optional<bool> hypothesis_held;
  uint64_t seed = 0;  // drawn after the answer: of shapes and inputs that decided
  std::vector<EvolvedShape> shapes;
  std::optional<double> ratio;  // geometric mean over the specification's shapes
  std::string cell;             // what kind of kernel it is; "" if it was not raced in full
  std::string diff;             // from its parent
  EvolveCosts costs;
  bool recalled = false;  // judged before an interruption
  std::string device;     // of the worker that judged it; "" without an executor
};

struct EvolvedCell {
  std::string cell;
  std::string id;
  double ratio = 1;  // time over that of the first kernel
};

// Where workers judged; and what came of the best kernel beside the first one there, if it was raced on every GPU.
struct EvolveDevice {
  WorkerDevice worker;
  std::string verdict;  // "" if it was not raced
  std::string gate;
  std::string text;
  std::optional<double> ratio;
  bool disagrees = false;  // the best is not accepted there
};

struct EvolveDetails;

struct EvolveReport {
  ExitCode exit_code = ExitCode::good;
  std::string kernel;
  std::string specification;
  std::string device;
  std::string known;      // "measured" or "estimated": what times and ratios are
  std::string evolution;  // its id in the ledger
  std::string first;      // ids of kernels
  std::string best;
  double speedup = 1;  // of the best over the first, geometric mean over the specification's shapes
  std::vector<EvolveStep> steps;
  size_t accepted = 0;
  size_t recalled = 0;
  std::vector<EvolvedCell> archive;
  std::vector<EvolveDevice> devices;  // with an executor
  size_t workers_started = 0;
  size_t judged_again = 0;  // because another proposal had become the incumbent meanwhile
  EvolveCosts costs;
  std::string stopped;                 // why it ended
  std::vector<std::string> diagnosis;  // of a kernel that is too far behind its baseline
  std::string started_anew;            // why the journal could not be used; empty: it could
  std::string journal;                 // the file
  std::string diff;                    // from the first kernel to the best
  std::vector<std::string> written;    // files
  std::shared_ptr<const EvolveDetails> details;
};

// `on_step` hears of each proposal as soon as it is judged and recorded.
Result<EvolveReport> evolve(const EvolveRequest& request, const Context& context = {},
                            const std::function<void(const EvolveStep&)>& on_step = {});
std::string to_json(const EvolveReport& report);

// A worker's part: what a file asks to be judged, and the answer as a JSON document.
Result<std::string> judge_for_another(const std::string& file, const Context& context = {});

// Whether a file holds a request or an answer as docs/schemas describes them; which of them it is, or "pass".
Result<std::string> validate_proposer_document(const std::string& file);

// --- the record of evolutions
struct LineageRequest {
  std::string ledger;     // a file; empty: $ASSAY_LEDGER, else the project's
  std::string kernel;     // * stands for any text; empty: all
  bool accepted = false;  // without what lost, was refused or passed
};

struct Lineage {
  std::string evolution;
  std::string kernel;
  std::string device;
  std::string known;
  std::string begun;  // ISO 8601, UTC
  double speedup = 1;
  std::vector<EvolveStep> steps;
  std::string tree;  // as text
};

struct LineageReport {
  std::vector<Lineage> evolutions;  // the oldest first
};

Result<LineageReport> lineage(const LineageRequest& request);
std::string to_json(const LineageReport& report);

}  // namespace assay::work
