// SPDX-License-Identifier: MIT
#include "check/worker.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/progress.hpp"
#include "base/text.hpp"
#include "check/inputs.hpp"
#include "check/lost_process.hpp"
#include "check/result_json.hpp"
#include "spec/shape.hpp"

namespace assay::check {
namespace {

using nlohmann::json;

json to_json(const RunnerSetup& setup) {
  return {{"spec", setup.spec_file.string()},
          {"configuration", setup.configuration},
          {"ptx", setup.ptx.string()},
          {"cubin", setup.cubin.string()},
          {"device", setup.device},
          {"cache", setup.cache_folder.string()},
          {"checks", setup.checks.names()},
          {"compare", setup.compare},
          {"fuse", setup.fuse},
          {"instruction_limit", setup.instruction_limit},
          {"count", setup.count},
          {"watched", setup.watched}};
}

RunnerSetup setup_from(const json& value) {
  RunnerSetup setup;
  setup.spec_file = value.at("spec").get<std::string>();
  setup.configuration = value.at("configuration").get<std::string>();
  setup.ptx = value.at("ptx").get<std::string>();
  setup.cubin = value.value("cubin", "");
  setup.device = value.at("device").get<std::string>();
  setup.cache_folder = value.at("cache").get<std::string>();
  setup.checks = {};
  for (const json& name : value.at("checks")) setup.checks.add(name.get<std::string>());
  setup.compare = value.at("compare").get<bool>();
  setup.instruction_limit = value.at("instruction_limit").get<uint64_t>();
  setup.fuse = value.value("fuse", false);
  setup.count = value.value("count", false);
  setup.watched = value.value("watched", false);
  return setup;
}

json to_json(const Error& error) {
  return {{"message", error.message},     {"file", error.place.file}, {"line", error.place.line},
          {"column", error.place.column}, {"hint", error.hint},       {"exit_code", static_cast<int>(error.exit_code)}};
}

// Read with care, as all that a worker says: a key that is missing or of another type is ignored.
template <class T>
T value_or(const json& object, const char* key, T otherwise) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end()) return otherwise;
  if constexpr (std::is_same_v<T, int>) {
    return found->is_number_integer() ? found->template get<int>() : otherwise;
  } else {
    return found->is_string() ? found->template get<std::string>() : otherwise;
  }
}

Error error_from(const json& value) {
  Error error;
  error.message = value_or<std::string>(value, "message", "the worker did not say why");
  error.place = {value_or<std::string>(value, "file", ""), value_or(value, "line", 0), value_or(value, "column", 0)};
  error.hint = value_or<std::string>(value, "hint", "");
  const int code = value_or(value, "exit_code", 1);
  const bool known = code > static_cast<int>(ExitCode::good) && code <= static_cast<int>(ExitCode::environment);
  error.exit_code = known ? static_cast<ExitCode>(code) : ExitCode::internal;
  return error;
}

// Paths need not be UTF-8, and what a kernel printed neither.
// The beginning of what it wrote: the cause stands first.
std::string beginning(std::string_view errors) {
  constexpr size_t kMost = 2000;
  const std::string_view text = trim(errors);
  return text.size() <= kMost ? std::string(text) : std::string(text.substr(0, kMost)) + " ...";
}

json case_request(const Case& test) {
  return {{"shape", test.shape.text()}, {"distribution", name(test.distribution)}, {"seed", test.seed}};
}

CaseResult lost(const Case& test, Outcome outcome, std::string message, std::string hint) {
  CaseResult result;
  result.test = test;
  result.outcome = outcome;
  result.message = std::move(message);
  result.hint = std::move(hint);
  return result;
}

}  // namespace

