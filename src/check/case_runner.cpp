// SPDX-License-Identifier: MIT
// Opens a kernel on a device and takes it through a case. What happens on the device: case_run.cpp; the verdict:
// case_judging.cpp.
#include "check/case_runner.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>
#include <utility>

#include "base/elapsed.hpp"
#include "base/file.hpp"
#include "check/case_run.hpp"
#include "check/input_maker.hpp"
#include "device/open/open_device.hpp"

namespace assay::check {
namespace {

// A kernel that is too large for the device is a verdict on the kernel; what the device lacks is none; anything else
// that keeps a kernel from being launched is a mistake of the specification.
Outcome outcome_of(ExitCode code) {
  return code == ExitCode::incorrect     ? Outcome::does_not_fit
         : code == ExitCode::environment ? Outcome::cannot_run
                                         : Outcome::not_launched;
}

}  // namespace

Result<std::unique_ptr<CaseRunner>> CaseRunner::open(const RunnerSetup& setup) {
  std::unique_ptr<CaseRunner> runner(new CaseRunner());
  runner->setup_ = setup;
  ASSAY_TRY(runner->spec_, spec::load(setup.spec_file));
  if (setup.configuration.empty() || setup.configuration == "default") {
    ASSAY_TRY(runner->configuration_, spec::default_configuration(runner->spec_));
  } else {
    ASSAY_TRY(runner->configuration_, spec::parse_configuration(runner->spec_, setup.configuration));
  }
  ASSAY_TRY(runner->device_, device::open_device(setup.device));
  // A device that cannot check accesses gets guards around its buffers instead.
  runner->accesses_checked_ = setup.checks.contains(gpu::kMemcheck) && (runner->device_->has_checks() || setup.watched);
  std::string ptx;
  std::string cubin;
  if (!setup.ptx.empty()) {
    ASSAY_TRY(ptx, read_file(setup.ptx));
  } else if (device::is_virtual(setup.device)) {
    return Error{fmt::format("{} runs PTX, and the source is machine code", setup.device),
                 runner->spec_.kernel.source_place,
                 "bring the PTX as source, with the machine code beside it as cubin = { ... }; or choose a GPU",
                 ExitCode::environment};
  }
  if (!setup.cubin.empty()) {
    ASSAY_TRY(cubin, read_file(setup.cubin));
  }
  runner->device_->set_fusion(setup.fuse);
  const std::string name = setup.ptx.empty() ? setup.cubin.string() : setup.ptx.string();
  // The virtual GPU takes from the machine code what is known of registers, and runs the PTX.
  ASSAY_TRY(auto planner,
            LaunchPlanner::open(runner->spec_, runner->configuration_, {ptx, name, cubin}, setup.cache_folder));
  runner->planner_.emplace(std::move(planner));
  if (device::is_virtual(setup.device)) cubin.clear();
  ASSAY_TRY(runner->module_, runner->device_->load_image({ptx, name, cubin}));
  if (setup.compare) {
    ASSAY_TRY(runner->oracle_, Oracle::open(runner->spec_, setup.cache_folder));
    if (runner->spec_.problem.reference_is_file) ASSAY_CHECK(runner->try_reference());
  }
  return runner;
}

Result<InputValues> CaseRunner::inputs_of(const Case& test,
                                          const std::vector<spec::ResolvedArgument>& arguments) const {
  const InputMaker maker(spec_, setup_.cache_folder);
  InputValues inputs;
  for (const spec::ResolvedArgument& argument : arguments) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    if (tensor == nullptr || !spec::is_filled(tensor->role)) continue;
    const bool infinities = oracle_ && oracle_->allows_infinities(argument.name);
    ASSAY_TRY(inputs[argument.name],
              maker.make(test.shape, arguments, argument, {test.distribution, test.seed, infinities}));
  }
  return inputs;
}

// A reference of the user's is asked once, for the smallest shape, before any kernel runs: one that crashes or wants
// tensors that are not there has nothing to say about a kernel.
Result<void> CaseRunner::try_reference() const {
  ASSAY_TRY(std::vector<spec::Shape> shapes, spec::all_shapes(spec_));
  spec::sort_smallest_first(shapes);
  const auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const spec::Shape& each) {
    return why_not(spec_, configuration_, each).empty();
  });
  if (shape == shapes.end()) return {};
  Case test;
  test.shape = *shape;
  test.seed = 1;
  ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec_, configuration_, test.shape));
  if (!check_memory(arguments)) return {};  // the case itself says so
  ASSAY_TRY(const InputValues inputs, inputs_of(test, arguments));
  const auto outputs = oracle_->expected(spec_, test.shape, arguments, inputs);
  if (outputs) return {};
  return Error{fmt::format("the reference '{}' is to blame, not the kernel: {} (shape {})", spec_.problem.reference,
                           outputs.error().message, test.shape.text()),
               spec_.problem.reference_place, outputs.error().hint, outputs.error().exit_code};
}

