// SPDX-License-Identifier: MIT
// One run of a kernel: buffers with guards, poison and inputs; the launches; the bytes that came back.
#include "check/case_run.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include "base/elapsed.hpp"
#include "check/arguments.hpp"
#include "check/element.hpp"
#include "check/input_maker.hpp"
#include "check/poison.hpp"
#include "check/red_zone.hpp"

namespace assay::check {
namespace {

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

}  // namespace

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
  run.seconds = seconds_since(start);
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
    const bool second = second_poison || (other_scratch_ && tensor.role == spec::Role::scratch);
    fill_with_poison(tensor.dtype, second ? Poison::a5 : Poison::nan, payload);
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

}  // namespace assay::check
