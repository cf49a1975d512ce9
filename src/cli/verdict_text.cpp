// SPDX-License-Identifier: MIT
#include "cli/verdict_text.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "device/device.hpp"
#include "report/coverage.hpp"
#include "report/finding_text.hpp"
#include "report/printed_text.hpp"
#include "report/source_text.hpp"
#include "report/terminal.hpp"
#include "work/check_details.hpp"
#include "work/sanitize_details.hpp"

namespace assay::cli {
namespace {

using report::Colour;
using report::Terminal;

std::string verdict_word(const Terminal& terminal, ExitCode code) {
  return code == ExitCode::incorrect ? terminal.paint(Colour::red, "FAILED")
                                     : terminal.paint(Colour::yellow, "INCONCLUSIVE");
}

std::string failure_text(const Terminal& terminal, const spec::KernelSpec& spec, const check::CaseResult& failure) {
  std::string text =
      fmt::format("{} {}\n", terminal.paint(Colour::red, std::string(name(failure.outcome))), failure.message);
  if (!failure.hint.empty()) text += fmt::format("  hint: {}\n", failure.hint);
  if (failure.mismatch)
    text += fmt::format("  {} of {} elements of '{}' are wrong\n", failure.failures, failure.elements, failure.tensor);
  if (!failure.findings.empty())
    text += "\n" + report::findings_text(terminal, failure.findings, report::source_root(spec.folder));
  if (!failure.printed.empty()) text += "\n" + report::printed_text(terminal, {failure});
  return text;
}

std::string second_opinion_text(const Terminal& terminal, const spec::KernelSpec& spec,
                                const work::SecondOpinion& opinion) {
  const std::string who = fmt::format("compute-sanitizer {} on {}", opinion.tool, opinion.device);
  if (opinion.not_run) {
    std::string text =
        terminal.paint(Colour::yellow, fmt::format("{} did not run: ", who)) + opinion.not_run->message + "\n";
    if (!opinion.not_run->hint.empty()) text += fmt::format("  {}\n", opinion.not_run->hint);
    return text;
  }
  if (opinion.result.passed())
    return fmt::format("{} {} found nothing at shape {}\n", terminal.paint(Colour::green, "clean"), who, opinion.shape);
  std::string text = fmt::format("\n{} {}, shape {}\n\n", terminal.paint(Colour::red, "FAILED"), who, opinion.shape);
  if (opinion.result.findings.empty()) return text + opinion.result.message + "\n";
  text += report::findings_text(terminal, opinion.result.findings, report::source_root(spec.folder));
  return text + "\n" + report::findings_count(opinion.result.findings, opinion.result.finding_occurrences) + "\n";
}

// "the checks took 14.2 ms beside 3.1 ms of the bare run ...": a small shape has the checks' fixed costs in it.
std::string costs_text(const std::optional<check::CheckCosts>& costs) {
  if (!costs) return "";
  std::vector<std::string> alone;
  for (const auto& [name, seconds] : costs->each) alone.push_back(fmt::format("{} {:.1f}", name, seconds * 1000));
  return fmt::format("cost on this machine at shape {}: {:.1f} ms, {:.1f} without checks (with one alone: {})\n",
                     costs->shape, costs->all_s * 1000, costs->bare_s * 1000, join(alone, ", "));
}

std::string own_opinion_text(const Terminal& terminal, const work::SanitizeReport& sanitized) {
  const check::SanitizeReport& report = sanitized.details->report;
  const check::CaseResult* failure = report.failure();
  const std::string& device = sanitized.device;
  uint64_t instructions = 0;
  for (const check::CaseResult& result : report.results) instructions += result.thread_instructions;
  if (failure == nullptr && !device::is_virtual(device)) {
    return fmt::format(
        "{} {}: no fault and no damaged guard bytes in {} on {}\n"
        "Every access is checked on a virtual GPU (without --device), or with --with compute-sanitizer.\n{}",
        terminal.paint(Colour::green, "clean"), sanitized.kernel, counted(report.results.size(), "shape"), device,
        report::coverage_text(report.coverage));
  }
  if (failure == nullptr) {
    return fmt::format("{} {}: no finding in {} on {} ({:.1f} M thread instructions counted)\n{}",
                       terminal.paint(Colour::green, "clean"), sanitized.kernel,
                       counted(report.results.size(), "shape"), device, static_cast<double>(instructions) / 1e6,
                       report::coverage_text(report.coverage) + costs_text(report.costs));
  }
  std::string text = fmt::format("{} {} on {}, first at shape {}\n\n", verdict_word(terminal, sanitized.exit_code),
                                 sanitized.kernel, device, failure->test.shape.text());
  const spec::KernelSpec& spec = sanitized.details->spec;
  if (report.findings.empty()) return text + failure_text(terminal, spec, *failure);
  text += report::findings_text(terminal, report.findings, report::source_root(spec.folder));
  return text + fmt::format("\n{} over {}\n{}", report::findings_count(report.findings, report.occurrences),
                            counted(report.results.size(), "shape"), report::coverage_text(report.coverage));
}

// "would have caught: one element, one row, ... (o, at shape S=64)"
std::string self_test_text(const Terminal& terminal, const check::SelfTest& test, bool with_caught) {
  std::vector<std::string> caught;
  std::vector<std::string> tensors;
  const auto add = [](std::vector<std::string>& list, std::string word) {
    if (std::find(list.begin(), list.end(), word) == list.end()) list.push_back(std::move(word));
  };
  for (const check::PerturbationTrial& trial : test.trials) {
    if (trial.caught) add(caught, std::string(name(trial.perturbation)));
    add(tensors, trial.tensor);
  }
  std::string text;
  if (with_caught && !caught.empty())
    text += fmt::format("would have caught: {} (in {} at shape {})\n", join(caught, ", "), join(tensors, ", "),
                        test.test.shape.text());
  for (const std::string& suspicion : test.suspicions)
    text += fmt::format("{} of the {}: {}\n", terminal.paint(Colour::yellow, "suspicious"),
                        test.by_function ? "comparison" : "reference", suspicion);
  return text;
}

// "assay check kernels/x --config ... --shape ... --seed 7": what repeats this case.
std::string repeat_command(const work::ConfigurationCheck& checked, const std::string& kernel,
                           const check::Case& test) {
  std::string text = fmt::format("assay check {} --device {}", kernel, checked.device);
  if (!checked.details->spec.tunable.tunables.empty()) text += fmt::format(" --config {}", checked.configuration);
  text += fmt::format(" --shape {}", test.shape.text());
  if (test.distribution != check::Distribution::specified)
    text += fmt::format(" --distribution {}", name(test.distribution));
  return text + fmt::format(" --seed {}", test.seed);
}

// An error says nothing by itself: what counts is how much of the tolerance it takes. Units of the last place are shown
// while they are few; where terms cancel, an error within the tolerance is many thousands of them.
std::string largest_error(const std::vector<check::CaseResult>& results) {
  constexpr double kFewUlp = 100;
  double absolute = 0;
  double ulp = 0;
  double used = 0;
  for (const check::CaseResult& result : results) {
    absolute = std::max(absolute, result.max_absolute_error);
    ulp = std::max(ulp, result.max_ulp_error);
    used = std::max(used, result.tolerance_used);
  }
  std::vector<std::string> measures;
  if (ulp > 0 && ulp < kFewUlp) measures.push_back(fmt::format("{:.3g} ulp", ulp));
  const double percent = used * 100;
  if (used > 0)
    measures.push_back((percent < 10 ? fmt::format("{:.2g}", percent) : fmt::format("{:.0f}", percent)) +
                       " % of the tolerance");
  return fmt::format("largest error {:.3g}{}", absolute, measures.empty() ? "" : " (" + join(measures, ", ") + ")");
}

}  // namespace

std::string sanitize_text(const work::SanitizeReport& report) {
  const Terminal terminal;
  // What a failure printed stands beside it.
  const bool clean = report.details->report.failure() == nullptr;
  std::string text = clean ? report::printed_text(terminal, report.details->report.results) : "";
  text += own_opinion_text(terminal, report);
  if (report.details->second) text += second_opinion_text(terminal, report.details->spec, *report.details->second);
  return text;
}

std::string check_text(const work::ConfigurationCheck& checked, const std::string& kernel, bool with_coverage) {
  const Terminal terminal;
  const check::CheckReport& report = checked.details->report;
  uint64_t compared = 0;
  for (const check::CaseResult& result : report.results) {
    compared += static_cast<uint64_t>(result.compared);
  }
  std::string text;
  if (report.passed()) {
    text += report::printed_text(terminal, report.results);
    text += fmt::format("{} {} [{}] on {}: {}, {}, seed {}, {}\n", terminal.paint(Colour::green, "correct"),
                        checked.kernel, checked.configuration, checked.device, counted(report.results.size(), "case"),
                        counted(compared, "element") + " compared", report.seed, largest_error(report.results));
    if (report.self_test) text += self_test_text(terminal, *report.self_test, with_coverage);
    if (with_coverage) text += report::coverage_text(report.coverage);
    if (report.repetitions > 0)
      text +=
          fmt::format("{} the same bits in {} launches at shape {}\n",
                      checked.validated ? terminal.paint(Colour::green, "validated:") : "repeated:", report.repetitions,
                      report.repeated);
  } else {
    const check::CaseResult& failure = report.failure ? *report.failure : report.results.back();
    const bool incorrect = checked.exit_code == ExitCode::incorrect;
    text += fmt::format(
        "{} {} [{}] on {}: case {} of {}\n",
        incorrect ? terminal.paint(Colour::red, "INCORRECT") : terminal.paint(Colour::yellow, "INCONCLUSIVE"),
        checked.kernel, checked.configuration, checked.device, report.results.size(), report.planned);
    text += fmt::format("{}: {} (inputs: {}, seed {})\n", incorrect ? "smallest failing shape" : "shape",
                        failure.test.shape.text(), name(failure.test.distribution), failure.test.seed);
    text += failure_text(terminal, checked.details->spec, failure);
    text += fmt::format("\nrepeat: {}\n", repeat_command(checked, kernel, failure.test));
  }
  if (!report.skipped.empty()) {
    text += fmt::format("{} skipped, the first: {}: {}\n", counted(report.skipped.size(), "shape"),
                        report.skipped.front().shape.text(), report.skipped.front().reason);
  }
  if (!report.approximate.empty()) {
    text += fmt::format("fidelity: {} exact to the bit except {} (within the ISA's bounds)\n", checked.device,
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