CaseResult CaseRunner::run(const Case& test, size_t repetitions) {
  const auto start = std::chrono::steady_clock::now();
  CaseResult result;
  result.test = test;
  const auto arguments = spec::resolve_arguments(spec_, configuration_, test.shape);
  if (!arguments) {
    fail(result, Outcome::not_launched, to_string(arguments.error()));
    return result;
  }
  const auto enough = check_memory(*arguments);
  auto run = enough ? launch(test, *arguments, false) : Result<Run>(enough.error());
  if (!run) {
    fail(result, outcome_of(run.error().exit_code), to_string(Error{run.error().message, run.error().place}),
         run.error().hint);
  } else {
    judge(test, *arguments, *run, result);
    judge_scratch(test, *arguments, *run, result);
    if (result.passed() && repetitions > 1) repeat(test, *arguments, *run, repetitions, result);
  }
  result.seconds = seconds_since(start);
  return result;
}

// The virtual GPU keeps its memory in this machine's, and every tensor has two more copies on the host.
Result<void> CaseRunner::check_memory(const std::vector<spec::ResolvedArgument>& arguments) const {
  uint64_t wanted = 0;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (const spec::ResolvedTensor* tensor = argument.tensor()) wanted += static_cast<uint64_t>(tensor->bytes);
  }
  const uint64_t there =
      static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t copies = device::is_virtual(setup_.device) ? 3 : 2;
  if (wanted <= there / copies) return {};
  return Error{
      fmt::format("not enough memory: the tensors have {} bytes, which this machine must hold {} times; it has {}",
                  wanted, copies, there),
      {},
      "use a smaller shape",
      ExitCode::environment};
}

Result<SelfTest> CaseRunner::self_test(const Case& test) {
  SelfTest made;
  made.test = test;
  Case other = test;
  // Far away: neighbouring seeds may give the same tensors to other arguments, whose sum is then the same.
  constexpr uint64_t kFarAway = 1'000'003;
  other.seed = test.seed + kFarAway;
  ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec_, configuration_, test.shape));
  if (oracle_->judges()) {
    ASSAY_CHECK(test_function(arguments, made));
    return made;
  }
  ASSAY_TRY(const InputValues inputs, inputs_of(test, arguments));
  ASSAY_TRY(const InputValues other_inputs, inputs_of(other, arguments));
  ASSAY_TRY(const reference::Outputs outputs, oracle_->expected(spec_, test.shape, arguments, inputs));
  made.inputs_vary = inputs != other_inputs;
  if (made.inputs_vary) {
    ASSAY_TRY(const reference::Outputs others, oracle_->expected(spec_, test.shape, arguments, other_inputs));
    made.results_vary = !same_results(outputs, others);
  }
  for (const spec::ResolvedArgument& argument : arguments) {
    const spec::ResolvedTensor* tensor = argument.tensor();
    const auto output = outputs.find(argument.name);
    if (tensor == nullptr || !spec::is_result(tensor->role) || output == outputs.end()) continue;
    const auto before = inputs.find(argument.name);
    const bool left_as_it_was =
        before != inputs.end() && before->second == reference::Numbers(output->second.values, output->second.words);
    if (std::string suspicion = suspicion_of(output->second); !suspicion.empty() && !left_as_it_was)
      made.suspicions.push_back(std::move(suspicion));
    const spec::Tolerance tolerance = tolerance_for(
        test.distribution, spec::tolerance(spec_, argument.name, tensor->dtype), tensor->dtype, output->second.values);
    for (PerturbationTrial& trial : try_perturbations(argument.name, *tensor, output->second, tolerance))
      made.trials.push_back(std::move(trial));
  }
  if (made.reference_ignores_inputs())
    made.suspicions.push_back(fmt::format("inputs of the seeds {} and {} differ, the reference gives the same for both",
                                          test.seed, other.seed));
  return made;
}

// The shorter of two: what else the machine does only adds.
Result<double> CaseRunner::launch_seconds(const Case& test, const gpu::CheckSet& checks) {
  ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec_, configuration_, test.shape));
  const gpu::CheckSet usual = std::exchange(setup_.checks, checks);
  const bool usually_checked = std::exchange(accesses_checked_, checks.contains(gpu::kMemcheck));
  double least = std::numeric_limits<double>::infinity();
  std::optional<Error> problem;
  for (int repetition = 0; repetition < 2 && !problem; ++repetition) {
    auto run = launch(test, arguments, false);
    if (run) {
      least = std::min(least, run->seconds);
    } else {
      problem = run.error();
    }
  }
  setup_.checks = usual;
  accesses_checked_ = usually_checked;
  if (problem) return *problem;
  return least;
}

Result<CheckCosts> CaseRunner::costs(const Case& test) {
  CheckCosts costs;
  costs.shape = test.shape.text();
  ASSAY_TRY(costs.bare_s, launch_seconds(test, {}));
  const gpu::CheckSet all = setup_.checks;
  for (const std::string& name : all.names()) {
    ASSAY_TRY(const double alone, launch_seconds(test, {name}));
    costs.each.emplace_back(name, alone);
  }
  ASSAY_TRY(costs.all_s, launch_seconds(test, all));
  return costs;
}

}  // namespace assay::check
