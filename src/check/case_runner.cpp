// SPDX-License-Identifier: MIT
#include "check/case_runner.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <unistd.h>

#include "base/file.hpp"
#include "base/repository.hpp"
#include "base/text.hpp"
#include "check/arguments.hpp"
#include "check/domain.hpp"
#include "check/element.hpp"
#include "check/input_maker.hpp"
#include "check/poison.hpp"
#include "check/red_zone.hpp"
#include "device/open/open_device.hpp"

namespace assay::check {

// A tensor argument: the bytes that were uploaded and those that came back, guards included where there are guards.
struct CaseRunner::Buffer {
  std::string name;
  std::string global;  // the variable of the module that it is; empty: memory of its own
  spec::ResolvedTensor tensor;
  uint64_t address = 0;
  bool guarded = false;        // guards stand around it
  int64_t payload = 0;         // offset of the tensor in the bytes
  std::vector<double> values;  // of inputs
  std::vector<uint8_t> before;
  std::vector<uint8_t> after;
  uint64_t guard_seed = 0;

  bool is_output() const { return spec::is_result(tensor.role); }
  std::span<const uint8_t> tensor_after() const {
    return std::span(after).subspan(static_cast<size_t>(payload), static_cast<size_t>(tensor.bytes));
  }
};

struct CaseRunner::Run {
  std::vector<Buffer> buffers;
  std::vector<uint64_t> pointer_arrays;  // their addresses
  device::LaunchOutcome outcome;
  double seconds = 0;  // of the launches alone, on this machine
};

namespace {

void fail(CaseResult& result, Outcome outcome, std::string message, std::string hint = "") {
  result.outcome = outcome;
  result.message = std::move(message);
  result.hint = std::move(hint);
}

// What the kernels of one call have found and counted together.
void add(device::LaunchOutcome& sum, device::LaunchOutcome&& next) {
  sum.findings.insert(sum.findings.end(), std::make_move_iterator(next.findings.begin()),
                      std::make_move_iterator(next.findings.end()));
  sum.finding_occurrences += next.finding_occurrences;
  sum.fault = std::move(next.fault);
  sum.fault_hint = std::move(next.fault_hint);
  sum.printed += next.printed;
  sum.instructions += next.instructions;
  sum.thread_instructions += next.thread_instructions;
  if (!next.counters) return;
  if (!sum.counters) {
    sum.counters = std::move(next.counters);
    return;
  }
  sum.counters->total += next.counters->total;
  for (gpu::LineCounters& line : next.counters->lines) {
    const auto same = std::ranges::find_if(sum.counters->lines, [&](const gpu::LineCounters& each) {
      return each.line.file == line.line.file && each.line.line == line.line.line;
    });
    if (same == sum.counters->lines.end()) {
      sum.counters->lines.push_back(std::move(line));
    } else {
      same->counters += line.counters;
    }
  }
  std::ranges::sort(sum.counters->lines, {},
                    [](const gpu::LineCounters& each) { return std::pair(each.line.file, each.line.line); });
}

// A kernel that is too large for the device is a verdict on the kernel; what the device lacks is none; anything else
// that keeps a kernel from being launched is a mistake of the specification.
Outcome outcome_of(ExitCode code) {
  return code == ExitCode::incorrect     ? Outcome::does_not_fit
         : code == ExitCode::environment ? Outcome::cannot_run
                                         : Outcome::not_launched;
}

// Built-in references say NaN where there is no result; one that a user wrote may do so if the specification says so.
bool expects_nonfinite(const spec::KernelSpec& spec) {
  const auto option = spec.problem.options.find("nonfinite");
  const bool* said = option != spec.problem.options.end() ? std::get_if<bool>(&option->second) : nullptr;
  return !spec.problem.reference_is_file || (said != nullptr && *said);
}

Outcome outcome_of(MismatchKind kind) {
  switch (kind) {
    case MismatchKind::nan:
    case MismatchKind::infinite:
      return Outcome::nan;
    case MismatchKind::unwritten:
      return Outcome::unwritten;
    case MismatchKind::beyond_tolerance:
    case MismatchKind::not_infinite:
      break;
  }
  return Outcome::wrong_value;
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
               Place{spec_.file.string()}, outputs.error().hint, outputs.error().exit_code};
}

Result<SelfTest> CaseRunner::self_test(const Case& test) const {
  SelfTest made;
  made.test = test;
  Case other = test;
  // Far away: neighbouring seeds may give the same tensors to other arguments, whose sum is then the same.
  constexpr uint64_t kFarAway = 1'000'003;
  other.seed = test.seed + kFarAway;
  ASSAY_TRY(const auto arguments, spec::resolve_arguments(spec_, configuration_, test.shape));
  if (oracle_->judges()) return made;  // by a function: there is no tolerance that could be too wide
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
    if (std::string suspicion = suspicion_of(output->second); !suspicion.empty())
      made.suspicions.push_back(std::move(suspicion));
    const spec::Tolerance tolerance = tolerance_for(
        test.distribution, spec::tolerance(spec_, argument.name, tensor->dtype), tensor->dtype, output->second.values);
    for (PerturbationTrial& trial : try_perturbations(argument.name, *tensor, output->second.values, tolerance))
      made.trials.push_back(std::move(trial));
  }
  if (made.reference_ignores_inputs())
    made.suspicions.push_back(fmt::format("inputs of the seeds {} and {} differ, the reference gives the same for both",
                                          test.seed, other.seed));
  return made;
}

