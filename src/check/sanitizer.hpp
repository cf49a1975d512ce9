// SPDX-License-Identifier: MIT
// The checks of one configuration over a few shapes: no reference is needed, and a wrong kernel goes on to the end.
#pragma once

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

struct SanitizeOptions {
  std::optional<spec::Shape> shape;  // just this one
  size_t shapes = 6;                 // otherwise: spread from the smallest to the largest that is affordable
  double work_limit = 2e8;
  uint64_t seed = 1;
  std::optional<gpu::CheckSet> checks;  // nothing: all
  bool costs = false;                   // also what they cost: a quick case is launched some times more
  Context context{};
  // For work that was interrupted: what an earlier run has found for a shape, and each shape that was run to its end.
  std::function<std::optional<CaseResult>(const Case&)> recall{};
  std::function<Result<void>(const CaseResult&)> remember{};
};

struct SanitizeReport {
  std::vector<CaseResult> results;          // one per shape
  std::vector<gpu::Finding> findings;       // of all shapes, what repeats folded, in the order of the first occurrence
  std::vector<std::string> finding_shapes;  // beside `findings`: the first shape that showed it
  uint64_t occurrences = 0;
  gpu::Coverage coverage;
  std::optional<CheckCosts> costs;  // nothing if every shape takes long

  const CaseResult* failure() const;  // the first shape that is not clean
  bool clean() const { return failure() == nullptr && !results.empty(); }
};

Result<SanitizeReport> sanitize(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                Worker::Options worker_options, const SanitizeOptions& options);

}  // namespace assay::check
