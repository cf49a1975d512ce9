// SPDX-License-Identifier: MIT
#include "cli/verdict_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "report/finding_text.hpp"

namespace assay::cli {
namespace {

using report::Colour;
using report::Terminal;

std::string failure_text(const Terminal& terminal, const check::CaseResult& failure) {
  std::string text =
      fmt::format("{} {}\n", terminal.paint(Colour::red, std::string(name(failure.outcome))), failure.message);
  if (!failure.hint.empty()) text += fmt::format("  hint: {}\n", failure.hint);
  if (failure.mismatch)
    text += fmt::format("  {} of {} elements of '{}' are wrong\n", failure.failures, failure.elements, failure.tensor);
  if (!failure.findings.empty()) text += "\n" + report::findings_text(terminal, failure.findings);
  if (!failure.printed.empty()) text += fmt::format("\nprinted by the kernel:\n{}\n", failure.printed);
  return text;
}

}  // namespace

std::string repeat_command(const char* command, const spec::KernelSpec& spec, const spec::Configuration& configuration,
                           const check::Case& test, const Options& options) {
  std::string text = fmt::format("assay {} {} --device {}", command, spec.folder.string(), device_name(options));
  if (!spec.tunable.tunables.empty()) text += fmt::format(" --config {}", configuration.id());
  text += fmt::format(" --shape {}", test.shape.text());
  if (test.distribution != check::Distribution::specified)
    text += fmt::format(" --distribution {}", name(test.distribution));
  return text + fmt::format(" --seed {}", test.seed);
}

std::string sanitize_text(const spec::KernelSpec& spec, const check::SanitizeReport& report, const Options& options) {
  const Terminal terminal;
  std::string text;
  const check::CaseResult* failure = report.failure();
  uint64_t instructions = 0;
  for (const check::CaseResult& result : report.results) instructions += result.thread_instructions;
  if (failure == nullptr && !device::is_virtual(device_name(options))) {
    return fmt::format(
        "{} {}: no fault and no damaged guard bytes in {} on {}\n"
        "Every access is checked on a virtual GPU (without --device), or with --with compute-sanitizer.\n",
        terminal.paint(Colour::green, "clean"), spec.kernel.name, counted(report.results.size(), "shape"),
        device_name(options));
  }
  if (failure == nullptr) {
    return fmt::format("{} {}: no bad memory access in {} on {} ({:.1f} M thread instructions counted)\n",
                       terminal.paint(Colour::green, "clean"), spec.kernel.name,
                       counted(report.results.size(), "shape"), device_name(options),
                       static_cast<double>(instructions) / 1e6);
  }
  text += fmt::format("{} {} on {}, first at shape {}\n\n", terminal.paint(Colour::red, "FAILED"), spec.kernel.name,
                      device_name(options), failure->test.shape.text());
  if (report.findings.empty()) return text + failure_text(terminal, *failure);
  text += report::findings_text(terminal, report.findings);
  return text + fmt::format("\n{}, {}, over {}\n", counted(report.findings.size(), "finding"),
                            counted(report.occurrences, "occurrence"), counted(report.results.size(), "shape"));
}

std::string check_text(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                       const check::CheckReport& report, const Options& options) {
  const Terminal terminal;
  double absolute = 0;
  double ulp = 0;
  for (const check::CaseResult& result : report.results) {
    absolute = std::max(absolute, result.max_absolute_error);
    ulp = std::max(ulp, result.max_ulp_error);
  }
  std::string text;
  if (report.passed()) {
    text += fmt::format("{} {} [{}] on {}: {}, seed {}, largest error {:.3g} ({:.3g} ulp)\n",
                        terminal.paint(Colour::green, "correct"), spec.kernel.name, configuration.id(),
                        device_name(options), counted(report.results.size(), "case"), report.seed, absolute, ulp);
  } else {
    const check::CaseResult& failure = report.failure ? *report.failure : report.results.back();
    text += fmt::format("{} {} [{}] on {}: case {} of {}\n", terminal.paint(Colour::red, "INCORRECT"), spec.kernel.name,
                        configuration.id(), device_name(options), report.results.size(), report.planned);
    text += fmt::format("smallest failing shape: {} (inputs: {}, seed {})\n", failure.test.shape.text(),
                        name(failure.test.distribution), failure.test.seed);
    text += failure_text(terminal, failure);
    text += fmt::format("\nrepeat: {}\n", repeat_command("check", spec, configuration, failure.test, options));
  }
  if (!report.skipped.empty()) {
    text += fmt::format("{} skipped, the first: {}: {}\n", counted(report.skipped.size(), "shape"),
                        report.skipped.front().shape.text(), report.skipped.front().reason);
  }
  if (!report.approximate.empty()) {
    text += fmt::format("fidelity: {} exact to the bit except {} (within the ISA's bounds)\n", device_name(options),
                        join(report.approximate, ", "));
  }
  if (!report.depends_on_fmad.empty()) text += fmt::format("depends on contraction: {}\n", report.depends_on_fmad);
  if (!report.fusible.empty()) {
    constexpr size_t kMostNamed = 4;
    const std::vector<std::string> named(
        report.fusible.begin(),
        report.fusible.begin() + static_cast<std::ptrdiff_t>(std::min(kMostNamed, report.fusible.size())));
    const std::string more =
        report.fusible.size() > kMostNamed ? fmt::format(" and {} more", report.fusible.size() - kMostNamed) : "";
    text += fmt::format("fidelity: ptxas may fuse a product and a sum at {}{} (--fmad both tries both ways)\n",
                        join(named, ", "), more);
  }
  return text;
}

}  // namespace assay::cli
