// SPDX-License-Identifier: MIT
#include "work/counting.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/progress.hpp"
#include "check/cases.hpp"
#include "work/kernel.hpp"
#include "work/measuring.hpp"
#include "work/verdict.hpp"

namespace assay::work {

namespace {

bool affordable(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape) {
  constexpr double kWorkLimit = 2e9;  // operations by the specification's formula
  const auto work = check::work(spec, configuration, shape);
  return work && *work <= kWorkLimit && check::why_not(spec, configuration, shape).empty();
}

Result<spec::Shape> largest_affordable(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  ASSAY_TRY(const std::vector<spec::Shape> all, spec::all_shapes(spec));
  const auto largest = std::find_if(all.rbegin(), all.rend(),
                                    [&](const spec::Shape& shape) { return affordable(spec, configuration, shape); });
  return largest != all.rend() ? *largest : all.front();
}

}  // namespace

Result<spec::Shape> countable_shape(const spec::KernelSpec& spec, const spec::Configuration& configuration) {
  ASSAY_TRY(spec::Shape first, spec::first_shape(spec));
  return affordable(spec, configuration, first) ? Result<spec::Shape>(std::move(first))
                                                : largest_affordable(spec, configuration);
}

Result<std::vector<spec::Shape>> countable_shapes(const spec::KernelSpec& spec,
                                                  const spec::Configuration& configuration, const Measuring& wanted) {
  ASSAY_TRY(std::vector<spec::Shape> shapes, chosen_shapes(spec, configuration, wanted));
  if (!wanted.shape.empty()) return shapes;
  std::erase_if(shapes, [&](const spec::Shape& shape) { return !affordable(spec, configuration, shape); });
  if (shapes.empty()) {
    ASSAY_TRY(spec::Shape largest, largest_affordable(spec, configuration));
    shapes.push_back(std::move(largest));
  }
  return shapes;
}

Result<std::vector<CountedCase>> count_cases(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                             const std::vector<spec::Shape>& shapes, const CountRequest& request,
                                             const Context& context) {
  ASSAY_TRY(Runnable runnable, make_runnable(spec, configuration, request.device, request.limits, context));
  runnable.worker.setup.count = true;
  ASSAY_TRY(const std::unique_ptr<check::Worker> worker, check::Worker::start(runnable.worker));
  Progress progress(context, fmt::format("counting {}", spec.kernel.name), shapes.size());
  std::vector<CountedCase> cases;
  for (const spec::Shape& shape : shapes) {
    check::Case test;
    test.shape = shape;
    test.seed = request.seed;
    const check::CaseResult result = worker->run(test);
    ASSAY_CHECK(check_cancelled(context));
    if (auto error = no_verdict(spec, result)) return *std::move(error);
    CountedCase counted{shape, {}, {}};
    if (!result.passed()) counted.incorrect = fmt::format("{}: {}", name(result.outcome), result.message);
    if (result.counters) counted.counters = result.counters->total.flat();
    cases.push_back(std::move(counted));
    progress.advance(shape.text());
  }
  return cases;
}

}  // namespace assay::work
