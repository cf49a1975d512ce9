// SPDX-License-Identifier: MIT
#include "judge/gate_json.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/escape.hpp"
#include "judge/comparison_json.hpp"
#include "judge/json_fields.hpp"

namespace assay::judge {
namespace {

using nlohmann::json;

json counter_json(const CounterChange& change) {
  return {{"name", valid_utf8(change.name)}, {"baseline", change.baseline},      {"candidate", change.candidate},
          {"growth", number(change.growth)}, {"trend", to_string(change.trend)}, {"judged", change.judged}};
}

json estimated_json(const EstimatedTime& time) {
  return {{"us", number(time.us)}, {"low_us", number(time.low_us)}, {"high_us", number(time.high_us)}};
}

json case_json(const GateCaseResult& test) {
  json result{{"name", valid_utf8(test.name)},
              {"verdict", to_string(test.verdict)},
              {"reason", valid_utf8(test.reason)},
              {"adjusted_p", number(test.adjusted_p)},
              {"counters", json::array()}};
  for (const CounterChange& change : test.counters) result["counters"].push_back(counter_json(change));
  if (test.comparison) result["comparison"] = to_json(*test.comparison);
  if (test.estimated)
    result["estimated"] = {{"candidate", estimated_json(test.estimated->candidate)},
                           {"baseline", estimated_json(test.estimated->baseline)}};
  return result;
}

constexpr double kLargestDeviation = 10;  // of a process's level, relative: more is no measurement

Calibration read_calibration(const json& value) {
  Calibration result;
  result.trials = whole_from(value.at("trials"));
  result.false_verdicts = whole_from(value.at("false_verdicts"));
  result.undecided = whole_from(value.at("undecided"));
  result.false_rate = number_from(value.at("false_rate"));
  result.false_rate_interval = interval_from(value.at("false_rate_interval"));
  const json& detections = value.at("detections");
  expect_list(detections);
  result.detections.reserve(detections.size());
  for (const json& detection : detections) {
    result.detections.push_back({number_from(detection.at("slowdown")), whole_from(detection.at("trials")),
                                 whole_from(detection.at("found")), number_from(detection.at("rate")),
                                 interval_from(detection.at("interval"))});
  }
  if (value.contains("smallest_detected")) result.smallest_detected = number_from(value.at("smallest_detected"));
  const json& points = value.at("spread");
  expect_list(points);
  for (const json& point : points) {
    const SpreadPoint read{number_from(point.at("us")), number_from(point.at("deviation")),
                           whole_from(point.at("processes"))};
    const bool possible = read.microseconds > 0 && std::isfinite(read.microseconds) && read.deviation >= 0 &&
                          std::isfinite(read.deviation) && read.deviation <= kLargestDeviation;
    if (!possible) throw std::invalid_argument("a spread of processes that cannot be");
    result.spread.push_back(read);
  }
  return result;
}

template <class T>
Result<T> guarded(T (*read)(const json&), const json& value, const char* what) {
  try {
    return read(value);
  } catch (const std::exception& problem) {
    return Error{.message = fmt::format("this is not a {}: {}", what, problem.what())};
  }
}

}  // namespace

json to_json(const GateResult& result) {
  const GateOptions& options = result.options;
  json document{{"verdict", to_string(result.verdict)},
                {"exit_code", static_cast<unsigned>(result.exit_code)},
                {"reason", valid_utf8(result.reason)},
                {"options",
                 {{"threshold", options.threshold},
                  {"counter_threshold", options.counter_threshold},
                  {"alpha", options.alpha},
                  {"inconclusive_passes", options.inconclusive_passes},
                  {"strict", options.strict}}},
                {"cases", json::array()}};
  for (const GateCaseResult& test : result.cases) document["cases"].push_back(case_json(test));
  if (result.calibration) document["calibration"] = to_json(*result.calibration);
  return document;
}

json to_json(const Calibration& calibration) {
  json document{{"trials", calibration.trials},
                {"false_verdicts", calibration.false_verdicts},
                {"undecided", calibration.undecided},
                {"false_rate", number(calibration.false_rate)},
                {"false_rate_interval", interval_json(calibration.false_rate_interval)},
                {"detections", json::array()}};
  for (const Detection& detection : calibration.detections) {
    document["detections"].push_back({{"slowdown", number(detection.slowdown)},
                                      {"trials", detection.trials},
                                      {"found", detection.found},
                                      {"rate", number(detection.rate)},
                                      {"interval", interval_json(detection.interval)}});
  }
  if (calibration.smallest_detected) document["smallest_detected"] = number(*calibration.smallest_detected);
  document["spread"] = json::array();
  for (const SpreadPoint& point : calibration.spread)
    document["spread"].push_back(
        {{"us", number(point.microseconds)}, {"deviation", number(point.deviation)}, {"processes", point.processes}});
  return document;
}

Result<Calibration> calibration_from_json(const json& value) {
  return guarded(read_calibration, value, "calibration");
}

}  // namespace assay::judge
