// SPDX-License-Identifier: MIT
#include "check/sanitizer.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

#include "base/progress.hpp"
#include "check/coverage.hpp"
#include "gpu/finding_list.hpp"
#include "spec/shape.hpp"

namespace assay::check {
namespace {

constexpr std::chrono::milliseconds kQuick{100};

// The smallest and the largest affordable shape, and some between: bounds go wrong at both ends.
std::vector<spec::Shape> spread(const std::vector<spec::Shape>& shapes, size_t count) {
  if (shapes.size() <= count) return shapes;
  std::vector<spec::Shape> chosen;
  chosen.reserve(count);
  for (size_t i = 0; i < count; ++i) chosen.push_back(shapes[i * (shapes.size() - 1) / (count - 1)]);
  return chosen;
}

Result<std::vector<spec::Shape>> affordable_shapes(const spec::KernelSpec& spec,
                                                   const spec::Configuration& configuration, double work_limit) {
  ASSAY_TRY(std::vector<spec::Shape> shapes, spec::all_shapes(spec));
  spec::sort_smallest_first(shapes);
  std::string reason = "the file has none";
  std::erase_if(shapes, [&](const spec::Shape& shape) {
    std::string why = why_not(spec, configuration, shape);
    if (why.empty()) return false;
    reason = std::move(why);
    return true;
  });
  if (shapes.empty()) {
    return Error{fmt::format("no shape can be run with the configuration {}: {}", configuration.id(), reason),
                 Place{spec.file.string()}, "choose another --config, or add a shape to [shapes]"};
  }
  const spec::Shape smallest = shapes.front();
  std::erase_if(shapes, [&](const spec::Shape& shape) {
    const auto cost = work(spec, configuration, shape);
    return !cost || *cost > work_limit;
  });
  if (shapes.empty()) shapes.push_back(smallest);
  return shapes;
}

}  // namespace

const CaseResult* SanitizeReport::failure() const {
  const auto found =
      std::find_if(results.begin(), results.end(), [](const CaseResult& result) { return !result.passed(); });
  return found != results.end() ? &*found : nullptr;
}

Result<SanitizeReport> sanitize(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                Worker::Options worker_options, const SanitizeOptions& options) {
  std::vector<spec::Shape> shapes;
  if (options.shape) {
    shapes.push_back(*options.shape);
  } else {
    ASSAY_TRY(const std::vector<spec::Shape> all, affordable_shapes(spec, configuration, options.work_limit));
    shapes = spread(all, std::max<size_t>(2, options.shapes));
  }
  worker_options.setup.checks = options.checks ? *options.checks : all_checks();
  worker_options.setup.compare = false;
  SanitizeReport report;
  report.coverage = coverage(worker_options.setup.device, worker_options.setup.checks);
  ASSAY_TRY(const std::unique_ptr<Worker> worker, Worker::start(std::move(worker_options)));
  gpu::FindingList folded;
  std::optional<Case> quick;  // the largest shape that takes next to no time tells what the checks cost
  Progress progress(options.context, "sanitize", shapes.size());
  for (const spec::Shape& shape : shapes) {
    Case test;
    test.shape = shape;
    test.seed = options.seed;
    std::optional<CaseResult> recalled = options.recall ? options.recall(test) : std::nullopt;
    const auto start = std::chrono::steady_clock::now();
    report.results.push_back(recalled ? std::move(*recalled) : worker->run(test));
    const bool is_quick = options.costs && !recalled && std::chrono::steady_clock::now() - start < kQuick;
    if (is_quick && report.results.back().passed() && !report.coverage.checks.empty()) quick = test;
    ASSAY_CHECK(check_cancelled(options.context));
    if (!recalled && options.remember &&
        (report.results.back().passed() || report.results.back().outcome == Outcome::finding))
      ASSAY_CHECK(options.remember(report.results.back()));
    progress.advance(shape.text());
    const CaseResult& result = report.results.back();
    for (const gpu::Finding& finding : result.findings) {
      if (folded.add(finding)) report.finding_shapes.push_back(shape.text());
    }
    // A kernel with bad accesses still ran to its end, and larger shapes may show more; one that was stopped did not.
    if (!result.passed() && result.outcome != Outcome::finding) break;
  }
  if (quick) {
    if (auto costs = worker->costs(*quick)) report.costs = std::move(*costs);
  }
  report.findings = folded.findings();
  report.occurrences = folded.occurrences();
  return report;
}

}  // namespace assay::check
