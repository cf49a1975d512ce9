// SPDX-License-Identifier: MIT
#include "work/evolve_trial.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "assay/check.hpp"
#include "base/random.hpp"
#include "check/cases.hpp"
#include "check/domain.hpp"
#include "device/open/open_device.hpp"
#include "work/diagnose_details.hpp"

namespace assay::work {
namespace {

constexpr double kVerifiable = 6e8;  // operations of a shape whose results a virtual GPU verifies

}  // namespace

RecordOptions nowhere() {
  RecordOptions none;
  none.ledger = "none";
  return none;
}

Context quiet(const Context& context) {
  Context silent = context;
  silent.listener = nullptr;
  return silent;
}

bool verifiable(const spec::KernelSpec& spec, const spec::Configuration& configuration, const spec::Shape& shape) {
  if (!check::why_not(spec, configuration, shape).empty()) return false;
  const auto work = check::work(spec, configuration, shape);
  return work && *work <= kVerifiable;
}

Result<std::vector<spec::Shape>> race_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                             bool on_gpu) {
  const std::vector<std::string> sets = spec::shape_set_names(spec);
  ASSAY_TRY(std::vector<spec::Shape> shapes, std::ranges::find(sets, "canonical") != sets.end()
                                                 ? spec::shapes(spec, "canonical")
                                                 : spec::all_shapes(spec));
  std::erase_if(shapes, [&](const spec::Shape& shape) {
    return !check::why_not(spec, configuration, shape).empty() || (!on_gpu && !verifiable(spec, configuration, shape));
  });
  if (!shapes.empty()) return shapes;
  ASSAY_TRY(std::vector<spec::Shape> all, spec::all_shapes(spec));
  std::erase_if(all, [&](const spec::Shape& shape) { return !verifiable(spec, configuration, shape); });
  if (all.empty())
    return Error{"no shape of the specification is small enough to be verified on a virtual GPU",
                 Place{spec.file.string()}, "add a smaller one to [shapes], or use a GPU"};
  return std::vector{all.back()};
}

Result<std::vector<spec::Shape>> drawn_shapes(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                              const std::vector<spec::Shape>& known, uint64_t seed) {
  constexpr size_t kWanted = 2;
  constexpr size_t kDraws = 40;
  constexpr int64_t kSmallest = 16;
  ASSAY_TRY(const std::vector<check::Domain> domains, check::domains(spec));
  ASSAY_TRY(const std::vector<spec::Shape> all, spec::all_shapes(spec));
  Random random(seed);
  std::vector<spec::Shape> drawn;
  for (size_t draw = 0; draw < kDraws && drawn.size() < kWanted && !known.empty(); ++draw) {
    spec::Shape shape = known[draw % known.size()];
    for (const check::Domain& domain : domains) {
      const auto value = shape.values.find(domain.name);
      if (!domain.open || value == shape.values.end() || !value->second.is_number() || value->second.is_boolean())
        continue;
      const auto size = static_cast<int64_t>(value->second.as_double());
      if (size < kSmallest) continue;
      // Five to eleven eighths: another size of the same kind, whose divisors are mostly the same.
      const auto eighths = static_cast<int64_t>(5 + random.below(7));
      value->second = spec::Value(std::min(domain.limit, size * eighths / 8));
    }
    const bool fresh = std::ranges::find(all, shape) == all.end() && std::ranges::find(drawn, shape) == drawn.end();
    if (fresh && verifiable(spec, configuration, shape)) drawn.push_back(std::move(shape));
  }
  return drawn;
}

Result<DiagnoseReport> look_at(const std::string& specification, const std::string& configuration,
                               const std::string& shape, const JudgingRequest& request, const Context& context) {
  DiagnoseRequest diagnose;
  diagnose.choice = {specification, configuration, request.virtual_device};
  diagnose.shape = shape;
  diagnose.measure = false;
  diagnose.seed = request.seed;
  diagnose.limits = request.limits;
  diagnose.record = nowhere();
  return work::diagnose(diagnose, quiet(context));
}

evolve::Cell cell_of(const DiagnoseReport& looked, const evolve::PtxFacts& facts) {
  const EstimatedCase& estimated = looked.details->estimated;
  const int64_t fixed = estimated.usage ? estimated.usage->static_shared_bytes.value_or(0) : 0;
  double outputs = 0;
  for (const spec::ResolvedArgument& argument : estimated.arguments) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor != nullptr && spec::is_result(tensor->role)) outputs += static_cast<double>(tensor->elements);
  }
  const double threads =
      static_cast<double>(estimated.work.blocks) * static_cast<double>(estimated.work.block.volume());
  return {looked.limiter, evolve::shared_memory_class(fixed + estimated.launch.shared_bytes), facts.stages,
          evolve::work_class(threads > 0 ? outputs / threads : 0)};
}

std::map<std::string, double> counters_of(const DiagnoseReport& looked) {
  std::map<std::string, double> counters;
  const gpu::LaunchWork& work = looked.details->estimated.work;
  for (size_t i = 0; i < gpu::kWorkCount; ++i) {
    if (work.total.values[i] != 0)
      counters[std::string(gpu::to_string(static_cast<gpu::Work>(i)))] = work.total.values[i];
  }
  counters["dram_bytes"] = looked.details->estimated.estimate.dram_bytes;
  counters["chain_cycles"] = looked.details->estimated.estimate.chain_cycles;
  counters["blocks_per_sm"] = looked.details->estimated.blocks_per_sm;
  return counters;
}

Result<std::string> why_incorrect(const std::string& specification, const std::string& configuration,
                                  const std::vector<std::string>& further_shapes, const JudgingRequest& request,
                                  JudgingCosts& costs, const Context& context) {
  std::vector<std::string> devices{request.virtual_device};
  if (!device::is_virtual(request.device)) devices.push_back(request.device);
  std::vector<std::string> shapes{""};  // those of the specification, and random ones
  shapes.insert(shapes.end(), further_shapes.begin(), further_shapes.end());
  for (const std::string& device : devices) {
    const Stopwatch watch(device::is_virtual(device) ? costs.virtual_s : costs.gpu_s);
    for (const std::string& shape : shapes) {
      CheckRequest check;
      check.choice = {specification, configuration, device};
      check.shape = shape;
      check.fuzz = request.held_out;
      check.seed = request.seed;
      check.limits = request.limits;
      check.record = nowhere();
      ASSAY_TRY(const CheckReport report, work::check(check, quiet(context)));
      if (report.correct()) continue;
      const CaseReport& last = report.configurations.front().cases.back();
      return fmt::format("{} on {} at {} (inputs {}, seed {}): {} {}", report.verdict, device, last.shape,
                         last.distribution, last.seed, last.outcome, last.message);
    }
  }
  return std::string();
}

}  // namespace assay::work
