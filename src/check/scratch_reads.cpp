// SPDX-License-Identifier: MIT
// Wrong results whose cause is scratch memory that nobody wrote before it was read: said as that, not as a NaN at the
// other end of the stages.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "build/entry_name.hpp"
#include "check/case_run.hpp"
#include "check/poison.hpp"

namespace assay::check {
namespace {

constexpr const char* kInitcheck = "initcheck";

// The stage that runs this kernel, by its name or its number; "the kernel" where there is only one.
std::string reader_of(const spec::KernelSpec& spec, const gpu::Finding& finding) {
  if (spec.stages.size() < 2) return "the kernel";
  for (const spec::StageSpec& stage : spec.stages) {
    const std::string entry = stage.entry.text();
    if (entry == finding.kernel || build::readable_entry(finding.kernel) == entry)
      return fmt::format("stage '{}'", stage.name);
  }
  return build::readable_entry(finding.kernel);
}

}  // namespace

void CaseRunner::judge_scratch(const Case& test, const std::vector<spec::ResolvedArgument>& arguments, const Run& run,
                               CaseResult& result) {
  // Scratch that is copied as it was looks like an output that nobody wrote.
  if (result.outcome != Outcome::nan && result.outcome != Outcome::wrong_value && result.outcome != Outcome::unwritten)
    return;
  const auto suspect = [](const Buffer& buffer) {
    return buffer.tensor.role == spec::Role::scratch &&
           !still_poisoned(buffer.tensor, buffer.tensor_after(), Poison::nan).empty();
  };
  if (std::ranges::none_of(run.buffers, suspect)) return;
  // Results that change with what scratch held before the call, and with nothing else, were made of it.
  const auto changed = [&](bool other_scratch) -> std::optional<std::string> {
    other_scratch_ = other_scratch;
    const auto again = launch(test, arguments, false);
    other_scratch_ = false;
    if (!again || again->outcome.fault) return std::nullopt;
    for (size_t i = 0; i < run.buffers.size(); ++i) {
      const Buffer& buffer = run.buffers[i];
      if (buffer.is_output() && !std::ranges::equal(buffer.tensor_after(), again->buffers[i].tensor_after()))
        return buffer.name;
    }
    return "";
  };
  const auto output = changed(true);
  if (!output || output->empty() || changed(false) != "") return;
  constexpr const char* kHint = "a stage before it has to write every element that is read; scratch = true gives none";
  const auto restart = [&] {
    CaseResult fresh;
    fresh.test = result.test;
    fresh.instructions = result.instructions;
    fresh.thread_instructions = result.thread_instructions;
    result = std::move(fresh);
  };
  // A virtual GPU knows who uses it; a plain copy is no use.
  std::vector<gpu::Finding> findings;
  if (setup_.device.starts_with("vgpu")) {
    const gpu::CheckSet usual = std::exchange(setup_.checks, gpu::CheckSet{gpu::kMemcheck, kInitcheck});
    const auto watched = launch(test, arguments, false);
    setup_.checks = usual;
    if (watched) findings = watched->outcome.findings;
  }
  for (const gpu::Finding& finding : findings) {
    for (const Buffer& buffer : run.buffers) {
      if (!suspect(buffer) || finding.allocation.find(fmt::format("'{}'", buffer.name)) == std::string::npos) continue;
      Run shown;
      shown.outcome.findings = {finding};
      restart();
      static_cast<void>(judge_launch(shown, result));
      result.tensor = buffer.name;
      fail(result, Outcome::finding,
           fmt::format("scratch '{}' is read by {} before anything wrote it", buffer.name, reader_of(spec_, finding)),
           kHint);
      return;
    }
  }
  const auto found = std::ranges::find_if(run.buffers, suspect);
  restart();
  result.tensor = found->name;
  fail(result, Outcome::unwritten,
       fmt::format("scratch '{}' is read before anything wrote it: '{}' changes with what its memory held", found->name,
                   *output),
       kHint);
}

}  // namespace assay::check
