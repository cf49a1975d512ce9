// SPDX-License-Identifier: MIT
#include "measure/measurement_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "judge/json_fields.hpp"

namespace assay::measure {
namespace {

using judge::number;
using judge::number_from;
using judge::whole_from;
using judge::word_from;
using nlohmann::json;

json optional_number(const std::optional<double>& value) {
  return value ? number(*value) : json();
}

std::optional<double> optional_number_from(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(number_from(value));
}

json numbers(const std::vector<double>& values) {
  json list = json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

const json& list_in(const json& object, const char* key) {
  const json& value = object.at(key);
  judge::expect_list(value);
  return value;
}

std::vector<double> numbers_from(const json& object, const char* key) {
  std::vector<double> values;
  for (const json& value : list_in(object, key)) values.push_back(number_from(value));
  return values;
}

json error_json(const Error& error) {
  return {{"message", error.message},     {"file", error.place.file}, {"line", error.place.line},
          {"column", error.place.column}, {"hint", error.hint},       {"exit_code", static_cast<int>(error.exit_code)}};
}

Error error_from(const json& value) {
  Error error;
  error.message = word_from(value.at("message"));
  error.place = {word_from(value.at("file")), value.at("line").get<int>(), value.at("column").get<int>()};
  error.hint = word_from(value.at("hint"));
  error.exit_code = static_cast<ExitCode>(value.at("exit_code").get<int>());
  return error;
}

json guards_json(const Guards& guards) {
  json list = json::array();
  for (const Guard& guard : guards.all())
    list.push_back({{"guard", name(guard.kind)}, {"state", name(guard.state)}, {"detail", guard.detail}});
  return list;
}

Guards guards_from(const json& list) {
  Guards guards;
  judge::expect_list(list);
  for (const json& entry : list) {
    const auto kind = guard_from_name(word_from(entry.at("guard")));
    if (!kind) throw std::invalid_argument("unknown guard");
    const std::string state = word_from(entry.at("state"));
    std::string detail = word_from(entry.at("detail"));
    if (state == name(GuardState::passed)) {
      guards.pass(*kind, std::move(detail));
    } else if (state == name(GuardState::failed)) {
      guards.fail(*kind, std::move(detail));
    } else {
      guards.unavailable(*kind, std::move(detail));
    }
  }
  return guards;
}

json batches_json(const judge::Batches& batches) {
  json list = json::array();
  for (const judge::Batch& batch : batches)
    list.push_back({{"us", numbers(batch.microseconds)},
                    {"throttled", batch.throttled},
                    {"clock_mhz", optional_number(batch.clock_mhz)},
                    {"process", batch.process}});
  return list;
}

judge::Batches batches_from(const json& list) {
  judge::Batches batches;
  judge::expect_list(list);
  for (const json& entry : list) {
    judge::Batch batch;
    batch.microseconds = numbers_from(entry, "us");
    for (const json& mark : list_in(entry, "throttled")) batch.throttled.push_back(judge::flag_from(mark));
    batch.clock_mhz = optional_number_from(entry.at("clock_mhz"));
    batch.process = whole_from(entry.at("process"));
    batches.push_back(std::move(batch));
  }
  return batches;
}

json summary_json(const stats::Summary& summary) {
  return {{"count", summary.count},
          {"figures", numbers({summary.minimum, summary.p50, summary.p90, summary.p99, summary.maximum, summary.mean,
                               summary.deviation, summary.robust_spread})}};
}

stats::Summary summary_from(const json& value) {
  const std::vector<double> figures = numbers_from(value, "figures");
  if (figures.size() != 8) throw std::invalid_argument("a summary has eight figures");
  return {whole_from(value.at("count")),
          figures[0],
          figures[1],
          figures[2],
          figures[3],
          figures[4],
          figures[5],
          figures[6],
          figures[7]};
}

json contender_json(const ContenderResult& result) {
  json kernels = json::array();
  for (const LaunchedKernel& kernel : result.kernels)
    kernels.push_back({{"name", kernel.name}, {"stream", kernel.stream}, {"us", number(kernel.us)}});
  json requests = json::object();
  for (const auto& [request, cost] : result.requests)
    requests[request] = json::array({cost.count, number(cost.seconds)});
  return {{"name", result.name},
          {"provider", result.provider},
          {"variant", result.variant},
          {"versions", result.versions},
          {"failure", result.failure ? error_json(*result.failure) : json()},
          {"guards", guards_json(result.guards)},
          {"accuracy",
           numbers({result.accuracy.error, result.accuracy.rounding, result.accuracy.limit, result.accuracy.share})},
          {"verified_sets", result.verified_sets},
          {"ungated", result.ungated},
          {"deterministic", result.deterministic},
          {"batches", batches_json(result.batches)},
          {"throughput", numbers(result.throughput)},
          {"time_us", result.time_us ? summary_json(*result.time_us) : json()},
          {"median_interval", judge::interval_json(result.median_interval)},
          {"kernels", std::move(kernels)},
          {"requests", std::move(requests)},
          {"device_bytes", result.device_bytes ? json(*result.device_bytes) : json()}};
}

ContenderResult contender_from(const json& value) {
  ContenderResult result;
  result.name = word_from(value.at("name"));
  result.provider = word_from(value.at("provider"));
  result.variant = word_from(value.at("variant"));
  result.versions = value.at("versions").get<std::map<std::string, std::string>>();
  if (!value.at("failure").is_null()) result.failure = error_from(value.at("failure"));
  result.guards = guards_from(value.at("guards"));
  const std::vector<double> accuracy = numbers_from(value, "accuracy");
  if (accuracy.size() != 4) throw std::invalid_argument("accuracy has four figures");
  result.accuracy = {accuracy[0], accuracy[1], accuracy[2], accuracy[3]};
  result.verified_sets = whole_from(value.at("verified_sets"));
  result.ungated = whole_from(value.at("ungated"));
  result.deterministic = judge::flag_from(value.at("deterministic"));
  result.batches = batches_from(value.at("batches"));
  result.throughput = numbers_from(value, "throughput");
  if (!value.at("time_us").is_null()) result.time_us = summary_from(value.at("time_us"));
  result.median_interval = judge::interval_from(value.at("median_interval"));
  for (const json& kernel : list_in(value, "kernels"))
    result.kernels.push_back(
        {word_from(kernel.at("name")), kernel.at("stream").get<int64_t>(), number_from(kernel.at("us"))});
  if (value.contains("requests")) {  // not in what was written before it was counted
    for (const auto& [request, cost] : value.at("requests").items())
      result.requests[request] = {whole_from(cost.at(0)), number_from(cost.at(1))};
  }
  if (value.contains("device_bytes") && !value.at("device_bytes").is_null())
    result.device_bytes = whole_from(value.at("device_bytes"));
  return result;
}

CaseMeasurement read_measurement(const json& value) {
  CaseMeasurement measured;
  measured.shape = word_from(value.at("shape"));
  const json& work = value.at("work");
  measured.work = {optional_number_from(work.at("flops")), optional_number_from(work.at("bytes")),
                   number_from(work.at("output_bytes")), judge::flag_from(work.at("eight_bit"))};
  const std::vector<double> floor = numbers_from(value, "floor");
  if (floor.size() != 3) throw std::invalid_argument("a floor has three figures");
  measured.floor = {floor[0], floor[1], floor[2]};
  for (const auto& [field, text] : value.at("contract").items()) measured.contract.set(field, word_from(text));
  measured.seed = whole_from(value.at("seed"));
  measured.order_seed = whole_from(value.at("order_seed"));
  for (const json& contender : list_in(value, "contenders")) measured.contenders.push_back(contender_from(contender));
  if (measured.contenders.empty()) throw std::invalid_argument("a measurement without contenders");
  measured.stopped_because = word_from(value.at("stopped_because"));
  measured.seconds = number_from(value.at("seconds"));
  for (const json& step : list_in(value, "steps"))
    measured.steps.emplace_back(word_from(step.at(0)), number_from(step.at(1)));
  return measured;
}

}  // namespace

json to_json(const CaseMeasurement& measured) {
  json contenders = json::array();
  for (const ContenderResult& contender : measured.contenders) contenders.push_back(contender_json(contender));
  json steps = json::array();
  for (const auto& [step, seconds] : measured.steps) steps.push_back(json::array({step, number(seconds)}));
  return {{"shape", measured.shape},
          {"work",
           {{"flops", optional_number(measured.work.flops)},
            {"bytes", optional_number(measured.work.bytes)},
            {"output_bytes", number(measured.work.output_bytes)},
            {"eight_bit", measured.work.eight_bit}}},
          {"floor", numbers({measured.floor.us, measured.floor.compute_us, measured.floor.memory_us})},
          {"contract", measured.contract.fields()},
          {"seed", measured.seed},
          {"order_seed", measured.order_seed},
          {"contenders", std::move(contenders)},
          {"stopped_because", measured.stopped_because},
          {"seconds", number(measured.seconds)},
          {"steps", std::move(steps)}};
}

Result<CaseMeasurement> measurement_from_json(const json& value) {
  try {
    return read_measurement(value);
  } catch (const std::exception& problem) {
    return Error{fmt::format("this is no measurement: {}", problem.what())};
  }
}

}  // namespace assay::measure
