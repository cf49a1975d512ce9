// SPDX-License-Identifier: MIT
#include "check/experiments.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "check/launch_change.hpp"
#include "check/result_json.hpp"
#include "check/work_json.hpp"

namespace assay::check {
namespace {

using nlohmann::json;

json error_json(const Error& error) {
  return {
      {"error", {{"message", error.message}, {"hint", error.hint}, {"exit_code", static_cast<int>(error.exit_code)}}}};
}

json request_json(const TracedRequest& request) {
  json document = {{"ptx", request.ptx.string()},
                   {"checks", request.checks.names()},
                   {"instruction_limit", request.instruction_limit},
                   {"blocks", request.blocks},
                   {"change", to_json(request.change)}};
  if (request.sampled) document["sampled"] = *request.sampled;
  return document;
}

TracedRequest request_from(const json& value) {
  TracedRequest request;
  request.ptx = value.at("ptx").get<std::string>();
  for (const json& name : value.at("checks")) request.checks.add(name.get<std::string>());
  request.instruction_limit = value.at("instruction_limit").get<uint64_t>();
  request.blocks = value.at("blocks").get<uint64_t>();
  if (value.contains("sampled")) request.sampled = value.at("sampled").get<bool>();
  request.change = launch_change_from(value.at("change"));
  return request;
}

json run_json(const TracedRun& run) {
  json works = json::array();
  for (const gpu::LaunchWork& work : run.works) works.push_back(to_json(work));
  json instructions = json::array();
  for (const gpu::InstructionCount& count : run.instructions)
    instructions.push_back(
        {count.function, count.ptx_line, count.opcode, count.issued, count.lanes, count.path_lanes, count.divergent});
  return {{"works", std::move(works)}, {"instructions", std::move(instructions)}};
}

TracedRun run_from(const json& value) {
  TracedRun run;
  for (const json& work : value.at("works")) run.works.push_back(launch_work_from_json(work));
  for (const json& each : value.at("instructions"))
    run.instructions.push_back({each.at(0).get<std::string>(), each.at(1).get<int>(), each.at(2).get<std::string>(),
                                each.at(3).get<uint64_t>(), each.at(4).get<uint64_t>(), each.at(5).get<uint64_t>(),
                                each.at(6).get<uint64_t>()});
  return run;
}

Error error_from(const json& error) {
  const int code = error.at("exit_code").get<int>();
  const bool known = code > static_cast<int>(ExitCode::good) && code <= static_cast<int>(ExitCode::environment);
  return Error{error.at("message").get<std::string>(),
               {},
               error.at("hint").get<std::string>(),
               known ? static_cast<ExitCode>(code) : ExitCode::internal};
}

json answer_to(const json& request, std::unique_ptr<TracedCase>& traced) {
  if (request.contains("spec")) {
    auto opened =
        TracedCase::open(request.at("spec").get<std::string>(), request.at("configuration").get<std::string>(),
                         request.at("shape").get<std::string>(), request.at("device").get<std::string>(),
                         request.at("seed").get<uint64_t>(), request.at("cache").get<std::string>());
    if (!opened) return error_json(opened.error());
    traced = std::move(*opened);
    return {{"ready", true}};
  }
  if (!traced) throw std::logic_error("an experiment came before the setup");
  const auto run = traced->run(request_from(request));
  return run ? run_json(*run) : error_json(run.error());
}

}  // namespace

int serve_experiments(std::istream& input, std::ostream& output) {
  std::unique_ptr<TracedCase> traced;
  std::string line;
  while (std::getline(input, line)) {
    json answer;
    try {
      answer = answer_to(json::parse(line), traced);
    } catch (const std::bad_alloc&) {
      answer = error_json(
          {"this machine has not enough memory for the case", {}, "use a smaller shape", ExitCode::environment});
    } catch (const std::exception& problem) {
      answer = error_json({fmt::format("the worker failed: {}", problem.what()), {}, "", ExitCode::internal});
    }
    output << one_line(answer) << '\n' << std::flush;
  }
  return 0;
}

Result<void> Experiments::start() {
  ASSAY_CHECK(worker_.start());
  const json setup = {{"spec", setup_.spec_file.string()},
                      {"configuration", setup_.configuration},
                      {"shape", setup_.shape},
                      {"device", setup_.device},
                      {"seed", setup_.seed},
                      {"cache", setup_.cache_folder.string()}};
  ASSAY_TRY(const std::string line, worker_.ask(one_line(setup)));
  const json reply = json::parse(line, nullptr, false);
  if (reply.is_object() && reply.contains("ready")) return {};
  worker_.end();
  try {
    return error_from(reply.at("error"));
  } catch (const std::exception&) {
    return Error{"the worker's answer is not understood", {}, "", ExitCode::internal};
  }
}

Result<TracedRun> Experiments::run(const TracedRequest& request) {
  if (!worker_.running()) ASSAY_CHECK(start());
  ASSAY_TRY(const std::string line, worker_.ask(one_line(request_json(request))));
  const json reply = json::parse(line, nullptr, false);
  try {
    if (reply.contains("error")) return error_from(reply.at("error"));
    return run_from(reply);
  } catch (const std::exception&) {
    return Error{"the worker's answer is not understood", {}, "", ExitCode::internal};
  }
}

}  // namespace assay::check
