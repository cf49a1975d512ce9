// SPDX-License-Identifier: MIT
#include "check/tracing.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/child.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "check/lost_process.hpp"
#include "check/result_json.hpp"
#include "check/traced_case.hpp"
#include "check/work_json.hpp"
#include "spec/shape.hpp"

namespace assay::check {
namespace {

using nlohmann::json;

json to_json(const TracingRequest& request) {
  return {{"spec", request.setup.spec_file.string()},
          {"configuration", request.setup.configuration},
          {"ptx", request.setup.ptx.string()},
          {"device", request.setup.device},
          {"cache", request.setup.cache_folder.string()},
          {"instruction_limit", request.setup.instruction_limit},
          {"checks", request.setup.checks.names()},
          {"shape", request.test.shape.text()},
          {"seed", request.test.seed},
          {"blocks", request.blocks},
          {"several", request.several}};
}

json error_json(const Error& error) {
  return {
      {"error", {{"message", error.message}, {"hint", error.hint}, {"exit_code", static_cast<int>(error.exit_code)}}}};
}

Result<TracedRun> traced(const json& request) {
  ASSAY_TRY(const std::unique_ptr<TracedCase> traced,
            TracedCase::open(request.at("spec").get<std::string>(), request.at("configuration").get<std::string>(),
                             request.at("shape").get<std::string>(), request.at("device").get<std::string>(),
                             request.at("seed").get<uint64_t>(), request.at("cache").get<std::string>()));
  TracedRequest wanted;
  wanted.ptx = request.at("ptx").get<std::string>();
  for (const json& name : request.at("checks")) wanted.checks.add(name.get<std::string>());
  wanted.instruction_limit = request.at("instruction_limit").get<uint64_t>();
  wanted.blocks = request.at("blocks").get<uint64_t>();
  wanted.several = request.at("several").get<bool>();
  return traced->run(wanted);
}

json launches_json(const TracedRun& run) {
  json launches = json::array();
  for (size_t i = 0; i < run.works.size(); ++i)
    launches.push_back(
        {{"entry", run.entries[i]}, {"shared_bytes", run.shared_bytes[i]}, {"work", check::to_json(run.works[i])}});
  return launches;
}

Error not_understood() {
  return {"the worker's answer is not understood", {}, "", ExitCode::internal};
}

Result<std::vector<TracedLaunch>> read_answer(const std::string& line) {
  const json reply = json::parse(line, nullptr, false);
  try {
    if (reply.is_object() && reply.contains("error")) {
      const json& error = reply.at("error");
      const int code = error.at("exit_code").get<int>();
      const bool known = code > static_cast<int>(ExitCode::good) && code <= static_cast<int>(ExitCode::environment);
      return Error{error.at("message").get<std::string>(),
                   {},
                   error.at("hint").get<std::string>(),
                   known ? static_cast<ExitCode>(code) : ExitCode::internal};
    }
    if (reply.is_object()) {
      std::vector<TracedLaunch> launches;
      for (const json& each : reply.at("launches"))
        launches.push_back({each.at("entry").get<std::string>(), each.at("shared_bytes").get<uint32_t>(),
                            launch_work_from_json(each.at("work"))});
      if (!launches.empty()) return launches;
    }
    return not_understood();
  } catch (const std::exception&) {
    return not_understood();
  }
}

}  // namespace

int serve_tracing(std::istream& input, std::ostream& output) {
  std::string line;
  std::getline(input, line);
  json answer;
  try {
    const auto run = traced(json::parse(line));
    answer = run ? json{{"launches", launches_json(*run)}} : error_json(run.error());
  } catch (const std::bad_alloc&) {
    answer = error_json(
        {"this machine has not enough memory for the case", {}, "use a smaller shape", ExitCode::environment});
  } catch (const std::exception& problem) {
    answer = error_json({fmt::format("the worker failed: {}", problem.what()), {}, "", ExitCode::internal});
  }
  output << one_line(answer) << '\n' << std::flush;
  return 0;
}

Result<std::vector<TracedLaunch>> trace(const TracingRequest& request) {
  ASSAY_TRY(const std::unique_ptr<Child> child, Child::start({request.context.program, kTracingCommand}));
  constexpr std::chrono::milliseconds kSlice{200};
  const auto end = std::chrono::steady_clock::now() + request.time_limit;
  std::string line;
  Child::Answer answer = Child::Answer::ended;
  if (child->send(one_line(to_json(request)), request.time_limit) == Child::Sent::all) {
    do {
      answer = child->receive(line, kSlice);
      ASSAY_CHECK(check_cancelled(request.context));
    } while (answer == Child::Answer::timed_out && std::chrono::steady_clock::now() < end);
  }
  if (answer == Child::Answer::line) return read_answer(line);
  const std::string how = child->stop();
  if (answer == Child::Answer::timed_out)
    return Error{fmt::format("no result after {:.3g} s; the process was ended",
                             std::chrono::duration<double>(request.time_limit).count()),
                 {},
                 "raise --time-limit, or run fewer blocks: --blocks",
                 ExitCode::inconclusive};
  return lost_process(how, child->errors(), ExitCode::incorrect);
}

}  // namespace assay::check
