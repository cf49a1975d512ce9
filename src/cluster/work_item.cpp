// SPDX-License-Identifier: MIT
#include "cluster/work_item.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace assay::cluster {
namespace {

using nlohmann::json;

std::string text_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

json object_of(const Worker& worker) {
  return {{"name", worker.name}, {"host", worker.host}, {"device", worker.device},
          {"gpu", worker.gpu},   {"job", worker.job},   {"restarts", worker.restarts}};
}

// A number like 1e300 has no value as an int: what is not written as a whole number of that size is refused.
int whole_of(const json& value) {
  const auto number = value.get_ref<const json::number_integer_t&>();
  const auto fits = static_cast<int>(number);
  if (fits != number) throw json::other_error::create(501, "a number is too large", &value);
  return fits;
}

Worker worker_of(const json& object) {
  Worker worker;
  worker.name = object.at("name");
  worker.host = object.at("host");
  worker.device = object.at("device");
  worker.gpu = object.at("gpu");
  worker.job = object.at("job");
  worker.restarts = whole_of(object.at("restarts"));
  return worker;
}

// Files of the shared folder come from elsewhere: whatever is wrong with one is an error and no exception.
template <class Read>
auto reading(const char* what, const std::string& text, const Read& read) -> Result<decltype(read(json()))> {
  try {
    return read(json::parse(text));
  } catch (const json::exception& problem) {
    return Error{fmt::format("this is no {}: {}", what, problem.what()), {}, "", ExitCode::environment};
  }
}

}  // namespace

std::string to_text(const WorkItem& item) {
  return text_of({{"words", item.words}, {"time_limit_s", item.time_limit_s}});
}

Result<WorkItem> read_item(const std::string& text) {
  ASSAY_TRY(WorkItem item, reading("work item", text, [](const json& object) {
              return WorkItem{object.at("words").get<std::vector<std::string>>(), object.at("time_limit_s")};
            }));
  if (item.words.empty() || !(item.time_limit_s > 0) || item.time_limit_s > 1e7)
    return Error{"this is no work item: it has no words, or no limit of time", {}, "", ExitCode::environment};
  return item;
}

std::string to_text(const Worker& worker) {
  return text_of(object_of(worker));
}

Result<Worker> read_worker(const std::string& text) {
  return reading("description of a worker", text, worker_of);
}

std::string to_text(const ItemResult& result) {
  return text_of({{"worker", object_of(result.worker)},
                  {"exit_code", result.exit_code},
                  {"document", result.document},
                  {"problem", result.problem},
                  {"seconds", result.seconds}});
}

Result<ItemResult> read_result(const std::string& text) {
  return reading("result of a work item", text, [](const json& object) {
    ItemResult result;
    result.worker = worker_of(object.at("worker"));
    result.exit_code = whole_of(object.at("exit_code"));
    result.document = object.at("document");
    result.problem = object.at("problem");
    result.seconds = object.at("seconds");
    return result;
  });
}

}  // namespace assay::cluster