int serve_worker(std::istream& input, std::ostream& output) {
  std::string line;
  std::unique_ptr<CaseRunner> runner;
  std::optional<spec::KernelSpec> spec;
  while (std::getline(input, line)) {
    json answer;
    try {
      const json request = json::parse(line);
      if (request.contains("setup")) {
        const RunnerSetup setup = setup_from(request.at("setup"));
        auto opened = CaseRunner::open(setup);
        auto loaded = spec::load(setup.spec_file);
        if (opened && loaded) {
          runner = std::move(*opened);
          spec = std::move(*loaded);
          answer = {{"ready", true},
                    {"approximate", runner->approximate_instructions()},
                    {"fusible", runner->fusible_places()}};
        } else {
          answer = {{"error", to_json(opened ? loaded.error() : opened.error())}};
        }
      } else {
        if (!runner || !spec) throw std::logic_error("a case came before the setup");
        Case test;
        auto shape = spec::parse_shape(*spec, request.at("shape").get<std::string>());
        if (!shape) {
          answer = {{"error", to_json(shape.error())}};
        } else {
          test.shape = std::move(*shape);
          test.distribution =
              distribution_from_name(request.at("distribution").get<std::string>()).value_or(Distribution::specified);
          test.seed = request.at("seed").get<uint64_t>();
          if (request.value("self_test", false)) {
            const auto tested = runner->self_test(test);
            answer = tested ? check::to_json(*tested) : json{{"error", to_json(tested.error())}};
          } else if (request.value("costs", false)) {
            const auto costs = runner->costs(test);
            answer = costs ? check::to_json(*costs) : json{{"error", to_json(costs.error())}};
          } else {
            answer = check::to_json(runner->run(test, request.value("repetitions", size_t{1})));
          }
          if (runner->lost()) answer["lost"] = true;
        }
      }
    } catch (const std::bad_alloc&) {
      answer = {
          {"error",
           to_json(Error{
               "this machine has not enough memory for the case", {}, "use a smaller shape", ExitCode::environment})}};
    } catch (const std::exception& problem) {
      answer = {
          {"error", to_json(Error{fmt::format("the worker failed: {}", problem.what()), {}, "", ExitCode::internal})}};
    }
    output << one_line(answer) << '\n' << std::flush;
    if (runner && runner->lost()) break;  // the device did not survive: another process gets a fresh one
  }
  return 0;
}

std::string worker_script(const RunnerSetup& setup, const Case& test) {
  return one_line({{"setup", to_json(setup)}}) + "\n" + one_line(case_request(test)) + "\n";
}

Result<CaseResult> worker_answer(std::string_view output, const Case& test) {
  for (const std::string_view line : split(output, '\n')) {
    const json reply = json::parse(line, nullptr, false);
    if (!reply.is_object()) continue;
    if (reply.contains("error")) return error_from(reply["error"]);
    if (reply.contains("outcome")) return case_result_from_json(reply, test);
  }
  return Error{"the process that runs kernels gave no result", {}, "", ExitCode::internal};
}

Result<std::unique_ptr<Worker>> Worker::start(Options options) {
  std::unique_ptr<Worker> worker(new Worker(std::move(options)));
  ASSAY_CHECK(worker->launch());
  return worker;
}

Result<void> Worker::launch() {
  ASSAY_TRY(std::unique_ptr<Child> child, Child::start({options_.context.program, kWorkerCommand}));
  ASSAY_CHECK(set_up(*child));
  child_ = std::move(child);  // only one that is ready is kept: a case must not go to another
  return {};
}

Result<void> Worker::set_up(Child& child) {
  std::string line;
  const Child::Answer answer =
      ask(child, one_line({{"setup", to_json(options_.setup)}}), line, options_.setup_time_limit);
  if (answer != Child::Answer::line) {
    const std::string how = child.stop();
    const std::string errors = beginning(child.errors());
    return Error{fmt::format("the process that runs kernels {} while it was set up{}{}", how,
                             errors.empty() ? "" : ": ", errors),
                 {},
                 "",
                 ExitCode::internal};
  }
  const json reply = json::parse(line, nullptr, false);
  if (reply.is_object() && reply.contains("error")) return error_from(reply["error"]);
  if (!reply.is_object() || !reply.contains("ready"))
    return Error{"the worker's answer is not understood", {}, "", ExitCode::internal};
  const auto strings = [&](const char* key, std::vector<std::string>& into) {
    into.clear();
    for (const json& entry : reply.value(key, json::array())) {
      if (entry.is_string()) into.push_back(entry.get<std::string>());
    }
  };
  strings("approximate", approximate_);
  strings("fusible", fusible_);
  return {};
}

