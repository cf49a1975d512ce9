// SPDX-License-Identifier: MIT
#include "check/checker.hpp"

#include <fmt/format.h>

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
  ASSAY_TRY(report.self_test, worker.self_test(test));
  CaseResult failure;
  failure.test = test;
  if (const PerturbationTrial* missed = report.self_test->missed()) {
    failure.outcome = Outcome::cannot_fail;
    failure.tensor = missed->tensor;
    failure.message = fmt::format("{} is not caught: {}", name(missed->perturbation), describe(*missed));
    failure.hint = "narrow [tolerance]; or give the inputs a fill whose results differ by more than it allows";
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
