// SPDX-License-Identifier: MIT
// One case to be measured: a kernel's problem at one shape, with its arguments resolved.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "measure/protocol.hpp"
#include "measure/provider.hpp"
#include "measure/roofline.hpp"
#include "spec/kernel_spec.hpp"
#include "spec/resolved_argument.hpp"
#include "spec/shape.hpp"

namespace assay::measure {

struct ProblemCase {
  const spec::KernelSpec* spec = nullptr;
  spec::Configuration configuration;
  spec::Shape shape;
  std::vector<spec::ResolvedArgument> arguments;
  Work work;

  static Result<ProblemCase> make(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                  const spec::Shape& shape);

  // Tensors by role; an inout one is among both.
  std::vector<const spec::ResolvedArgument*> inputs() const;
  std::vector<const spec::ResolvedArgument*> outputs() const;
  uint64_t bytes() const;  // of all tensors
};

struct TimingFiles {
  std::filesystem::path instruments;
  uint64_t flush_bytes = 0;
};

// The `prepare` request: everything but the sets and the contender's own options.
nlohmann::json prepare_request(const ProblemCase& problem, const Protocol& protocol, const TimingFiles& timing);
nlohmann::json to_json(const spec::Options& options);

}  // namespace assay::measure
