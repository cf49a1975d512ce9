// SPDX-License-Identifier: MIT
#include "check/cases.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "base/random.hpp"
#include "check/shape_fuzzer.hpp"
#include "spec/launch.hpp"
#include "spec/resolved_argument.hpp"

namespace assay::check {
namespace {

class Planner {
 public:
  Planner(const spec::KernelSpec& spec, const spec::Configuration& configuration, const CaseOptions& options)
      : spec_(spec), configuration_(configuration), options_(options), random_(options.seed) {}

  Result<CasePlan> plan() {
    ASSAY_CHECK(add_specified());
    add_distributions();
    ASSAY_CHECK(add_fuzz());
    return std::move(plan_);
  }

 private:
  Result<void> add_specified() {
    ASSAY_TRY(const std::vector<spec::Shape> shapes, spec::all_shapes(spec_));
    for (const spec::Shape& shape : shapes) {
      std::string reason = why_not(spec_, configuration_, shape);
      if (reason.empty()) {
        ASSAY_TRY(const double cost, work(spec_, configuration_, shape));
        if (cost > options_.work_limit)
          reason = fmt::format("work {:.2g} is over the limit of {:.2g}", cost, options_.work_limit);
      }
      if (reason.empty()) {
        add(Origin::specified, shape, Distribution::specified);
      } else {
        plan_.skipped.push_back({shape, reason});
      }
    }
    return {};
  }

  void add_distributions() {
    const size_t count = plan_.cases.size();
    if (count == 0) return;
    const spec::Shape smallest = plan_.cases.front().shape;
    const spec::Shape middle = plan_.cases[count / 2].shape;
    for (const Distribution distribution : all_distributions()) {
      if (distribution == Distribution::specified) continue;
      add(Origin::distribution, smallest, distribution);
      if (middle != smallest) add(Origin::distribution, middle, distribution);
    }
  }

  Result<void> add_fuzz() {
    std::set<spec::Shape> seen;
    for (const Case& known : plan_.cases) seen.insert(known.shape);
    ASSAY_TRY(const std::vector<Domain> all_domains, domains(spec_));
    ASSAY_TRY(const std::vector<int64_t> edges, tile_edges(spec_, configuration_));
    ShapeFuzzer fuzzer(all_domains, edges, random_.next());
    const auto affordable = [&](const spec::Shape& shape) {
      const auto cost = work(spec_, configuration_, shape);
      return cost.ok() && *cost <= options_.fuzz_work_limit;
    };
    constexpr size_t kDrawsPerCase = 40;  // most draws of a strict specification are illegal
    const std::vector<Distribution>& distributions = all_distributions();
    size_t made = 0;
    for (size_t draw = 0; draw < options_.fuzz_cases * kDrawsPerCase && made < options_.fuzz_cases; ++draw) {
      const spec::Shape shape = fuzzer.next(affordable);
      if (seen.contains(shape) || !affordable(shape) || !why_not(spec_, configuration_, shape).empty()) continue;
      seen.insert(shape);
      // Every other one keeps the file's fill: special inputs (constant, tiny) can hide a wrong index.
      const bool special = made % 2 == 1;
      add(Origin::fuzz, shape,
          special ? distributions[1 + made / 2 % (distributions.size() - 1)] : Distribution::specified);
      ++made;
    }
    return {};
  }

  void add(Origin origin, const spec::Shape& shape, Distribution distribution) {
    plan_.cases.push_back({origin, shape, distribution, random_.next() >> 32});
  }

  const spec::KernelSpec& spec_;
  const spec::Configuration& configuration_;
  const CaseOptions& options_;
  Random random_;
  CasePlan plan_;
};

}  // namespace

std::string_view name(Origin origin) {
  switch (origin) {
    case Origin::specified:
      return "specified";
    case Origin::distribution:
      return "distribution";
    case Origin::fuzz:
      return "fuzz";
  }
  return "unknown";
}

Result<double> work(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape) {
  ASSAY_TRY(const auto operations, spec::flops(spec, configuration, shape));
  ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec, configuration, shape));
  double elements = 0;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.tensor() != nullptr) elements += static_cast<double>(argument.tensor()->elements);
  }
  return std::max(operations.value_or(0.0), elements);
}

std::string why_not(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape) {
  if (const auto valid = spec::validate(spec, shape); !valid) return valid.error().message;
  const auto applicable = spec::why_not_applicable(spec, configuration, shape);
  if (!applicable) return applicable.error().message;
  if (!applicable->empty()) return *applicable;
  for (const spec::StageSpec& stage : spec.stages) {
    if (const auto launch = spec::launch_geometry(spec, stage, configuration, shape); !launch)
      return launch.error().message;
  }
  if (const auto arguments = spec::resolve_arguments(spec, configuration, shape); !arguments)
    return arguments.error().message;
  return "";
}

Result<CasePlan> plan_cases(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                            const CaseOptions& options) {
  return Planner(spec, configuration, options).plan();
}

}  // namespace assay::check
