// SPDX-License-Identifier: MIT
#include "formats/google_benchmark.hpp"

#include <fmt/format.h>

#include "formats/result_name.hpp"

namespace assay::formats {

using nlohmann::ordered_json;

Written write_google_benchmark(const std::vector<ForeignResult>& results) {
  Written written;
  ordered_json benchmarks = ordered_json::array();
  size_t family = 0;
  bool timed = false;
  std::string date;
  for (const ForeignResult& result : results) {
    const std::string run = result_name(result, '/');
    if (result.when > date) date = result.when;
    if (!result.time.any()) {
      benchmarks.push_back(
          {{"name", run},
           {"run_name", run},
           {"run_type", "iteration"},
           {"error_occurred", true},
           {"error_message", result.message.empty() ? std::string(name(result.status)) : result.message}});
      continue;
    }
    const int64_t count = result.time.count.value_or(static_cast<int64_t>(result.time.samples.size()));
    const auto add = [&](const char* statistic, const std::optional<double>& us) {
      if (!us) return;
      timed = true;
      benchmarks.push_back({{"name", run + "_" + statistic},
                            {"family_index", family},
                            {"run_name", run},
                            {"run_type", "aggregate"},
                            {"repetitions", count},
                            {"threads", 1},
                            {"aggregate_name", statistic},
                            {"iterations", count},
                            {"real_time", *us},
                            {"cpu_time", *us},
                            {"time_unit", "us"},
                            {"label", result.protocol}});
    };
    add("mean", result.time.mean);
    add("median", result.time.median);
    add("stddev", result.time.deviation);
    ++family;
    if (!result.time.samples.empty()) written.lost.push_back({run, "the samples: aggregates stand for them"});
    if (result.baseline.any())
      written.lost.push_back(
          {run, fmt::format("the baseline '{}' is a benchmark of its own there", result.baseline_name)});
  }
  if (timed) written.lost.push_back({"cpu_time", "the format requires it; it repeats the time on the GPU"});
  ordered_json context = ordered_json::object();
  context["date"] = date;
  context["executable"] = "assay";
  if (!results.empty()) context["device"] = results.front().device;
  written.text = ordered_json{{"context", context}, {"benchmarks", benchmarks}}.dump(
                     2, ' ', false, ordered_json::error_handler_t::replace) +
                 "\n";
  return written;
}

}  // namespace assay::formats
