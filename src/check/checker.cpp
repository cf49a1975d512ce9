// SPDX-License-Identifier: MIT
#include "check/checker.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/progress.hpp"
#include "check/coverage.hpp"
#include "check/domain.hpp"
#include "check/shrink.hpp"

namespace assay::check {
namespace {

// A failure of the surroundings says nothing about the kernel, and a smaller shape would not help.
bool worth_shrinking(const CaseResult& failure) {
  return failure.outcome != Outcome::reference_failed && failure.outcome != Outcome::not_launched &&
         failure.outcome != Outcome::does_not_fit && failure.outcome != Outcome::cannot_run &&
         failure.outcome != Outcome::timed_out;  // each try would take the whole time limit again
}

Result<void> shrink_failure(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                            const CaseOptions& cases, Worker& worker, CheckReport& report) {
  ASSAY_TRY(const std::vector<Domain> all_domains, domains(spec));
  const CaseResult original = *report.failure;
  const auto legal = [&](const spec::Shape& shape) { return why_not(spec, configuration, shape).empty(); };
  const auto fails = [&](const spec::Shape& shape) {
    const auto cost = work(spec, configuration, shape);
    if (!cost || *cost > cases.work_limit) return false;
    Case smaller = original.test;
    smaller.shape = shape;
    CaseResult result = worker.run(smaller);
    const bool same = result.outcome == original.outcome;
    if (same) report.failure = std::move(result);
    return same;
  };
  const Shrunk shrunk = shrink(original.test.shape, all_domains, legal, fails);
  report.shrink_evaluations = shrunk.evaluations;
  report.shrunk_to_minimum = shrunk.minimal;
  return {};
}

// The largest case with the file's own inputs: what depends on the order of threads shows there first.
Result<void> repeat_case(const CheckOptions& options, Worker& worker, CheckReport& report) {
  const CaseResult* largest = &report.results.front();
  for (const CaseResult& result : report.results) {
    if (result.test.origin == Origin::specified && result.elements >= largest->elements) largest = &result;
  }
  Progress progress(options.context, "repeat", 1);
  progress.step(largest->test.shape.text());
  CaseResult result = worker.run(largest->test, options.repetitions);
  ASSAY_CHECK(check_cancelled(options.context));
  report.repeated = result.test.shape.text();
  if (result.passed()) {
    report.repetitions = options.repetitions;
    return {};
  }
  report.results.push_back(result);
  report.failure = std::move(result);
  return {};
}

// The smallest of the file's own cases with enough elements to be typical; else the one with the most.
const CaseResult& case_for_self_test(const CheckReport& report) {
  constexpr int64_t kEnough = 4096;
  const auto of_file = [](const CaseResult& each) { return each.test.distribution == Distribution::specified; };
  const auto first = std::ranges::find_if(report.results, of_file);
  const CaseResult* best = first != report.results.end() ? &*first : &report.results.front();
  for (const CaseResult& result : report.results) {
    if (result.test.distribution != best->test.distribution) continue;
    if (best->compared < kEnough && result.compared > best->compared) best = &result;
  }
  return *best;
}

// A kernel that passed a check that cannot fail has not been checked.
Result<void> test_the_check(const spec::KernelSpec& spec, Worker& worker, CheckReport& report) {
  const Case test = case_for_self_test(report).test;
  CaseResult failure;
  failure.test = test;
  if (std::ranges::all_of(report.results, [](const CaseResult& each) { return each.compared == 0; })) {
    failure.outcome = Outcome::cannot_fail;
    failure.message = "nothing was compared: at every shape that ran, no output has an element with a result";
    failure.hint = "add a shape to [shapes] whose outputs have elements";
    report.results.push_back(failure);
    report.failure = std::move(failure);
    return {};
  }
  ASSAY_TRY(report.self_test, worker.self_test(test));
  const PerturbationTrial* missed = report.self_test->missed();
  if (missed != nullptr && report.self_test->by_function) {
    failure.outcome = Outcome::cannot_fail;
    failure.tensor = missed->tensor;
    failure.message = fmt::format(
        "{} takes every wrong copy of the outputs for right, rubbish in all elements included", spec.problem.compare);
    failure.hint = "mend the comparison: it must say what is wrong with outputs that are";
  } else if (missed != nullptr) {
    failure.outcome = Outcome::cannot_fail;
    failure.tensor = missed->tensor;
    failure.message = fmt::format("{} is not caught: {}", name(missed->perturbation), describe(*missed));
    failure.hint = std::isnan(missed->expected)
                       ? "mend the reference; or say scratch = true of what is compared with nothing"
                       : "narrow [tolerance]; or give the inputs a fill whose results differ by more than it allows";
  } else if (spec.problem.reference_is_file && report.self_test->reference_ignores_inputs()) {
    failure.outcome = Outcome::reference_failed;
    failure.message = report.self_test->suspicions.back();
    failure.hint = "mend the reference: a kernel that reads its inputs gives other results for other inputs";
  } else {
    return {};
  }
  report.results.push_back(failure);
  report.failure = std::move(failure);
  return {};
}

void blame_reference(CheckReport& report, std::string what, std::string hint) {
  CaseResult failure;
  failure.test = report.failure->test;
  failure.outcome = Outcome::reference_failed;
  failure.message = std::move(what);
  failure.hint = std::move(hint);
  report.results.back() = failure;
  report.failure = std::move(failure);
}

// Small cases prove little: the softmax of one column is 1 whatever the column holds. So the largest one is asked.
Result<std::optional<Case>> telling_case(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                         const CheckOptions& options) {
  ASSAY_TRY(std::vector<spec::Shape> shapes, spec::all_shapes(spec));
  spec::sort_smallest_first(shapes);
  for (size_t i = shapes.size(); i-- > 0;) {
    if (!why_not(spec, configuration, shapes[i]).empty()) continue;
    const auto cost = work(spec, configuration, shapes[i]);
    if (!cost || *cost > options.cases.work_limit) continue;
    Case test;
    test.shape = shapes[i];
    test.seed = options.cases.seed;
    return std::optional(std::move(test));
  }
  return std::optional<Case>();
}

// Wrong values may be the fault of a reference of the user's: of one that says something else whenever it is asked, or
// the same of everything. Before the kernel is called incorrect, the reference is tried.
Result<void> try_the_reference(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                               const CheckOptions& options, Worker& worker, CheckReport& report) {
  const CaseResult& failure = *report.failure;
  if (!spec.problem.reference_is_file || failure.outcome != Outcome::wrong_value || !failure.mismatch) return {};
  constexpr double kOfRounding = 1e-6;  // sums of a library with threads differ in their last bits
  const CaseResult again = worker.run(failure.test);
  ASSAY_CHECK(check_cancelled(options.context));
  const Mismatch first = *failure.mismatch;
  if (again.mismatch && again.mismatch->index == first.index && again.mismatch->got == first.got &&
      std::abs(again.mismatch->expected - first.expected) > kOfRounding * std::abs(first.expected)) {
    blame_reference(report,
                    fmt::format("asked the same twice, it expects {:.9g} and {:.9g} as element {} of '{}'",
                                first.expected, again.mismatch->expected, fmt::join(first.index, ", "), failure.tensor),
                    "mend the reference: what it draws by itself, or does not initialise, is no result");
    return {};
  }
  ASSAY_TRY(const std::optional<Case> test, telling_case(spec, configuration, options));
  if (!test) return {};
  const auto tested = worker.self_test(*test);
  if (tested && tested->reference_ignores_inputs()) {
    blame_reference(report, tested->suspicions.back(),
                    "mend the reference: a kernel that reads its inputs gives other results for other inputs");
  }
  return {};
}

Result<CheckReport> check_one_way(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                  Worker::Options worker_options, const CheckOptions& options) {
  CheckReport report;
  report.seed = options.cases.seed;
  report.coverage = coverage(worker_options.setup.device, worker_options.setup.checks);
  CasePlan plan;
  if (options.only) {
    plan.cases.push_back(*options.only);
  } else {
    ASSAY_TRY(plan, plan_cases(spec, configuration, options.cases));
  }
  if (plan.cases.empty()) {
    const std::string reason = plan.skipped.empty() ? "the file has none" : plan.skipped.front().reason;
    return Error{fmt::format("no shape can be checked with the configuration {}: {}", configuration.id(), reason),
                 Place{spec.file.string()}, "choose another --config, or add a small shape to [shapes]"};
  }
  report.planned = plan.cases.size();
  report.skipped = std::move(plan.skipped);
  const bool fused = worker_options.setup.fuse;
  ASSAY_TRY(const std::unique_ptr<Worker> worker, Worker::start(std::move(worker_options)));
  report.approximate = worker->approximate_instructions();
  report.fusible = worker->fusible_places();
  Progress progress(options.context, "check", plan.cases.size());
  for (const Case& test : plan.cases) {
    std::optional<CaseResult> recalled = options.recall ? options.recall(test, fused) : std::nullopt;
    CaseResult result = recalled ? std::move(*recalled) : worker->run(test);
    ASSAY_CHECK(check_cancelled(options.context));
    if (!recalled && result.passed() && options.remember) ASSAY_CHECK(options.remember(result, fused));
    progress.advance(test.shape.text());
    // Too large for this device at this shape: other shapes may fit. If none does, that is the verdict.
    const bool last_hope = &test == &plan.cases.back() && report.results.empty();
    if (result.outcome == Outcome::does_not_fit && !last_hope) {
      report.skipped.push_back({test.shape, result.message});
      continue;
    }
    report.results.push_back(result);
    if (result.passed()) continue;
    report.failure = std::move(result);
    ASSAY_CHECK(try_the_reference(spec, configuration, options, *worker, report));
    if (options.shrink && !options.only && worth_shrinking(*report.failure)) {
      progress.note("a case failed: looking for the smallest shape that fails");
      ASSAY_CHECK(shrink_failure(spec, configuration, options.cases, *worker, report));
    }
    break;
  }
  if (report.passed()) ASSAY_CHECK(test_the_check(spec, *worker, report));
  if (report.passed() && options.repetitions > 1) ASSAY_CHECK(repeat_case(options, *worker, report));
  return report;
}

}  // namespace

Result<CheckReport> check(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                          Worker::Options worker_options, const CheckOptions& options) {
  worker_options.setup.fuse = options.fmad == Fmad::on;
  ASSAY_TRY(CheckReport as_written, check_one_way(spec, configuration, worker_options, options));
  if (options.fmad != Fmad::both || as_written.fusible.empty()) return as_written;
  worker_options.setup.fuse = true;
  ASSAY_TRY(CheckReport fused, check_one_way(spec, configuration, std::move(worker_options), options));
  if (fused.passed() == as_written.passed()) return as_written;
  CheckReport& failed = fused.passed() ? as_written : fused;
  failed.depends_on_fmad = fused.passed() ? "it passes when products and sums are fused, as ptxas does by default"
                                          : "it passes when products and sums are rounded one by one, as the PTX has "
                                            "them; ptxas fuses them by default";
  return std::move(failed);
}

}  // namespace assay::check
