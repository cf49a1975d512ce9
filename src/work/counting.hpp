// SPDX-License-Identifier: MIT
// Exact counters of a kernel on a virtual GPU, with its results checked on the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assay/bench.hpp"
#include "judge/counters.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/shape.hpp"

namespace assay::work {

struct CountedCase {
  spec::Shape shape;
  std::optional<std::string> incorrect;  // why, if the results are wrong
  judge::Counters counters;
};

// The first canonical shape, unless it would take a virtual GPU long: then the largest of the file that would not; the
// smallest one if all would.
Result<spec::Shape> countable_shape(const spec::KernelSpec& spec, const spec::Configuration& configuration);
// The same for all shapes that are asked for: those that would not take long, else that one.
Result<std::vector<spec::Shape>> countable_shapes(const spec::KernelSpec& spec,
                                                  const spec::Configuration& configuration, const Measuring& wanted);

struct CountRequest {
  std::string device;  // a virtual one
  uint64_t seed = 1;
  CaseLimits limits;
};

Result<std::vector<CountedCase>> count_cases(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                             const std::vector<spec::Shape>& shapes, const CountRequest& request,
                                             const Context& context);

}  // namespace assay::work