// Whatever happens, the buffers are given back: the next case needs the memory.
Result<CaseRunner::Run> CaseRunner::launch(const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                                           bool second_poison) {
  Run run;
  const auto launched = launch_into(run, test, arguments, second_poison);
  const auto released = release(run);
  if (!launched) return launched.error();
  if (!released) return released.error();
  return run;
}

Result<void> CaseRunner::launch_into(Run& run, const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                                     bool second_poison) {
  std::map<std::string, uint64_t> addresses;
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.tensor() == nullptr) continue;
    ASSAY_CHECK(add_buffer(run, test, arguments, argument, second_poison));
    const Buffer& buffer = run.buffers.back();
    if (buffer.global.empty()) addresses[argument.name] = buffer.address + static_cast<uint64_t>(buffer.payload);
    if (!spec::is_filled(buffer.tensor.role) && buffer.global.empty())
      device_->mark_unwritten(addresses[argument.name], static_cast<uint64_t>(buffer.tensor.bytes));
  }
  for (const spec::ResolvedArgument& argument : arguments) {
    if (argument.pointers() == nullptr) continue;
    const std::vector<std::byte> bytes = pointer_bytes(*argument.pointers(), arguments, addresses);
    ASSAY_TRY(addresses[argument.name], device_->allocate(bytes.size(), argument.name));
    run.pointer_arrays.push_back(addresses[argument.name]);
    ASSAY_CHECK(device_->upload(addresses[argument.name], bytes));
  }
  ASSAY_CHECK(write_scalar_variables(*device_, *module_, arguments));
  ASSAY_TRY(std::vector<device::LaunchRequest> requests, planner_->plan(*device_, test.shape, arguments, addresses));
  const auto start = std::chrono::steady_clock::now();
  for (device::LaunchRequest& request : requests) {
    request.module = module_.get();
    request.checks = setup_.checks;
    request.instruction_limit = setup_.instruction_limit;
    request.count = setup_.count;
    ASSAY_TRY(device::LaunchOutcome outcome, device_->launch(request));
    const bool faulted = outcome.fault.has_value();
    add(run.outcome, std::move(outcome));
    if (faulted) break;
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (device_->lost()) return {};  // with a fault in the outcome; the buffers are gone
  for (Buffer& buffer : run.buffers) {
    buffer.after.resize(buffer.before.size());
    const auto bytes = std::as_writable_bytes(std::span(buffer.after));
    ASSAY_CHECK(buffer.global.empty() ? device_->download(buffer.address, bytes)
                                      : device_->read_variable(*module_, buffer.global, bytes));
  }
  return {};
}

