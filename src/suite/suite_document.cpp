// SPDX-License-Identifier: MIT
#include <nlohmann/json.hpp>

#include "judge/json_fields.hpp"
#include "suite/suite_report.hpp"

namespace assay::suite {
namespace {

using judge::number;
using nlohmann::json;

json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : json();
}

json against_document(const Against& against) {
  json document = {{"baseline", against.baseline},
                   {"comparable", against.comparable()},
                   {"objection", against.objection},
                   {"p50_us", optional_number(against.p50_us)}};
  if (against.speedup) {
    document["speedup"] = number(*against.speedup);
    document["interval"] = judge::interval_json(against.interval);
    document["verdict"] = to_string(against.verdict);
    document["reason"] = against.reason;
    document["p"] = number(against.p);
    document["adjusted_p"] = number(against.adjusted_p);
  }
  return document;
}

json row_document(const Row& row) {
  json against = json::array();
  for (const Against& each : row.against) against.push_back(against_document(each));
  const Against* fastest = row.status == Status::measured ? row.fastest_baseline() : nullptr;
  json document = {{"kernel", row.kernel},
                   {"configuration", row.configuration},
                   {"shape", row.shape},
                   {"dtype", row.dtype},
                   {"status", to_string(row.status)},
                   {"reason", row.reason},
                   {"hint", row.hint},
                   {"p50_us", optional_number(row.p50_us)},
                   {"best_baseline", fastest != nullptr ? json(fastest->baseline) : json()},
                   {"baselines", std::move(against)},
                   {"resumed", row.resumed},
                   {"attempt", row.attempt ? json(*row.attempt) : json()}};
  if (!row.document.is_null()) document["case"] = row.document;
  return document;
}

json extreme_document(const std::vector<Row>& rows, const std::optional<Extreme>& extreme) {
  if (!extreme) return {};
  const Row& row = rows[extreme->row];
  return {{"row", extreme->row},
          {"kernel", row.kernel},
          {"configuration", row.configuration},
          {"shape", row.shape},
          {"speedup", number(extreme->speedup)}};
}

json mean_document(const std::vector<Row>& rows, const Mean& mean) {
  json left_out = json::array();
  for (const LeftOut& each : mean.left_out)
    left_out.push_back({{"row", each.row}, {"item", rows[each.row].label()}, {"reason", each.reason}});
  return {{"kernel", mean.subject.empty() ? json() : json(mean.subject)},
          {"baseline", mean.baseline.empty() ? json() : json(mean.baseline)},
          {"count", mean.count},
          {"geometric_mean", optional_number(mean.speedup)},
          {"best", extreme_document(rows, mean.best)},
          {"worst", extreme_document(rows, mean.worst)},
          {"left_out", std::move(left_out)}};
}

json head(const Plan& plan) {
  return {{"suite", plan.name},
          {"description", plan.description},
          {"file", plan.file},
          {"items", plan.item_count()},
          {"meaning", plan.meaning}};
}

}  // namespace

json suite_document(const Plan& plan, const std::vector<Row>& rows, const Summary& summary) {
  json document = head(plan);
  json list = json::array();
  for (const Row& row : rows) list.push_back(row_document(row));
  json means = json::array();
  for (const Mean& mean : summary.means) means.push_back(mean_document(rows, mean));
  document["rows"] = std::move(list);
  document["summary"] = {{"measured", summary.measured}, {"rejected", summary.rejected},
                         {"failed", summary.failed},     {"skipped", summary.skipped},
                         {"resumed", summary.resumed},   {"comparisons", summary.comparisons},
                         {"means", std::move(means)}};
  return document;
}

json plan_document(const Plan& plan) {
  json document = head(plan);
  json items = json::array();
  for (const Group& group : plan.groups) {
    for (const Item& item : group.items) {
      items.push_back({{"kernel", group.kernel()},
                       {"specification", group.spec->file.string()},
                       {"configuration", group.configuration.id()},
                       {"shape", item.shape.text()},
                       {"dtype", item.dtype()},
                       {"key", item.key},
                       {"baselines", group.baselines},
                       {"protocol", group.measuring.protocol},
                       {"cache", group.measuring.cache},
                       {"sets", group.measuring.sets},
                       {"samples", group.measuring.samples},
                       {"most_samples", group.measuring.most_samples},
                       {"budget", group.measuring.budget_s},
                       {"width", group.measuring.width},
                       {"skipped", item.skipped}});
    }
  }
  document["plan"] = std::move(items);
  return document;
}

}  // namespace assay::suite
