// SPDX-License-Identifier: MIT
#include "formats/result_json.hpp"

#include "formats/fields.hpp"

namespace assay::formats {
namespace {

struct Figure {
  const char* name;
  std::optional<double> Statistics::* place;
};
constexpr Figure kFigures[] = {
    {"mean_us", &Statistics::mean},
    {"median_us", &Statistics::median},
    {"min_us", &Statistics::least},
    {"max_us", &Statistics::most},
    {"deviation_us", &Statistics::deviation},
    {"lower_quartile_us", &Statistics::lower},
    {"upper_quartile_us", &Statistics::upper},
};

// Samples go to the ledger's own table.
ordered_json statistics_json(const Statistics& statistics) {
  ordered_json json = ordered_json::object();
  for (const Figure& figure : kFigures) {
    if (statistics.*figure.place) json[figure.name] = *(statistics.*figure.place);
  }
  if (statistics.count) json["count"] = *statistics.count;
  return json;
}

Result<Statistics> statistics_from(const ordered_json* json) {
  Statistics statistics;
  if (json == nullptr) return statistics;
  Fields fields(*json, "the ledger", "time");
  for (const Figure& figure : kFigures) statistics.*figure.place = fields.maybe_number(figure.name);
  statistics.count = fields.maybe_integer("count");
  ASSAY_CHECK(fields.check());
  return statistics;
}

}  // namespace

ordered_json to_json(const ForeignResult& result) {
  ordered_json json;
  json["task"] = result.task;
  json["contender"] = result.contender;
  json["shape"] = result.shape;
  json["configuration"] = result.configuration;
  json["device"] = result.device;
  json["versions"] = result.versions;
  json["when"] = result.when;
  json["status"] = name(result.status);
  json["message"] = result.message;
  json["time"] = statistics_json(result.time);
  json["baseline"] = statistics_json(result.baseline);
  json["baseline_name"] = result.baseline_name;
  json["protocol"] = result.protocol;
  json["other"] = result.other;
  json["record"] = result.record;
  json["record_format"] = result.record_format;
  return json;
}

Result<ForeignResult> result_from_json(const ordered_json& json) {
  Fields fields(json, "the ledger");
  ForeignResult result;
  result.task = fields.text("task");
  result.contender = fields.text("contender");
  result.shape = fields.text("shape");
  result.configuration = fields.text("configuration");
  result.device = fields.text("device");
  result.when = fields.text("when");
  result.message = fields.text("message");
  result.baseline_name = fields.text("baseline_name");
  result.protocol = fields.text("protocol");
  result.record_format = fields.text("record_format");
  if (const ordered_json* const record = fields.any("record")) result.record = *record;
  const std::optional<Status> status = status_from_name(fields.text("status"));
  ASSAY_TRY(result.time, statistics_from(fields.maybe_object("time")));
  ASSAY_TRY(result.baseline, statistics_from(fields.maybe_object("baseline")));
  if (const ordered_json* const versions = fields.maybe_object("versions")) {
    for (const auto& [key, value] : versions->items()) {
      if (value.is_string()) result.versions[key] = value.get<std::string>();
    }
  }
  if (const ordered_json* const other = fields.maybe_object("other")) {
    for (const auto& [key, value] : other->items()) {
      if (value.is_number()) result.other[key] = value.get<double>();
    }
  }
  ASSAY_CHECK(fields.check());
  if (!status) return Error{"the status of a result is not known", Place{"the ledger"}};
  result.status = *status;
  return result;
}

}  // namespace assay::formats