// A tensor in the device's memory, or in a variable of the module, with what it holds before the call.
Result<void> CaseRunner::add_buffer(Run& run, const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                                    const spec::ResolvedArgument& argument, bool second_poison) {
  const spec::ResolvedTensor& tensor = *argument.tensor();
  Buffer buffer;
  buffer.name = argument.name;
  buffer.global = argument.global;
  buffer.tensor = tensor;
  buffer.guard_seed = test.seed + run.buffers.size();
  // With the memory checks every byte behind a buffer is watched already; without them guards stand there. A variable
  // lies where the module has it.
  const RedZoneLayout layout{tensor.bytes};
  buffer.guarded = !accesses_checked_ && buffer.global.empty();
  buffer.payload = buffer.guarded ? layout.payload_offset() : 0;
  const int64_t bytes = buffer.guarded ? layout.total_bytes() : tensor.bytes;
  if (buffer.global.empty()) {
    ASSAY_TRY(buffer.address, device_->allocate(static_cast<uint64_t>(bytes), argument.name));
  }
  run.buffers.push_back(std::move(buffer));
  Buffer& added = run.buffers.back();  // from here on it is given back whatever happens
  added.before.resize(static_cast<size_t>(bytes));
  const auto payload =
      std::span(added.before).subspan(static_cast<size_t>(added.payload), static_cast<size_t>(tensor.bytes));
  if (added.guarded) arm(layout, tensor.dtype, added.guard_seed, added.before);
  if (!spec::is_filled(tensor.role)) {
    fill_with_poison(tensor.dtype, second_poison ? Poison::a5 : Poison::nan, payload);
  } else {
    const bool infinities = oracle_ && oracle_->allows_infinities(argument.name);
    const InputMaker maker(spec_, setup_.cache_folder);
    ASSAY_TRY(added.values, maker.make(test.shape, arguments, argument, {test.distribution, test.seed, infinities}));
    fill_with_guard(tensor.dtype, added.guard_seed, payload);
    encode(tensor, added.values, payload);
  }
  const auto content = std::as_bytes(std::span(added.before));
  return added.global.empty() ? device_->upload(added.address, content)
                              : device_->write_variable(*module_, added.global, content);
}

