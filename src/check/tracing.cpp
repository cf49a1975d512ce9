// SPDX-License-Identifier: MIT
#include "check/tracing.hpp"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/child.hpp"
#include "base/file.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "check/arguments.hpp"
#include "check/element.hpp"
#include "check/input_maker.hpp"
#include "check/inputs.hpp"
#include "check/launch_plan.hpp"
#include "check/poison.hpp"
#include "check/work_json.hpp"
#include "device/open/open_device.hpp"
#include "device/tracer.hpp"
#include "spec/shape.hpp"

namespace assay::check {
namespace {

using nlohmann::json;

std::string one_line(const json& document) {
  return document.dump(-1, ' ', false, json::error_handler_t::replace);
}

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
          {"blocks", request.blocks}};
}

json error_json(const Error& error) {
  return {
      {"error", {{"message", error.message}, {"hint", error.hint}, {"exit_code", static_cast<int>(error.exit_code)}}}};
}

// Allocates, fills and launches, as a case is run (case_runner.cpp), and hands out what the device traced.
class TracedCase {
 public:
  static Result<gpu::LaunchWork> run(const json& request) {
    TracedCase traced;
    ASSAY_TRY(traced.spec_, spec::load(request.at("spec").get<std::string>()));
    const auto named = request.at("configuration").get<std::string>();
    ASSAY_TRY(traced.configuration_, named.empty() || named == "default"
                                         ? spec::default_configuration(traced.spec_)
                                         : spec::parse_configuration(traced.spec_, named));
    ASSAY_TRY(const spec::Shape shape, spec::parse_shape(traced.spec_, request.at("shape").get<std::string>()));
    ASSAY_TRY(traced.device_, device::open_device(request.at("device").get<std::string>()));
    const std::filesystem::path ptx = request.at("ptx").get<std::string>();
    ASSAY_TRY(const std::string text, read_file(ptx));
    const device::Image image{text, ptx.string(), {}};
    ASSAY_TRY(traced.module_, traced.device_->load_image(image));
    return traced.launch(shape, request, image);
  }

 private:
  Result<gpu::LaunchWork> launch(const spec::Shape& shape, const json& options, const device::Image& image) {
    auto* const tracer = dynamic_cast<device::Tracer*>(device_.get());
    if (tracer == nullptr)
      return Error{"this device does not count", {}, "choose a virtual GPU with --device vgpu:...", ExitCode::usage};
    const std::filesystem::path cache = options.at("cache").get<std::string>();
    ASSAY_TRY(const std::vector<spec::ResolvedArgument> arguments,
              spec::resolve_arguments(spec_, configuration_, shape));
    std::map<std::string, uint64_t> addresses;
    for (const spec::ResolvedArgument& argument : arguments) {
      if (argument.tensor() == nullptr) continue;
      ASSAY_TRY(const std::vector<uint8_t> bytes, content(shape, arguments, argument, options, cache));
      if (!argument.global.empty()) {
        ASSAY_CHECK(device_->write_variable(*module_, argument.global, std::as_bytes(std::span(bytes))));
        continue;
      }
      ASSAY_TRY(addresses[argument.name], device_->allocate(bytes.size(), argument.name));
      ASSAY_CHECK(device_->upload(addresses[argument.name], std::as_bytes(std::span(bytes))));
    }
    for (const spec::ResolvedArgument& argument : arguments) {
      if (argument.pointers() == nullptr) continue;
      const std::vector<std::byte> bytes = pointer_bytes(*argument.pointers(), arguments, addresses);
      ASSAY_TRY(addresses[argument.name], device_->allocate(bytes.size(), argument.name));
      ASSAY_CHECK(device_->upload(addresses[argument.name], bytes));
    }
    ASSAY_CHECK(write_scalar_variables(*device_, *module_, arguments));
    ASSAY_TRY(const LaunchPlanner planner, LaunchPlanner::open(spec_, configuration_, image, cache));
    ASSAY_TRY(std::vector<device::LaunchRequest> requests, planner.plan(*device_, shape, arguments, addresses));
    if (requests.size() != 1)
      return Error{fmt::format("the call launches {} kernels; one is estimated", requests.size()),
                   {},
                   "describe the kernel that matters by itself",
                   ExitCode::usage};
    device::LaunchRequest& request = requests.front();
    request.module = module_.get();
    request.instruction_limit = options.at("instruction_limit").get<uint64_t>();
    for (const json& name : options.at("checks")) request.checks.add(name.get<std::string>());
    tracer->trace_launches(options.at("blocks").get<uint64_t>());
    ASSAY_TRY(const device::LaunchOutcome outcome, device_->launch(request));
    if (!outcome.clean()) {
      const gpu::Finding& finding = outcome.fault ? *outcome.fault : outcome.findings.front();
      return Error{finding.message, {}, "assay sanitize shows what is wrong", ExitCode::incorrect};
    }
    if (!tracer->traced()) return Error{"the launch was not traced", {}, "", ExitCode::internal};
    return *tracer->traced();
  }

  Result<std::vector<uint8_t>> content(const spec::Shape& shape, const std::vector<spec::ResolvedArgument>& arguments,
                                       const spec::ResolvedArgument& argument, const json& options,
                                       const std::filesystem::path& cache) const {
    const spec::ResolvedTensor& tensor = *argument.tensor();
    std::vector<uint8_t> bytes(static_cast<size_t>(tensor.bytes));
    if (!spec::is_filled(tensor.role)) {
      fill_with_poison(tensor.dtype, Poison::nan, bytes);
      return bytes;
    }
    const InputMaker maker(spec_, cache);
    const auto seed = options.at("seed").get<uint64_t>();
    ASSAY_TRY(const std::vector<double> values,
              maker.make(shape, arguments, argument, {Distribution::specified, seed, false}));
    encode(tensor, values, bytes);
    return bytes;
  }

  spec::KernelSpec spec_;
  spec::Configuration configuration_;
  std::unique_ptr<device::Device> device_;
  std::unique_ptr<device::Module> module_;
};

Result<gpu::LaunchWork> read_answer(const std::string& line) {
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
    if (reply.is_object()) return launch_work_from_json(reply.at("work"));
  } catch (const std::exception&) {  // said below
  }
  return Error{"the worker's answer is not understood", {}, "", ExitCode::internal};
}

}  // namespace

int serve_tracing(std::istream& input, std::ostream& output) {
  std::string line;
  std::getline(input, line);
  json answer;
  try {
    auto work = TracedCase::run(json::parse(line));
    answer = work ? json{{"work", to_json(*work)}} : error_json(work.error());
  } catch (const std::bad_alloc&) {
    answer = error_json(
        {"this machine has not enough memory for the case", {}, "use a smaller shape", ExitCode::environment});
  } catch (const std::exception& problem) {
    answer = error_json({fmt::format("the worker failed: {}", problem.what()), {}, "", ExitCode::internal});
  }
  output << one_line(answer) << '\n' << std::flush;
  return 0;
}

Result<gpu::LaunchWork> trace(const TracingRequest& request) {
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
  const std::string_view said = trim(child->errors());
  return Error{
      fmt::format("the process that ran the kernel {}{}{}", how, said.empty() ? "" : ": ", said.substr(0, 2000)),
      {},
      "",
      ExitCode::incorrect};
}

}  // namespace assay::check
