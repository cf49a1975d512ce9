// SPDX-License-Identifier: MIT
// What a run says about the kernel, from the plainest reason to the subtlest: findings and faults, damaged guards,
// changed inputs, written gaps, elements that nobody wrote, values that differ from the reference, bits that differ
// from launch to launch. The first that applies is the verdict.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>

#include "base/repository.hpp"
#include "check/case_run.hpp"
#include "check/element.hpp"
#include "check/poison.hpp"
#include "check/red_zone.hpp"
#include "check/reference_mistake.hpp"

namespace assay::check {
namespace {

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

bool CaseRunner::judge_reference(const reference::Outputs& wanted, const Run& run, CaseResult& result) const {
  std::vector<WantedOutput> outputs;
  for (const Buffer& buffer : run.buffers) {
    if (buffer.is_output()) outputs.push_back({buffer.name, buffer.tensor});
  }
  const auto mistake = mistake_of_reference(spec_, outputs, wanted, result.test.distribution);
  if (mistake) fail(result, Outcome::reference_failed, mistake->message, mistake->hint);
  return !mistake;
}

bool CaseRunner::judge_output(const Case& test, const Buffer& buffer, const reference::Tensor& expected_tensor,
                              const std::vector<int64_t>& not_written, CaseResult& result) const {
  const reference::Numbers got = decode(buffer.tensor, buffer.tensor_after());
  const spec::Tolerance tolerance =
      tolerance_for(test.distribution, spec::tolerance(spec_, buffer.name, buffer.tensor.dtype), buffer.tensor.dtype,
                    expected_tensor.values);
  const Comparison comparison = check::compare(buffer.tensor, expected_tensor, got, tolerance, not_written);
  result.elements += comparison.elements;
  result.compared += comparison.compared();
  result.failures += comparison.failures;
  result.max_absolute_error = std::max(result.max_absolute_error, comparison.max_absolute_error);
  result.max_relative_error = std::max(result.max_relative_error, comparison.max_relative_error);
  result.max_ulp_error = std::max(result.max_ulp_error, comparison.max_ulp_error);
  result.tolerance_used = std::max(result.tolerance_used, comparison.tolerance_used);
  if (comparison.passed()) return true;
  result.tensor = buffer.name;
  result.mismatch = comparison.first;
  fail(result, outcome_of(comparison.first->kind), describe(buffer.name, *comparison.first));
  return false;
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

Result<reference::Outputs> CaseRunner::expected(const Case& test, const std::vector<spec::ResolvedArgument>& arguments,
                                                const Run& run) {
  InputValues inputs;
  for (const Buffer& buffer : run.buffers) {
    if (spec::is_filled(buffer.tensor.role)) inputs[buffer.name] = buffer.values;
  }
  return oracle_->expected(spec_, test.shape, arguments, inputs);
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
        return element_text(one.tensor.dtype, buffer.tensor_after().data() + *byte / bytes * bytes);
      };
      result.tensor = one.name;
      fail(result, Outcome::wrong_value,
           fmt::format("launch {} of {} gave {} for {}[{}], the first gave {}: the same inputs, other bits", number,
                       repetitions, value(other), one.name,
                       element ? fmt::format("{}", fmt::join(*element, ", ")) : "?", value(one)),
           "sums in the order in which atomics happen to run differ; so does what is read before it is written");
      return;
    }
  }
}

}  // namespace assay::check
