// SPDX-License-Identifier: MIT
// A kernel from its source to a verdict: every step that this machine can take, up to the first that makes the rest
// pointless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "assay/build.hpp"
#include "assay/check.hpp"
#include "assay/context.hpp"
#include "assay/diagnose.hpp"
#include "assay/doctor.hpp"
#include "assay/goal.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/profile.hpp"
#include "assay/result.hpp"
#include "assay/sanitize.hpp"
#include "assay/saving.hpp"

namespace assay::work {

struct RunRequest {
  KernelChoice choice;
  size_t fuzz = 16;
  bool measure = true;  // on a GPU: bench beside the specification's baselines, and profile
  Measuring measuring;  // then
  bool go_on = false;   // below half the baseline's speed: profile all the same, instead of stopping with a diagnosis
  uint64_t seed = 1;
  CaseLimits limits;
  RecordOptions record;
};

struct RunStep {
  std::string name;     // "build"
  std::string verdict;  // "good", "failed", "skipped"
  std::string summary;
  double seconds = 0;
};

// Decisions are taken at gates: builds, sound, correct, at least 0.5x, at least 1x, at the goal.
struct RunGate {
  std::string name;
  std::string state;  // "passed", "stopped", "not reached", "not judged"
  std::string next;   // where it stopped: what to do
};

// Below half the baseline's speed no further shape is measured, and nothing is profiled.
struct RunStop {
  std::string baseline;
  std::string shape;  // the slowest that was measured
  double speed = 0;   // over the baseline's: below 0.5
  Saving saved;
};

struct RunDetails;

struct RunReport {
  ExitCode exit_code = ExitCode::good;
  std::string verdict;  // "good", "failed"
  std::string kernel;
  std::string configuration;
  std::string device;
  std::vector<RunStep> steps;
  // What the steps found, as far as they were taken.
  DoctorReport doctor;
  std::optional<BuildReport> build;
  std::optional<SanitizeReport> sanitize;
  std::optional<CheckReport> check;
  std::optional<BenchReport> bench;
  std::optional<RunStop> stop;
  std::optional<DiagnoseReport> diagnosis;  // where it stopped because it is far too slow
  std::optional<ProfileReport> profile;
  std::vector<RunGate> gates;
  std::vector<GoalLine> goal;
  std::string page;  // the HTML report that was written; empty: none, because nothing is recorded
  std::shared_ptr<const RunDetails> details;
};

// `on_step` hears of each step as soon as it is recorded, with all that is known by then.
Result<RunReport> run(const RunRequest& request, const Context& context = {},
                      const std::function<void(const RunReport&, const RunStep&)>& on_step = {});
std::string to_json(const RunReport& report);

}  // namespace assay::work
