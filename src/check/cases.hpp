// SPDX-License-Identifier: MIT
// Which shapes and inputs a kernel is checked with, and in which order: the cheapest evidence first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "check/domain.hpp"
#include "check/inputs.hpp"
#include "spec/shape.hpp"

namespace assay::check {

enum class Origin {
  specified,     // a shape of the file with the file's fills
  distribution,  // a shape of the file with other inputs
  fuzz,          // a random shape around tile edges
};

std::string_view name(Origin origin);

struct Case {
  Origin origin = Origin::specified;
  spec::Shape shape;
  Distribution distribution = Distribution::specified;
  uint64_t seed = 0;

  bool operator==(const Case&) const = default;
};

// A shape of the file that is not checked, and why.
struct SkippedShape {
  spec::Shape shape;
  std::string reason;
};

struct CasePlan {
  std::vector<Case> cases;
  std::vector<SkippedShape> skipped;
};

struct CaseOptions {
  uint64_t seed = 1;
  size_t fuzz_cases = 16;
  // Floating-point operations (or elements, where the file does not tell) that one case may cost.
  double work_limit = 6e8;
  double fuzz_work_limit = 2e7;
};

// Operations of the file's formula; where there is none, or it is smaller, the elements of all tensors.
Result<double> work(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape);

// Why this configuration cannot be checked on this shape, or "" if it can.
std::string why_not(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape);

// All shapes of the file, smallest first; then the smallest and a middle one with each other distribution; then
// `fuzz_cases` random shapes, distributions taking turns. The same arguments give the same plan.
Result<CasePlan> plan_cases(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                            const CaseOptions& options);

}  // namespace assay::check
