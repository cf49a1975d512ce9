// SPDX-License-Identifier: MIT
#include "check/sanitizer.hpp"

#include <gtest/gtest.h>
#include <set>

#include "check/coverage.hpp"
#include "copy_kernel.hpp"

namespace assay::check {
namespace {

SanitizeReport run(const CopyKernel& kernel, SanitizeOptions options = {}, uint64_t instruction_limit = 20'000) {
  const auto spec = spec::load(kernel.path());
  EXPECT_TRUE(spec.ok()) << to_string(spec.error());
  Worker::Options worker;
  worker.setup = kernel.setup();
  worker.setup.instruction_limit = instruction_limit;
  worker.context.program = ASSAY_BINARY_DIR "/assay";
  auto report = sanitize(*spec, *spec::default_configuration(*spec), worker, options);
  EXPECT_TRUE(report.ok()) << to_string(report.error());
  return report.ok() ? *report : SanitizeReport{};
}

std::vector<std::string> shapes(const SanitizeReport& report) {
  std::vector<std::string> names;
  for (const CaseResult& result : report.results) names.push_back(result.test.shape.text());
  return names;
}

using Names = std::vector<std::string>;

TEST(Sanitize, calls_a_kernel_clean_though_its_values_are_wrong) {
  const SanitizeReport report = run(CopyKernel(kWrongBeyond20));
  EXPECT_TRUE(report.clean());
  EXPECT_EQ(report.failure(), nullptr);
  EXPECT_EQ(shapes(report), (Names{"N=1", "N=5", "N=32", "N=40", "N=100"}));
}

TEST(Sanitize, says_what_its_checks_cost) {
  SanitizeOptions options;
  options.costs = true;
  const SanitizeReport report = run(CopyKernel(kRightCopy, "{ N = [4] }"), options);
  ASSERT_TRUE(report.costs);
  EXPECT_EQ(report.costs->shape, "N=4");
  EXPECT_GT(report.costs->bare_s, 0);
  EXPECT_GT(report.costs->all_s, 0);
  EXPECT_EQ(report.costs->each.size(), all_checks().names().size());
  EXPECT_FALSE(run(CopyKernel(kOverrun, "{ N = [30] }"), options).costs) << "of a case that passed";
  EXPECT_FALSE(run(CopyKernel(kRightCopy, "{ N = [4] }")).costs) << "nobody asked";
}

TEST(Sanitize, merges_findings_over_shapes) {
  // N = 30 shows threads 30 and 31, N = 29 also thread 29, N = 32 none.
  const SanitizeReport report = run(CopyKernel(kOverrun, "{ N = [30, 32, 93, 94] }"));
  EXPECT_FALSE(report.clean());
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failure()->test.shape.text(), "N=30");
  EXPECT_EQ(report.results.size(), 4u) << "a kernel with findings runs to its end, and larger shapes may show more";
  ASSERT_EQ(report.findings.size(), 1u) << "one place of the program";
  const gpu::Finding& finding = report.findings.front();
  ASSERT_EQ(finding.threads.size(), 3u);
  EXPECT_EQ(finding.threads[0].thread.x, 30u);
  EXPECT_EQ(finding.threads[1].thread.x, 31u);
  EXPECT_EQ(finding.threads[2].thread.x, 29u);
  EXPECT_EQ(report.finding_shapes, Names{"N=30"});
  EXPECT_EQ(finding.threads[0].count, 3u);
  EXPECT_EQ(finding.threads[2].count, 1u);
  EXPECT_EQ(report.occurrences, 2u + 3u + 2u);
}

TEST(Sanitize, folds_what_repeats_in_one_shape) {
  // Every thread of three blocks stores far outside.
  const SanitizeReport report =
      run(CopyKernel("  mov.u64 %far, 16;\n  st.global.f32 [%far], 0f00000000;\n", "{ N = [96] }"));
  ASSERT_EQ(report.findings.size(), 1u) << "one place of the program";
  EXPECT_EQ(report.occurrences, 96u);
  EXPECT_EQ(report.findings.front().thread_count, 32u);
  for (const gpu::FindingThread& thread : report.findings.front().threads) EXPECT_EQ(thread.count, 3u);
}

TEST(Sanitize, stops_after_a_kernel_that_was_stopped) {
  const SanitizeReport report = run(CopyKernel("  setp.gt.u32 %q, %n, 4;\n  @%q trap;\n", "{ N = [4, 8, 16] }"));
  EXPECT_EQ(shapes(report), (Names{"N=4", "N=8"}));
  ASSERT_NE(report.failure(), nullptr);
  EXPECT_EQ(report.failure()->outcome, Outcome::fault);
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, gpu::FindingKind::trap);
  EXPECT_EQ(report.finding_shapes, Names{"N=8"});
}

TEST(Sanitize, spreads_over_the_affordable_shapes) {
  const CopyKernel kernel(kRightCopy, "{ N = [1, 2, 3, 4, 5, 6, 7, 8, 9, 5000] }");
  SanitizeOptions options;
  options.shapes = 3;
  options.work_limit = 100;
  EXPECT_EQ(shapes(run(kernel, options)), (Names{"N=1", "N=5", "N=9"}));
  options.shapes = 0;
  EXPECT_EQ(shapes(run(kernel, options)), (Names{"N=1", "N=9"}));
  options.work_limit = 0;  // nothing is affordable: the smallest after all
  EXPECT_EQ(shapes(run(kernel, options)), Names{"N=1"});
}

TEST(Sanitize, runs_a_single_shape) {
  const CopyKernel kernel(kOverrun);
  SanitizeOptions options;
  options.shape = spec::Shape{{{"N", 31}}};
  const SanitizeReport report = run(kernel, options);
  EXPECT_EQ(shapes(report), Names{"N=31"});
  EXPECT_EQ(report.occurrences, 1u);
}

TEST(SanitizeReport, is_not_clean_if_nothing_ran) {
  EXPECT_FALSE(SanitizeReport{}.clean());
}

}  // namespace
}  // namespace assay::check
