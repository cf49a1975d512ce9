// SPDX-License-Identifier: MIT
#include "report/profile_document.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "check/counters_json.hpp"
#include "profiling/ncu.hpp"

namespace assay::report {
namespace {

using nlohmann::json;

json figure_json(const profiling::Figure& figure) {
  return {{"name", figure.name},
          {"value", figure.value && std::isfinite(*figure.value) ? json(*figure.value) : json(nullptr)},
          {"unit", figure.unit},
          {"want", figure.want},
          {"judgement", to_string(figure.judgement)},
          {"evidence", to_string(figure.evidence)},
          {"note", figure.note}};
}

// A counter that Nsight Compute has as well: the two values side by side.
json metric_json(const gpu::CounterInfo& counter, uint64_t counted, const profiling::Profile& profile) {
  json metric = {{"name", counter.name}, {"counted", counted}};
  if (counter.ncu.empty()) return metric;
  metric["ncu"] = counter.ncu;
  if (!profile.measured) return metric;
  if (const auto measured = profile.measured->value(counter.ncu)) metric["measured"] = *measured;
  return metric;
}

}  // namespace

json profile_document(const profiling::Profile& profile) {
  json counters = check::to_json(profile.counters);
  json metrics = json::array();
  for (const gpu::CounterInfo& counter : gpu::counter_table())
    metrics.push_back(metric_json(counter, profile.counters.total[counter.counter], profile));
  json figures = json::array();
  for (const profiling::Figure& figure : profile.figures) figures.push_back(figure_json(figure));
  json document = {{"entry", profile.entry},
                   {"shape", profile.shape},
                   {"counted_on", profile.device},
                   {"counters", std::move(counters["total"])},
                   {"lines", std::move(counters["lines"])},
                   {"metrics", std::move(metrics)},
                   {"figures", std::move(figures)}};
  if (profile.measured) {
    json measured = json::object();
    for (const auto& [name, metric] : profile.measured->metrics) {
      if (std::isfinite(metric.value)) measured[name] = {{"value", metric.value}, {"unit", metric.unit}};
    }
    document["measured"] = {{"on", profile.measured_on}, {"with", "ncu"}, {"metrics", std::move(measured)}};
  }
  if (profile.not_measured)
    document["not_measured"] = {{"reason", profile.not_measured->message}, {"hint", profile.not_measured->hint}};
  return document;
}

}  // namespace assay::report
