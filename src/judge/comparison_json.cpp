// SPDX-License-Identifier: MIT
#include "judge/comparison_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "judge/json_fields.hpp"

namespace assay::judge {
namespace {

using nlohmann::json;

json options_json(const CompareOptions& options) {
  return {{"margin", options.margin},
          {"minimum_effect", options.minimum_effect},
          {"alpha", options.alpha},
          {"power", options.power},
          {"max_throttled", options.max_throttled},
          {"interleaved", options.interleaved},
          {"run_spread", options.run_spread},
          {"process_spread", options.process_spread ? json{{"part", number(options.process_spread->part)},
                                                           {"constant_us", number(options.process_spread->constant_us)}}
                                                    : json()},
          {"resamples", options.resamples},
          {"seed", options.seed}};
}

CompareOptions options_from(const json& value) {
  CompareOptions options;
  options.margin = number_from(value.at("margin"));
  options.minimum_effect = number_from(value.at("minimum_effect"));
  options.alpha = number_from(value.at("alpha"));
  options.power = number_from(value.at("power"));
  options.max_throttled = number_from(value.at("max_throttled"));
  options.interleaved = flag_from(value.at("interleaved"));
  options.run_spread = number_from(value.at("run_spread"));
  if (const json& spread = value.at("process_spread"); !spread.is_null())
    options.process_spread = {number_from(spread.at("part")), number_from(spread.at("constant_us"))};
  options.resamples = whole_from(value.at("resamples"));
  options.seed = whole_from(value.at("seed"));
  return options;
}

json side_json(const Side& side) {
  const stats::Summary& time = side.time_us;
  json result{{"samples", time.count},
              {"batches", side.batches},
              {"processes", side.processes},
              {"min_us", number(time.minimum)},
              {"p50_us", number(time.p50)},
              {"p90_us", number(time.p90)},
              {"p99_us", number(time.p99)},
              {"max_us", number(time.maximum)},
              {"mean_us", number(time.mean)},
              {"deviation_us", number(time.deviation)},
              {"robust_spread_us", number(time.robust_spread)},
              {"median_interval_us", interval_json(side.median_interval)},
              {"throttled_fraction", number(side.throttled_fraction)}};
  if (side.clock_mhz) result["clock_mhz"] = number(*side.clock_mhz);
  return result;
}

Side side_from(const json& value) {
  Side side;
  side.time_us = {.count = whole_from(value.at("samples")),
                  .minimum = number_from(value.at("min_us")),
                  .p50 = number_from(value.at("p50_us")),
                  .p90 = number_from(value.at("p90_us")),
                  .p99 = number_from(value.at("p99_us")),
                  .maximum = number_from(value.at("max_us")),
                  .mean = number_from(value.at("mean_us")),
                  .deviation = number_from(value.at("deviation_us")),
                  .robust_spread = number_from(value.at("robust_spread_us"))};
  side.batches = whole_from(value.at("batches"));
  side.processes = whole_from(value.at("processes"));
  side.median_interval = interval_from(value.at("median_interval_us"));
  side.throttled_fraction = number_from(value.at("throttled_fraction"));
  if (value.contains("clock_mhz")) side.clock_mhz = number_from(value.at("clock_mhz"));
  return side;
}

Comparison read(const json& value) {
  Comparison result;
  result.verdict = enum_from(value.at("verdict"), {Verdict::faster, Verdict::slower, Verdict::same,
                                                   Verdict::inconclusive, Verdict::throttled});
  result.reason = word_from(value.at("reason"));
  result.ratio = number_from(value.at("ratio"));
  result.interval = interval_from(value.at("interval"));
  result.p = number_from(value.at("p"));
  result.equivalence_p = number_from(value.at("equivalence_p"));
  result.minimum_detectable_effect = number_from(value.at("minimum_detectable_effect"));
  result.likely = interval_from(value.at("likely"));
  result.units = whole_from(value.at("units"));
  result.replicated = flag_from(value.at("replicated"));
  result.between_processes = number_from(value.at("between_processes"));
  result.between_batches = number_from(value.at("between_batches"));
  if (value.contains("cycles")) {
    const json& cycles = value.at("cycles");
    result.cycles = {number_from(cycles.at("ratio")), interval_from(cycles.at("interval")),
                     flag_from(cycles.at("confirms"))};
  }
  result.mann_whitney_p = number_from(value.at("mann_whitney_p"));
  result.cliff_delta = number_from(value.at("cliff_delta"));
  result.hodges_lehmann = number_from(value.at("hodges_lehmann"));
  result.hodges_lehmann_interval = interval_from(value.at("hodges_lehmann_interval"));
  result.median_ratio = number_from(value.at("median_ratio"));
  result.median_ratio_interval = interval_from(value.at("median_ratio_interval"));
  result.candidate = side_from(value.at("candidate"));
  result.baseline = side_from(value.at("baseline"));
  const json& warnings = value.at("warnings");
  expect_list(warnings);
  result.warnings.reserve(warnings.size());
  for (const json& warning : warnings) result.warnings.push_back(word_from(warning));
  result.options = options_from(value.at("options"));
  return result;
}

}  // namespace

json to_json(const Comparison& comparison) {
  json result{{"verdict", to_string(comparison.verdict)},
              {"reason", comparison.reason},
              {"ratio", number(comparison.ratio)},
              {"interval", interval_json(comparison.interval)},
              {"p", number(comparison.p)},
              {"equivalence_p", number(comparison.equivalence_p)},
              {"minimum_detectable_effect", number(comparison.minimum_detectable_effect)},
              {"likely", interval_json(comparison.likely)},
              {"units", comparison.units},
              {"replicated", comparison.replicated},
              {"between_processes", number(comparison.between_processes)},
              {"between_batches", number(comparison.between_batches)},
              {"mann_whitney_p", number(comparison.mann_whitney_p)},
              {"cliff_delta", number(comparison.cliff_delta)},
              {"hodges_lehmann", number(comparison.hodges_lehmann)},
              {"hodges_lehmann_interval", interval_json(comparison.hodges_lehmann_interval)},
              {"median_ratio", number(comparison.median_ratio)},
              {"median_ratio_interval", interval_json(comparison.median_ratio_interval)},
              {"candidate", side_json(comparison.candidate)},
              {"baseline", side_json(comparison.baseline)},
              {"warnings", comparison.warnings},
              {"options", options_json(comparison.options)}};
  if (comparison.cycles) {
    result["cycles"] = {{"ratio", number(comparison.cycles->ratio)},
                        {"interval", interval_json(comparison.cycles->interval)},
                        {"confirms", comparison.cycles->confirms}};
  }
  return result;
}

Result<Comparison> comparison_from_json(const json& value) {
  try {
    return read(value);
  } catch (const std::exception& problem) {
    return Error{.message = fmt::format("this is not a comparison: {}", problem.what())};
  }
}

}  // namespace assay::judge
