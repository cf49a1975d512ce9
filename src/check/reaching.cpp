// SPDX-License-Identifier: MIT
#include "check/reaching.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "check/result_json.hpp"

namespace assay::check {
namespace {

using nlohmann::json;

json answer_to_reach(const json& request, std::unique_ptr<ReachCase>& opened) {
  if (request.contains("spec")) {
    auto made = ReachCase::open({request.at("spec").get<std::string>(), request.at("ptx").get<std::string>(),
                                 request.at("device").get<std::string>(), request.at("cache").get<std::string>(),
                                 request.at("instruction_limit").get<uint64_t>()});
    if (!made) return {{"refused", made.error().message}};
    opened = std::move(*made);
    return {{"ready", true}};
  }
  if (!opened) throw std::logic_error("a shape came before the setup");
  const auto reach = opened->run(request.at("shape").get<std::string>());
  if (!reach) return {{"refused", reach.error().message}};
  return {{"reach", *reach}};
}

}  // namespace

int serve_reach(std::istream& input, std::ostream& output) {
  std::unique_ptr<ReachCase> opened;
  std::string line;
  while (std::getline(input, line)) {
    json answer;
    try {
      answer = answer_to_reach(json::parse(line), opened);
    } catch (const std::exception& problem) {
      answer = {{"refused", problem.what()}};
    }
    output << one_line(answer) << '\n' << std::flush;
  }
  return 0;
}

Result<std::optional<std::map<std::string, int64_t>>> Reaching::run(const std::string& shape) {
  using Found = std::optional<std::map<std::string, int64_t>>;
  std::vector<json> requests;
  if (!worker_.running()) {
    ASSAY_CHECK(worker_.start());
    requests.push_back({{"spec", setup_.spec_file.string()},
                        {"ptx", setup_.ptx.string()},
                        {"device", setup_.device},
                        {"cache", setup_.cache_folder.string()},
                        {"instruction_limit", setup_.instruction_limit}});
  }
  requests.push_back({{"shape", shape}});
  json reply;
  for (const json& request : requests) {
    const auto line = worker_.ask(one_line(request));
    if (!line && line.error().exit_code == kInterrupted) return line.error();
    if (!line) return Found();  // it hung or crashed
    reply = json::parse(*line, nullptr, false);
    if (!reply.is_object() || reply.contains("refused")) {
      if (request.contains("spec")) worker_.end();
      return Found();
    }
  }
  try {
    return Found(reply.at("reach").get<std::map<std::string, int64_t>>());
  } catch (const std::exception&) {
    return Error{"the worker's answer is not understood", {}, "", ExitCode::internal};
  }
}

}  // namespace assay::check
