// SPDX-License-Identifier: MIT
// What the ledger knows of a report's subject, as plain data. Missing pieces are empty; sections that need them are
// then not on the page.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu_model.hpp"
#include "ledger/attempt.hpp"
#include "ledger/samples.hpp"
#include "stats/interval.hpp"

namespace assay::page {

struct AgainstCandidate {
  std::string verdict;  // of the candidate: "FASTER", ...
  double ratio = 1;     // candidate / baseline time
  stats::Interval interval;
  std::string reason;
};

struct MeasuredContender {
  std::string name;
  std::string variant;
  bool good = false;
  std::string objection;
  std::optional<double> p50_us;
  double p90_us = 0;
  double p99_us = 0;
  stats::Interval median_us;
  double tflops = 0;
  double gb_per_s = 0;
  double throttled = 0;  // part of the samples
  size_t samples = 0;
  std::optional<AgainstCandidate> comparison;  // of a baseline
};

// One shape of one measurement; the candidate first.
struct MeasuredCase {
  ledger::Attempt attempt;
  std::string gpu;  // its name
  double flops = 0;
  double bytes = 0;
  double floor_us = 0;
  std::string protocol;
  std::vector<MeasuredContender> contenders;
  std::vector<ledger::Samples> samples;  // of those cases that are drawn
};

struct EstimatedLoad {
  std::string name;
  double time_us = 0;
  double share = 0;
};
struct EstimatedCase {
  ledger::Attempt attempt;
  double time_us = 0;
  double low_us = 0;
  double high_us = 0;
  double lower_bound_us = 0;
  std::string limiter;
  double flops = 0;
  double dram_bytes = 0;
  double l2_bytes = 0;
  std::vector<EstimatedLoad> loads;
};

// One finding of `assay diagnose`.
struct DiagnosedFinding {
  std::string title;
  std::string stage;
  std::string evidence;
  std::string file;
  int line = 0;
  double cap_us = 0;
  std::string remedy;
};
struct SweptShape {
  std::string shape;
  double time_us = 0;
  std::string known;  // "estimated", "measured"
  double floor_us = 0;
  double tflops = 0;
  double gb_per_s = 0;
  std::string limiter;
};
struct DiagnosedCase {
  ledger::Attempt attempt;
  bool measured = false;  // else estimated
  double time_us = 0;
  double floor_us = 0;
  std::string floor_by;
  std::vector<DiagnosedFinding> findings;  // the largest cap first
  std::vector<SweptShape> sweep;
};

using CounterValues = std::map<std::string, double>;

struct ProfiledLine {
  std::string file;
  int line = 0;
  CounterValues counters;
};
struct ProfiledFigure {
  std::string name;
  std::optional<double> value;
  std::string unit;
  std::string want;
  std::string judgement;
  std::string evidence;
  std::string note;
};
struct ProfiledCase {
  ledger::Attempt attempt;
  std::string entry;
  CounterValues counters;
  std::vector<ProfiledLine> lines;
  std::vector<ProfiledFigure> figures;
  std::string ptx;  // the file that was counted; empty: not known
};

// What experiments said of one resource.
struct InvertedResource {
  std::string name;
  std::string verdict;          // "bottleneck", "hidden", "slack", "latency"
  std::optional<double> gain;   // share of the time that goes if it is free
  std::optional<double> cost;   // share of the time that the first dose adds
  std::optional<double> slack;  // doses that cost nothing
  std::string remedy;
};
struct InvertedCase {
  ledger::Attempt attempt;
  bool measured = false;  // else estimated
  double time_us = 0;
  std::string sentence;
  std::vector<InvertedResource> resources;
};

struct TunedPoint {
  std::string configuration;
  std::optional<double> value;  // empty: it failed
  std::string failure;          // "compile", "incorrect", ...
  std::string message{};        // what was wrong; of tunings before 0.3 nothing is known
};
struct TunedCase {
  ledger::Attempt attempt;
  std::string quantity;  // "measured time", "estimated cycles"
  std::string unit;
  double configurations = 0;  // of the space
  std::vector<std::string> tie_group;
  std::vector<TunedPoint> points;  // in the order of their evaluation
};

struct ReportedFinding {
  int64_t attempt = 0;
  std::string kernel;
  std::string kind;
  std::string message;
  std::string shape;
  std::string file;
  int line = 0;
  int column = 0;
  std::string instruction;
  std::string place;  // "block (0,0,0) thread (1,0,0)"
  std::string allocation;
  double occurrences = 0;
  double threads = 0;
};

// One entry point of one artifact, with one block of its launch.
struct BuiltEntry {
  std::string configuration;
  std::string entry;
  std::string target;
  std::optional<int> registers;
  std::optional<int64_t> static_shared_bytes;
  double spill_bytes = 0;
  int64_t threads = 0;
  int64_t dynamic_shared_bytes = 0;
};

struct Step {
  std::string name;
  std::string verdict;
  std::string summary;
  double seconds = 0;
};

// A run or a search that the stop rule ended.
struct Stop {
  std::string baseline;
  double speed = 0;
  std::string first_finding;
  double shapes = 0;  // not measured
  double evaluations = 0;
  std::vector<std::string> steps;     // not begun
  std::optional<double> estimated_s;  // that were saved
};

struct SuiteMean {
  std::string kernel;
  std::string baseline;
  double count = 0;
  std::optional<double> geometric_mean;
};
struct SuiteSummary {
  std::string name;
  double measured = 0;
  double rejected = 0;
  double failed = 0;
  double skipped = 0;
  std::vector<SuiteMean> means;
};

// Two attempts beside each other; the first is the candidate.
struct Contrast {
  int64_t candidate = 0;
  int64_t baseline = 0;
  std::optional<AgainstCandidate> time;  // where both were measured under one contract
  std::vector<std::string> differences;  // of their contracts
};

enum class SubjectKind { kernel, run, suite, attempt, pair, period };

struct Content {
  SubjectKind kind = SubjectKind::kernel;
  std::string title;                      // the kernel's name, the suite's, "attempts 3 and 7"
  std::string command;                    // that makes this report again
  std::string ledger;                     // the file's name, without its folder
  std::string since;                      // of a period, as it was asked for
  std::vector<ledger::Attempt> attempts;  // the oldest first
  std::vector<Step> steps;                // of a run
  std::optional<SuiteSummary> suite;
  std::optional<Contrast> contrast;
  std::vector<MeasuredCase> measured;  // the newest of each kernel, configuration, shape, device and protocol
  std::vector<MeasuredCase> history;   // all of these kernels, the oldest first, without samples
  std::vector<EstimatedCase> estimated;
  std::vector<DiagnosedCase> diagnosed;       // the newest of each shape, configuration and device
  std::vector<ProfiledCase> profiled;         // the newest of each shape, configuration and device
  std::vector<ProfiledCase> profile_history;  // all, the oldest first
  std::vector<InvertedCase> inverted;         // the newest of each shape, configuration and device
  std::vector<TunedCase> tuned;               // the newest of each device
  std::vector<ReportedFinding> findings;      // of the newest attempt that looked for them
  std::vector<BuiltEntry> built;
  std::filesystem::path source_root;    // where sources may be read; empty: nowhere
  std::filesystem::path kernel_folder;  // empty: several kernels, or not here
  std::vector<std::string> remarks;     // rows that make no sense, cases that were left out
};

inline constexpr const char* kAllKernels = "All kernels";  // the title of a period of no single kernel

// The model of an attempt's device, by "vgpu:ID" or by the GPU's name; nullptr: not in the table.
const gpu::GpuModel* model_of(const std::string& device, const std::string& gpu_name);

// How an attempt may be made again: "assay bench kernels/softmax/kernel.toml --config ...".
std::string command_of(const ledger::Attempt& attempt);

// The time as "18.5 us", "1.2 ms".
std::string time_text(double us);

}  // namespace assay::page
