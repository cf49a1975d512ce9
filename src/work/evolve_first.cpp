// SPDX-License-Identifier: MIT
#include "work/evolve_first.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assay/bench.hpp"
#include "base/progress.hpp"
#include "device/open/open_device.hpp"
#include "work/evolve_trial.hpp"
#include "work/kernel.hpp"

namespace assay::work {
namespace {

constexpr double kBudget = 5;  // seconds of one shape

BenchRequest bench_of(const FirstRequest& request, const std::string& shape) {
  BenchRequest bench;
  bench.choice = {request.kernel, request.configuration, request.device};
  bench.measuring.shape = shape;
  bench.measuring.budget_s = kBudget;
  bench.record = request.record;
  return bench;
}

Result<double> time_of(const FirstRequest& request, const std::string& shape, const Context& context) {
  ASSAY_TRY(const BenchReport report, work::bench(bench_of(request, shape), context));
  const ContenderTime& own = report.kernels.front().cases.front().contenders.front();
  if (own.good && own.p50_us) return *own.p50_us;
  return Error{fmt::format("the kernel itself cannot be timed on {}: {}", shape, own.objection), Place{request.kernel},
               "assay bench shows it", ExitCode::incorrect};
}

Result<std::optional<double>> speed_beside_baseline(const FirstRequest& request, const spec::KernelSpec& spec,
                                                    const std::string& shape, const Context& context) {
  BenchRequest bench = bench_of(request, shape);
  if (!request.baseline.empty()) bench.baselines = {request.baseline};
  for (const spec::Baseline& each : spec.baselines) {
    if (request.baseline.empty()) bench.baselines.push_back(each.name);
  }
  if (bench.baselines.empty()) return std::optional<double>();
  ASSAY_TRY(const BenchReport measured, work::bench(bench, context));
  std::optional<double> slowest;
  const std::vector<ContenderTime>& contenders = measured.kernels.front().cases.front().contenders;
  for (size_t i = 1; i < contenders.size(); ++i) {
    if (contenders[i].good && contenders[i].speedup)
      slowest = std::min(slowest.value_or(*contenders[i].speedup), *contenders[i].speedup);
  }
  return slowest;
}

}  // namespace

Result<FirstTrial> try_first(const FirstRequest& request, const Context& context) {
  FirstTrial trial;
  ASSAY_TRY(const spec::KernelSpec spec, spec::load(request.kernel));
  ASSAY_TRY(const spec::Configuration configuration, chosen_configuration(spec, request.configuration));
  ASSAY_TRY(const std::unique_ptr<device::Device> gpu, device::open_device(request.device));
  trial.virtual_device = device::virtual_twin(*gpu);
  JudgingRequest judging;
  judging.device = request.device;
  judging.virtual_device = trial.virtual_device;
  judging.seed = request.seed;
  judging.limits = request.limits;
  const std::string chosen = spec.tunable.tunables.empty() ? "" : configuration.id();
  ASSAY_TRY(trial.wrong, why_incorrect(request.kernel, chosen, {}, judging, trial.costs, context));
  if (!trial.wrong.empty()) return trial;
  ASSAY_TRY(const std::vector<spec::Shape> shapes, race_shapes(spec, configuration, true));
  const Stopwatch watch(trial.costs.gpu_s);
  for (const spec::Shape& shape : shapes) {
    ASSAY_CHECK(check_cancelled(context));
    ASSAY_TRY(trial.times_us[shape.text()], time_of(request, shape.text(), context));
  }
  if (request.beside_baseline) {
    ASSAY_TRY(trial.speed, speed_beside_baseline(request, spec, shapes.front().text(), context));
  }
  return trial;
}

}  // namespace assay::work
