// SPDX-License-Identifier: MIT
// Correctness of one configuration: the planned cases in order, the first failure shrunk to the smallest shape.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "base/result.hpp"
#include "check/cases.hpp"
#include "check/worker.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::check {

// Products and sums that ptxas may contract to one fma: as they stand, fused, or one after the other.
enum class Fmad : uint8_t { off, on, both };

struct CheckOptions {
  CaseOptions cases;
  std::optional<Case> only;  // run just this one: the command that repeats a failure
  bool shrink = true;
  Fmad fmad = Fmad::off;
  size_t repetitions = 1;  // launches of the largest specified case, which must give the same bits
  Context context{};
  // For work that was interrupted: what an earlier run has found for a case, and each case that passed.
  std::function<std::optional<CaseResult>(const Case&, bool fused)> recall{};
  std::function<Result<void>(const CaseResult&, bool fused)> remember{};
};

inline constexpr size_t kValidatedAfter = 100;

struct CheckReport {
  std::vector<CaseResult> results;  // in the order in which they ran; a failure is the last
  std::vector<SkippedShape> skipped;
  size_t planned = 0;
  std::optional<CaseResult> failure;  // the smallest that was found
  size_t shrink_evaluations = 0;
  bool shrunk_to_minimum = false;
  std::vector<std::string> approximate;  // instructions whose results are within bounds, not bit-exact
  std::vector<std::string> fusible;      // places where ptxas may contract a product and a sum
  std::string depends_on_fmad;           // how, if the verdict does
  uint64_t seed = 0;
  gpu::Coverage coverage;
  size_t repetitions = 0;             // launches that gave the same bits, if they were asked for
  std::string repeated;               // the shape
  std::optional<SelfTest> self_test;  // of a kernel that passed: would a wrong one have been caught?

  // Correct, and the same bits a hundred times.
  bool validated() const { return passed() && repetitions >= kValidatedAfter; }
  bool passed() const { return !failure && !results.empty(); }
};

Result<CheckReport> check(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                          Worker::Options worker_options, const CheckOptions& options);

}  // namespace assay::check