// Waits in slices, so that somebody who wants to stop is heard soon.
Child::Answer Worker::ask(Child& child, const std::string& request, std::string& line,
                          std::chrono::milliseconds time_limit) const {
  constexpr std::chrono::milliseconds kSlice{100};
  const auto end = std::chrono::steady_clock::now() + time_limit;
  switch (child.send(request, time_limit)) {
    case Child::Sent::ended:
      return Child::Answer::ended;
    case Child::Sent::timed_out:
      return Child::Answer::timed_out;
    case Child::Sent::all:
      break;
  }
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    const Child::Answer answer = child.receive(line, std::clamp(left, std::chrono::milliseconds(0), kSlice));
    if (answer != Child::Answer::timed_out || left <= kSlice || options_.context.cancelled()) return answer;
  }
}

CaseResult Worker::run(const Case& test, size_t repetitions) {
  if (child_ == nullptr) {
    if (auto launched = launch(); !launched)
      return lost(test, Outcome::crashed, launched.error().message, launched.error().hint);
  }
  json request = case_request(test);
  request["repetitions"] = repetitions;
  const auto time_limit = options_.time_limit * std::max<int64_t>(1, static_cast<int64_t>(repetitions));
  std::string line;
  const Child::Answer answer = ask(*child_, one_line(request), line, time_limit);
  if (answer == Child::Answer::line) {
    const json reply = json::parse(line, nullptr, false);
    if (reply.is_object() && reply.contains("error")) {
      const Error error = error_from(reply["error"]);
      const Outcome outcome = error.exit_code == ExitCode::environment ? Outcome::cannot_run
                              : error.exit_code == ExitCode::internal  ? Outcome::crashed
                                                                       : Outcome::not_launched;
      return lost(test, outcome, error.message, error.hint);
    }
    auto result = case_result_from_json(reply, test);
    if (!result || reply.contains("lost")) child_.reset();
    if (result) return std::move(*result);
    return lost(test, Outcome::crashed, result.error().message, "");
  }
  const std::string how = child_->stop();
  const std::string errors = beginning(child_->errors());
  child_.reset();
  if (answer == Child::Answer::timed_out) {
    return lost(test, Outcome::timed_out,
                fmt::format("no result after {:.3g} s; the process was ended",
                            std::chrono::duration<double>(time_limit).count()),
                "raise --time-limit if the shape is really that large");
  }
  const Error error = lost_process(how, errors, ExitCode::internal);
  return lost(test, error.exit_code == ExitCode::environment ? Outcome::cannot_run : Outcome::crashed, error.message,
              error.hint);
}

// The answer to something else than a case: one line of JSON that is no error.
Result<std::string> Worker::question(const Case& test, const char* what) {
  if (child_ == nullptr) ASSAY_CHECK(launch());
  json request = case_request(test);
  request[what] = true;
  std::string line;
  const Child::Answer answer = ask(*child_, one_line(request), line, options_.setup_time_limit);
  if (answer == Child::Answer::line) {
    const json reply = json::parse(line, nullptr, false);
    if (reply.is_object() && reply.contains("error")) return error_from(reply["error"]);
    return line;
  }
  const std::string how = child_->stop();
  const std::string errors = beginning(child_->errors());
  child_.reset();
  ASSAY_CHECK(check_cancelled(options_.context));
  return Error{fmt::format("the process that runs kernels {} when it was asked for its {}{}{}", how, what,
                           errors.empty() ? "" : ": ", errors),
               {},
               "",
               ExitCode::internal};
}

Result<SelfTest> Worker::self_test(const Case& test) {
  ASSAY_TRY(const std::string line, question(test, "self_test"));
  return self_test_from_json(json::parse(line, nullptr, false), test);
}

Result<CheckCosts> Worker::costs(const Case& test) {
  ASSAY_TRY(const std::string line, question(test, "costs"));
  return costs_from_json(json::parse(line, nullptr, false), test);
}

}  // namespace assay::check
