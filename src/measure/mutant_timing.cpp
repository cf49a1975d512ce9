// SPDX-License-Identifier: MIT
#include "measure/mutant_timing.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/elapsed.hpp"
#include "base/progress.hpp"
#include "check/launch_change.hpp"
#include "stats/quantile.hpp"
#include "stats/ratio_estimate.hpp"
#include "stats/sample.hpp"

namespace assay::measure {
namespace {

using std::chrono::steady_clock;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Result<std::unique_ptr<MutantTiming>> MutantTiming::open(const ProblemCase& problem, Options options) {
  std::unique_ptr<MutantTiming> timing(new MutantTiming(problem, std::move(options)));
  Protocol& protocol = timing->protocol_;
  protocol = rotating_or_warm(protocol, problem.bytes(), static_cast<uint64_t>(timing->options_.model.l2_bytes));
  timing->scratch_.emplace(problem.bytes() * (protocol.sets + 1));
  Random random(timing->options_.seed);
  ASSAY_TRY(timing->sets_, make_input_sets(problem, protocol.sets, random, *timing->scratch_, "set"));
  return timing;
}

Result<void> MutantTiming::prepare(Side& side, const TimedImage& image, const char* name) {
  const std::string change = check::to_json(image.change).dump();
  std::string wanted = fmt::format("{}\n{}\n{}", image.configuration, image.ptx.string(), change);
  if (side.provider && side.prepared == wanted) return {};
  side.prepared.clear();
  if (!side.provider) {
    Contender contender{name, "kernel", {options_.context.program, kProviderCommand}, {}, true};
    Provider::Limits limits = Provider::Limits::of(*problem_.spec);
    limits.request = options_.time_limit;
    ASSAY_TRY(side.provider, Provider::start(contender, options_.device, limits));
  }
  spec::Options options;
  options["specification"] = std::filesystem::absolute(problem_.spec->file).string();
  options["configuration"] = image.configuration;
  options["ptx"] = image.ptx.string();
  options["cubin"] = image.cubin.string();
  options["launch_change"] = change;
  Protocol protocol = protocol_;
  if (image.change.cold_caches) protocol.cache = Cache::cold;
  const TimingFiles timing{options_.instruments, static_cast<uint64_t>(2 * options_.model.l2_bytes)};
  const auto ready = side.provider->prepare(prepare_request(problem_, protocol, timing, sets_, options));
  if (!ready) {
    side.provider.reset();  // it was stopped
    return ready.error();
  }
  side.prepared = std::move(wanted);
  return {};
}

Result<std::vector<double>> MutantTiming::sample(Side& side, const BatchPlan& plan, MutantTime& into) {
  auto batch = side.provider->sample(plan.sets, plan.poisons);
  if (!batch) {
    side.provider.reset();
    return batch.error();
  }
  std::vector<double> times(batch->us.begin() + static_cast<std::ptrdiff_t>(plan.lead_in), batch->us.end());
  for (const bool throttled : batch->throttled) into.throttled = into.throttled || throttled;
  if (!batch->clock_mhz.empty()) into.clock_mhz = batch->clock_mhz.back();
  return times;
}

Result<MutantTime> MutantTiming::time(const TimedImage& control, const TimedImage& mutant) {
  const auto start = steady_clock::now();
  const auto timed = [&]() -> Result<MutantTime> {
    ASSAY_CHECK(prepare(control_, control, "control"));
    ASSAY_CHECK(prepare(mutant_, mutant, "mutant"));
    MutantTime result;
    std::vector<double> ratios;
    std::vector<double> controls;
    std::vector<double> mutants;
    for (size_t round = 0; round < options_.rounds; ++round) {
      ASSAY_CHECK(check_cancelled(options_.context));
      const BatchPlan plan = schedule_.plan(options_.samples, sets_.size());
      // ABBA: a drift of the clock hits both alike.
      const bool mutant_first = round % 2 == 1;
      std::vector<double> own;
      std::vector<double> other;
      for (const bool first : {true, false}) {
        const bool is_mutant = first == mutant_first;
        ASSAY_TRY((is_mutant ? own : other), sample(is_mutant ? mutant_ : control_, plan, result));
      }
      if (own.empty() || other.empty()) return Error{"no samples came back", {}, "", ExitCode::environment};
      ratios.push_back(std::log(median(own) / median(other)));
      controls.push_back(median(other));
      mutants.push_back(median(own));
    }
    const stats::RatioEstimate estimate = stats::paired_ratio(ratios, 0);
    result.us = median(mutants);
    result.control_us = median(controls);
    result.ratio = estimate.ratio();
    constexpr double kConfidence = 0.95;
    if (estimate.usable()) result.interval = estimate.interval(kConfidence);
    return result;
  }();
  spent_s_ += seconds_since(start);
  return timed;
}

}  // namespace assay::measure
