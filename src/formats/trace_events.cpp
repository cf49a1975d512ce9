// SPDX-License-Identifier: MIT
#include "formats/trace_events.hpp"

#include <fmt/format.h>

#include "formats/result_name.hpp"

namespace assay::formats {

Written write_trace_events(const std::vector<ForeignResult>& results) {
  using nlohmann::ordered_json;
  Written written;
  ordered_json events = ordered_json::array();
  int64_t process = 0;
  bool any = false;
  for (const ForeignResult& result : results) {
    const std::string title = result_name(result, ' ');
    if (result.time.samples.empty()) {
      written.lost.push_back({title, "it has no samples, and a figure is no event"});
      continue;
    }
    any = true;
    ++process;
    events.push_back({{"name", "process_name"},
                      {"ph", "M"},
                      {"pid", process},
                      {"args", {{"name", fmt::format("{} on {} ({})", title, result.device, result.protocol)}}}});
    double at = 0;
    for (size_t i = 0; i < result.time.samples.size(); ++i) {
      ordered_json event = {{"name", result.contender},      {"ph", "X"},      {"ts", at},
                            {"dur", result.time.samples[i]}, {"pid", process}, {"tid", result.contender}};
      if (i < result.time.clocks_mhz.size() && result.time.clocks_mhz[i] > 0)
        event["args"] = {{"clock_mhz", result.time.clocks_mhz[i]}};
      events.push_back(std::move(event));
      at += result.time.samples[i];
    }
  }
  if (any) written.lost.push_back({"ts", "when each sample began is not recorded: they stand one behind the other"});
  written.text = ordered_json{{"traceEvents", events}, {"displayTimeUnit", "ns"}}.dump(
                     -1, ' ', false, ordered_json::error_handler_t::replace) +
                 "\n";
  return written;
}

}  // namespace assay::formats
