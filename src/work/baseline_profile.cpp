// SPDX-License-Identifier: MIT
#include "work/baseline_profile.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "measure/input_set.hpp"
#include "measure/provider.hpp"
#include "profiling/ncu_difference.hpp"
#include "work/measuring.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr std::string_view kThisProgram = "/proc/self/exe";
constexpr std::string_view kInstruments = "assay_";  // kernels of our own that every provider launches
constexpr int kLaunches = 64;                        // warm-up, one call, and what a library does when it starts

// One call that is not timed: the profiler has its own clock.
std::string provider_script(json prepare, int device) {
  const std::vector<json> requests = {{{"op", "hello"}, {"protocol", 1}, {"device", device}},
                                      std::move(prepare),
                                      {{"op", "run"}, {"set", 0}, {"poison", 165}},
                                      {{"op", "quit"}}};
  std::string script;
  for (size_t i = 0; i < requests.size(); ++i) {
    json request = requests[i];
    request["id"] = i + 1;
    script += request.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  }
  return script;
}

// What the provider says of the case; an error is its own refusal, or a figure that can be none.
Result<void> read_answers(const std::string& output, BaselineProfile& profile) {
  for (const std::string_view line : split(output, '\n')) {
    const json answer = json::parse(line, nullptr, false);
    if (!answer.is_object() || !answer.contains("ok")) continue;
    if (answer["ok"] == false) {
      const std::string error =
          answer.contains("error") && answer["error"].is_string() ? answer["error"].get<std::string>() : "it refused";
      return Error{fmt::format("the baseline '{}': {}", profile.name, error), {}, "", ExitCode::environment};
    }
    if (!answer.contains("variant") || !answer["variant"].is_string()) continue;
    profile.variant = answer["variant"].get<std::string>();
    const auto bytes = measure::device_bytes_in(answer);
    if (!bytes)
      return Error{
          fmt::format("the baseline '{}' {}", profile.name, bytes.error().message), {}, "", ExitCode::environment};
    profile.device_bytes = *bytes;
  }
  return {};
}

// A kernel's provider is this program again. Under ncu /proc/self/exe is ncu itself, which would then profile nothing.
Result<std::vector<std::string>> provider_command(std::vector<std::string> arguments, const Context& context) {
  if (arguments.at(0) != kThisProgram) return arguments;
  std::error_code failed;
  arguments[0] = std::filesystem::canonical(context.program, failed).string();
  if (!failed) return arguments;
  return Error{"the program that runs kernels is not there: " + context.program, {}, "", ExitCode::environment};
}

}  // namespace

Result<BaselineProfile> profile_baseline(const spec::KernelSpec& spec, const BaselineProfileRequest& request,
                                         const Context& context) {
  MeasureRequest measuring;
  measuring.configuration = request.configuration;
  measuring.device = request.gpu;
  measuring.baselines = {request.baseline};
  measuring.measuring.shape = request.shape.text();
  measuring.seed = request.seed;
  ASSAY_TRY(const Bench bench, prepare_bench(spec, measuring, context));
  const measure::Contender& contender = bench.request.contenders.at(1);
  ASSAY_TRY(const measure::ProblemCase problem,
            measure::ProblemCase::make(spec, bench.request.configuration, request.shape));
  measure::Protocol protocol;
  protocol.launch = measure::Launch::event;  // kernels of a graph have no names of their own in every version of ncu
  protocol.sets = 1;
  protocol.gate = measure::gate_for(protocol);
  ScratchFiles scratch(2 * problem.bytes());
  Random random(request.seed);
  ASSAY_TRY(const std::vector<measure::InputSet> sets,
            measure::make_input_sets(problem, protocol.sets, random, scratch, "set"));
  json prepare = measure::prepare_request(problem, protocol, {bench.request.instruments, 0}, sets, contender.options);
  prepare["op"] = "prepare";
  profiling::NcuProgram program;
  ASSAY_TRY(program.arguments, provider_command(contender.arguments, context));
  program.input = provider_script(std::move(prepare), bench.request.device);
  program.launches = kLaunches;
  program.time_limit = request.time_limit;
  program.kept = request.kept;
  std::string said;
  const auto outcome = profiling::run_ncu(program, &said);
  BaselineProfile profile;
  profile.name = contender.name;
  // A refusal says more than that nothing was profiled.
  ASSAY_CHECK(read_answers(said, profile));
  if (!outcome) return outcome.error();
  const profiling::NcuLaunch* const longest = profiling::longest_kernel(outcome->launches, kInstruments);
  if (longest == nullptr)
    return Error{fmt::format("the baseline '{}' launched no kernel that ncu could see", contender.name),
                 {},
                 "",
                 ExitCode::environment};
  profile.launch = *longest;
  for (const profiling::NcuLaunch& launch : outcome->launches) {
    if (launch.kernel.starts_with(kInstruments)) continue;
    if (std::ranges::find(profile.kernels, launch.kernel) == profile.kernels.end())
      profile.kernels.push_back(launch.kernel);
  }
  return profile;
}

}  // namespace assay::work