Result<void> CaseRunner::release(Run& run) {
  if (device_->lost()) return {};
  for (const Buffer& buffer : run.buffers) {
    if (buffer.address != 0) ASSAY_CHECK(device_->release(buffer.address));
  }
  for (const uint64_t address : run.pointer_arrays) ASSAY_CHECK(device_->release(address));
  return {};
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
    if (result.passed() && repetitions > 1) repeat(test, *arguments, *run, repetitions, result);
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

// The first launch was right; the others must not differ from it by a bit.
void CaseRunner::repeat(const Case& test, const std::vector<spec::ResolvedArgument>& arguments, const Run& first,
                        size_t repetitions, CaseResult& result) {
  for (size_t number = 2; number <= repetitions; ++number) {
    const auto again = launch(test, arguments, false);
    if (!again || again->outcome.fault) {
      fail(result, Outcome::wrong_value,
           fmt::format("launch {} of {} failed, the first did not: {}", number, repetitions,
                       again ? again->outcome.fault->message : again.error().message));
      return;
    }
    for (size_t i = 0; i < first.buffers.size(); ++i) {
      const Buffer& one = first.buffers[i];
      const Buffer& other = again->buffers[i];
      const auto byte = one.is_output() ? first_changed_byte(one.tensor_after(), other.tensor_after()) : std::nullopt;
      if (!byte) continue;
      const auto element = element_at(one.tensor, *byte);
      const int64_t bytes = spec::size_bytes(one.tensor.dtype);
      const auto value = [&](const Buffer& buffer) {
        return decode_element(one.tensor.dtype, buffer.tensor_after().data() + *byte / bytes * bytes);
      };
      result.tensor = one.name;
      fail(result, Outcome::wrong_value,
           fmt::format("launch {} of {} gave {:.9g} for {}[{}], the first gave {:.9g}: the same inputs, other bits",
                       number, repetitions, value(other), one.name,
                       element ? fmt::format("{}", fmt::join(*element, ", ")) : "?", value(one)),
           "sums in the order in which atomics happen to run differ; so does what is read before it is written");
      return;
    }
  }
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

// A reference is trusted only as far as it goes: it must say something, and NaN and infinities must be expected.
bool CaseRunner::judge_reference(const reference::Outputs& wanted, const Run& run, CaseResult& result) const {
  int64_t defined = 0;
  for (const Buffer& buffer : run.buffers) {
    if (!buffer.is_output()) continue;
    const auto tensor = wanted.find(buffer.name);
    if (tensor == wanted.end() && spec_.problem.reference.empty()) continue;  // the comparison knows more
    if (tensor == wanted.end()) {
      fail(result, Outcome::reference_failed, fmt::format("it gives no output '{}'", buffer.name));
      return false;
    }
    const std::vector<double>& values = tensor->second.values;
    const auto strange = expects_nonfinite(spec_) ? values.end()
                                                  : std::find_if_not(values.begin(), values.end(),
                                                                     [](double v) { return std::isfinite(v); });
    if (strange != values.end()) {
      const auto index = index_of(buffer.tensor.dims, strange - values.begin());
      fail(result, Outcome::reference_failed,
           fmt::format("it gives {} for {}[{}]", *strange, buffer.name, fmt::join(index, ", ")),
           "mend the reference; or say nonfinite = true in [problem.options], if it has no result there");
      return false;
    }
    defined += std::count_if(values.begin(), values.end(), [](double v) { return !std::isnan(v); });
  }
  // Our own references know that inputs such as infinities have no result at all; those of the file must have one.
  const bool special = !spec_.problem.reference_is_file && result.test.distribution != Distribution::specified;
  const bool nothing_to_compare = std::ranges::all_of(
      run.buffers, [](const Buffer& each) { return !each.is_output() || each.tensor.elements == 0; });
  if (defined > 0 || special || nothing_to_compare || spec_.problem.reference.empty()) return true;
  fail(result, Outcome::reference_failed, "it has no result for any element, so nothing was compared",
       "NaN says that there is no result; at least one element of one output needs one");
  return false;
}

void CaseRunner::judge(const Case& test, const std::vector<spec::ResolvedArgument>& arguments, Run& run,
                       CaseResult& result) {
  result.instructions = run.outcome.instructions;
  result.thread_instructions = run.outcome.thread_instructions;
  result.printed = run.outcome.printed;
  result.counters = run.outcome.counters;
  if (result.counters) {
    const SourceNames names(spec_.source_path().parent_path());
    for (gpu::LineCounters& line : result.counters->lines) line.line.file = names.shown(line.line.file);
  }
  if (!judge_launch(run, result) || !setup_.compare || !judge_inputs(run, result) || !judge_gaps(run, result)) return;
  const auto wanted = expected(test, arguments, run);
  if (!wanted) {
    fail(result, Outcome::reference_failed, wanted.error().message, wanted.error().hint);
    return;
  }
  if (!judge_reference(*wanted, run, result)) return;
  // Elements that still hold the first poison are suspects; only those that also keep a second one were not written.
  std::optional<Run> second;
  for (size_t i = 0; i < run.buffers.size(); ++i) {
    const Buffer& buffer = run.buffers[i];
    if (!buffer.is_output()) continue;
    const auto tensor = wanted->find(buffer.name);
    std::vector<int64_t> not_written;
    if (buffer.tensor.role == spec::Role::output &&
        !still_poisoned(buffer.tensor, buffer.tensor_after(), Poison::nan).empty()) {
      if (!second) {
        auto again = launch(test, arguments, true);
        if (again && !again->outcome.fault) second = std::move(*again);
      }
      if (second) not_written = unwritten(buffer.tensor, buffer.tensor_after(), second->buffers[i].tensor_after());
    }
    if (oracle_->judges()) {
      if (not_written.empty()) continue;
      result.tensor = buffer.name;
      const auto index = index_of(buffer.tensor.dims, not_written.front());
      fail(result, Outcome::unwritten,
           fmt::format("{}[{}]: the kernel did not write it", buffer.name, fmt::join(index, ", ")));
      return;
    }
    if (!judge_output(test, buffer, tensor->second, not_written, result)) return;
  }
  if (oracle_->judges()) judge_by_function(test, arguments, *wanted, run, result);
}

// The user's function has the word; what it says is the reason.
void CaseRunner::judge_by_function(const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                                   const reference::Outputs& known, const Run& run, CaseResult& result) const {
  InputValues outputs;
  for (const Buffer& buffer : run.buffers) {
    if (!buffer.is_output()) continue;
    outputs[buffer.name] = decode(buffer.tensor, buffer.tensor_after());
    result.elements += buffer.tensor.elements;
    result.compared += buffer.tensor.elements;
  }
  const auto verdict = oracle_->judge(spec_, test.shape, arguments, known, outputs);
  if (!verdict) {
    fail(result, Outcome::reference_failed, verdict.error().message, verdict.error().hint);
  } else if (*verdict) {
    ++result.failures;
    fail(result, Outcome::wrong_value, **verdict);
  }
}

bool CaseRunner::judge_launch(const Run& run, CaseResult& result) const {
  const device::LaunchOutcome& outcome = run.outcome;
  result.findings = outcome.findings;
  result.finding_occurrences = outcome.finding_occurrences;
  if (outcome.fault) result.findings.push_back(*outcome.fault);
  const SourceNames names(spec_.source_path().parent_path());
  for (gpu::Finding& finding : result.findings) {
    for (gpu::SourceLine& line : finding.source) line.file = names.shown(line.file);
  }
  if (!outcome.findings.empty()) {
    fail(result, Outcome::finding, outcome.findings.front().message);
    return false;
  }
  if (outcome.fault) {
    fail(result, Outcome::fault, outcome.fault->message, outcome.fault_hint);
    return false;
  }
  for (const Buffer& buffer : run.buffers) {
    if (!buffer.guarded) continue;
    const auto damage =
        inspect(RedZoneLayout{buffer.tensor.bytes}, buffer.tensor.dtype, buffer.guard_seed, buffer.after);
    if (!damage) continue;
    result.tensor = buffer.name;
    fail(result, Outcome::red_zone, describe(buffer.name, *damage));
    return false;
  }
  return true;
}

bool CaseRunner::judge_inputs(const Run& run, CaseResult& result) const {
  for (const Buffer& buffer : run.buffers) {
    if (buffer.tensor.role != spec::Role::input) continue;
    const auto changed = first_changed_byte(buffer.before, buffer.after);
    if (!changed) continue;
    result.tensor = buffer.name;
    const auto element = element_at(buffer.tensor, *changed - buffer.payload);
    const std::string where = element ? fmt::format("at [{}]", fmt::join(*element, ", ")) : "between its elements";
    fail(result, Outcome::input_changed,
         fmt::format("the kernel changed its input '{}', first {} (byte {})", buffer.name, where,
                     *changed - buffer.payload),
         "an argument that the kernel updates needs inout = true");
    return false;
  }
  return true;
}

// The bytes between the elements of a strided output belong to somebody else.
bool CaseRunner::judge_gaps(const Run& run, CaseResult& result) const {
  for (const Buffer& buffer : run.buffers) {
    if (buffer.tensor.role != spec::Role::output) continue;
    const auto written = first_written_gap(buffer.tensor, buffer.tensor_after(), Poison::nan);
    if (!written) continue;
    result.tensor = buffer.name;
    fail(result, Outcome::red_zone,
         fmt::format("the kernel wrote between the elements of '{}', first at byte {}", buffer.name, *written),
         "compare the strides in the kernel with those of the specification");
    return false;
  }
  return true;
}

bool CaseRunner::judge_output(const Case& test, const Buffer& buffer, const reference::Tensor& expected_tensor,
                              const std::vector<int64_t>& not_written, CaseResult& result) const {
  const std::vector<double> got = decode(buffer.tensor, buffer.tensor_after());
  const spec::Tolerance tolerance =
      tolerance_for(test.distribution, spec::tolerance(spec_, buffer.name, buffer.tensor.dtype), buffer.tensor.dtype,
                    expected_tensor.values);
  const Comparison comparison = check::compare(buffer.tensor, expected_tensor.values, got, tolerance, not_written);
  result.elements += comparison.elements;
  result.compared += comparison.compared();
  result.failures += comparison.failures;
  result.max_absolute_error = std::max(result.max_absolute_error, comparison.max_absolute_error);
  result.max_relative_error = std::max(result.max_relative_error, comparison.max_relative_error);
  result.max_ulp_error = std::max(result.max_ulp_error, comparison.max_ulp_error);
  if (comparison.passed()) return true;
  result.tensor = buffer.name;
  result.mismatch = comparison.first;
  fail(result, outcome_of(comparison.first->kind), describe(buffer.name, *comparison.first));
  return false;
}

Result<reference::Outputs> CaseRunner::expected(const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                                                const Run& run) {
  InputValues inputs;
  for (const Buffer& buffer : run.buffers) {
    if (spec::is_filled(buffer.tensor.role)) inputs[buffer.name] = buffer.values;
  }
  return oracle_->expected(spec_, test.shape, arguments, inputs);
}

}  // namespace assay::check
