// SPDX-License-Identifier: MIT
#include "cli/counting.hpp"

#include <fmt/format.h>

#include "base/progress.hpp"
#include "check/cases.hpp"
#include "cli/measuring.hpp"

namespace assay::cli {

Result<std::vector<spec::Shape>> countable_shapes(const spec::KernelSpec& spec,
                                                  const spec::Configuration& configuration, const Options& options) {
  constexpr double kWorkLimit = 2e9;  // operations by the specification's formula
  ASSAY_TRY(const std::vector<spec::Shape> chosen, chosen_shapes(spec, configuration, options));
  if (!options.shape.empty()) return chosen;
  std::vector<spec::Shape> affordable;
  for (const spec::Shape& shape : chosen) {
    ASSAY_TRY(const double work, check::work(spec, configuration, shape));
    if (work <= kWorkLimit) affordable.push_back(shape);
  }
  if (!affordable.empty()) return affordable;
  ASSAY_TRY(const std::vector<spec::Shape> all, spec::all_shapes(spec));
  for (auto shape = all.rbegin(); shape != all.rend(); ++shape) {
    const auto work = check::work(spec, configuration, *shape);
    if (work && *work <= kWorkLimit && check::why_not(spec, configuration, *shape).empty())
      return std::vector<spec::Shape>{*shape};
  }
  return std::vector<spec::Shape>{all.front()};
}

Result<std::vector<CountedCase>> count_cases(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                             const std::vector<spec::Shape>& shapes, const Options& options) {
  ASSAY_TRY(Runnable runnable, make_runnable(spec, configuration, options));
  runnable.worker.setup.count = true;
  ASSAY_TRY(const std::unique_ptr<check::Worker> worker, check::Worker::start(runnable.worker));
  Progress progress(fmt::format("counting {}", spec.kernel.name), shapes.size(), options.json);
  std::vector<CountedCase> cases;
  for (const spec::Shape& shape : shapes) {
    check::Case test;
    test.shape = shape;
    test.seed = options.seed;
    const check::CaseResult result = worker->run(test);
    CountedCase counted{shape, {}, {}};
    if (!result.passed()) counted.incorrect = fmt::format("{}: {}", name(result.outcome), result.message);
    if (result.counters) counted.counters = result.counters->total.flat();
    cases.push_back(std::move(counted));
    progress.advance(shape.text());
  }
  return cases;
}

}  // namespace assay::cli
