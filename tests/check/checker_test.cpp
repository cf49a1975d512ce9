// SPDX-License-Identifier: MIT
#include "check/checker.hpp"

#include <gtest/gtest.h>

#include "base/file.hpp"
#include "copy_kernel.hpp"
#include "spec/shape.hpp"

namespace assay::check {
namespace {

struct Prepared {
  explicit Prepared(const CopyKernel& kernel)
      : spec(*spec::load(kernel.path())), configuration(*spec::default_configuration(spec)) {
    worker.setup = kernel.setup();
    worker.setup.instruction_limit = 20'000;
    worker.context.program = ASSAY_BINARY_DIR "/assay";
    options.cases.fuzz_cases = 4;
  }
  CheckReport run() const {
    auto report = check(spec, configuration, worker, options);
    EXPECT_TRUE(report.ok()) << to_string(report.error());
    return report.ok() ? *report : CheckReport{};
  }

  spec::KernelSpec spec;
  spec::Configuration configuration;
  Worker::Options worker;
  CheckOptions options;
};

std::vector<std::string> summary(const CheckReport& report) {
  std::vector<std::string> lines;
  for (const CaseResult& result : report.results) {
    lines.push_back(result.test.shape.text() + " " + std::string(name(result.test.distribution)) + " " +
                    std::to_string(result.test.seed) + " " + std::string(name(result.outcome)) + " " + result.message);
  }
  if (report.failure) lines.push_back("smallest " + report.failure->test.shape.text() + " " + report.failure->message);
  return lines;
}

TEST(Check, passes_a_right_kernel_after_all_planned_cases) {
  const CopyKernel kernel(kRightCopy);
  const CheckReport report = Prepared(kernel).run();
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.results.size(), report.planned);
  EXPECT_GT(report.planned, 5u);
  EXPECT_FALSE(report.failure);
  EXPECT_EQ(report.seed, 1u);
}

TEST(Check, shows_that_it_can_fail) {
  const CopyKernel kernel(kRightCopy);
  const CheckReport report = Prepared(kernel).run();
  ASSERT_TRUE(report.self_test);
  EXPECT_EQ(report.self_test->test.shape.text(), "N=100") << "the case with the most elements";
  EXPECT_EQ(report.self_test->trials.size(), 4u);
  EXPECT_EQ(report.self_test->missed(), nullptr);
  EXPECT_TRUE(report.self_test->inputs_vary);
  EXPECT_TRUE(report.self_test->results_vary);
  EXPECT_TRUE(report.self_test->suspicions.empty());
}

TEST(Check, gives_no_verdict_that_a_wrong_kernel_would_get_too) {
  CopyKernel kernel(kRightCopy);
  kernel.folder().write("kernel.toml",
                        *read_file(kernel.path() / "kernel.toml") + "[tolerance]\natol = 100\nrtol = 0.01\n");
  const CheckReport report = Prepared(kernel).run();
  EXPECT_FALSE(report.passed());
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->outcome, Outcome::cannot_fail);
  EXPECT_NE(report.failure->message.find("one element is not caught: y["), std::string::npos)
      << report.failure->message;
  EXPECT_NE(report.failure->message.find("= 0 passes where"), std::string::npos) << report.failure->message;
}

TEST(Check, shrinks_to_the_smallest_failing_shape) {
  const CopyKernel kernel(kWrongBeyond20);
  const CheckReport report = Prepared(kernel).run();
  EXPECT_FALSE(report.passed());
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->test.shape.text(), "N=21");
  EXPECT_EQ(report.failure->outcome, Outcome::wrong_value);
  ASSERT_TRUE(report.failure->mismatch);
  EXPECT_EQ(report.failure->mismatch->index, std::vector<int64_t>{20});
  EXPECT_TRUE(report.shrunk_to_minimum);
  EXPECT_GT(report.shrink_evaluations, 0u);
  EXPECT_EQ(report.results.back().test.shape.text(), "N=32") << "the case that failed first stays in the list";
  EXPECT_LT(report.results.size(), report.planned) << "nothing runs after a failure";
}

TEST(Check, is_the_same_for_the_same_seed) {
  const CopyKernel kernel(kWrongBeyond20);
  const auto first = summary(Prepared(kernel).run());
  EXPECT_EQ(first, summary(Prepared(kernel).run()));
  Prepared other(kernel);
  other.options.cases.seed = 2;
  EXPECT_NE(first, summary(other.run()));
}

TEST(Check, shrinks_only_if_asked_to) {
  const CopyKernel kernel(kWrongBeyond20);
  Prepared prepared(kernel);
  prepared.options.shrink = false;
  const CheckReport report = prepared.run();
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->test.shape.text(), "N=32");
  EXPECT_EQ(report.shrink_evaluations, 0u);
}

TEST(Check, repeats_a_single_case) {
  const CopyKernel kernel(kWrongBeyond20);
  Prepared prepared(kernel);
  prepared.options.only = CopyKernel::test(90);
  const CheckReport report = prepared.run();
  ASSERT_EQ(report.results.size(), 1u);
  EXPECT_EQ(report.planned, 1u);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->test, CopyKernel::test(90));
}

TEST(Check, shrinks_towards_the_same_failure) {
  // Up to 20 elements the kernel loops for ever; beyond, its results are wrong. The smallest wrong result is at 21.
  const CopyKernel kernel("  setp.le.u32 %q, %n, 20;\nagain:\n  @%q bra again;\n" + std::string(kWrongBeyond20),
                          "{ N = [100] }");
  const CheckReport report = Prepared(kernel).run();
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->outcome, Outcome::wrong_value) << report.failure->message;
  EXPECT_EQ(report.failure->test.shape.text(), "N=21");
}

TEST(Check, says_which_shapes_it_skipped) {
  const CopyKernel kernel(kRightCopy, "{ N = [4, 1000] }");
  Prepared prepared(kernel);
  prepared.options.cases.work_limit = 100;
  prepared.options.cases.fuzz_work_limit = 100;
  const CheckReport report = prepared.run();
  EXPECT_TRUE(report.passed());
  ASSERT_EQ(report.skipped.size(), 1u);
  EXPECT_EQ(report.skipped[0].shape.text(), "N=1000");
}

TEST(Check, is_an_error_if_nothing_can_be_checked) {
  const CopyKernel kernel(kRightCopy, "{ N = [1000] }");
  Prepared prepared(kernel);
  prepared.options.cases.work_limit = 1;
  prepared.options.cases.fuzz_cases = 0;
  const auto report = check(prepared.spec, prepared.configuration, prepared.worker, prepared.options);
  ASSERT_FALSE(report.ok());
  EXPECT_NE(report.error().message.find("work"), std::string::npos) << report.error().message;
}

TEST(Check, does_not_shrink_what_a_smaller_shape_would_not_help) {
  const CopyKernel kernel(kRightCopy, "{ N = [40] }", "shape = [\"N + 1\"]");
  const CheckReport report = Prepared(kernel).run();
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->outcome, Outcome::reference_failed) << report.failure->message;
  EXPECT_EQ(report.shrink_evaluations, 0u);
}

// y = x + 2^63 (x x - (x x)): nothing is added if both products are rounded, and the rounding error if one is fused.
constexpr const char* kDependsOnContraction = R"(
  .reg .f32 %w, %t, %u;
  @%p ld.global.f32 %v, [%in];
  mul.rn.f32 %w, %v, %v;
  mul.f32 %t, %v, %v;
  sub.f32 %u, %t, %w;
  fma.rn.f32 %v, %u, 0f5F000000, %v;
  @%p st.global.f32 [%out], %v;
)";

TEST(Check, says_when_a_verdict_depends_on_contraction) {
  const CopyKernel kernel(kDependsOnContraction);
  Prepared prepared(kernel);
  Case finite;  // inf - inf is no number either way
  finite.shape = *spec::parse_shape(prepared.spec, "N=40");
  prepared.options.only = finite;
  const CheckReport as_written = prepared.run();
  EXPECT_TRUE(as_written.passed()) << (as_written.failure ? as_written.failure->message : "");
  EXPECT_EQ(as_written.fusible.size(), 1u);
  EXPECT_EQ(as_written.depends_on_fmad, "");
  prepared.options.fmad = Fmad::on;
  EXPECT_FALSE(prepared.run().passed());
  prepared.options.fmad = Fmad::both;
  const CheckReport both = prepared.run();
  EXPECT_FALSE(both.passed());
  EXPECT_NE(both.depends_on_fmad.find("rounded one by one"), std::string::npos) << both.depends_on_fmad;
}

TEST(Check, runs_both_ways_without_a_word_where_nothing_depends_on_it) {
  const CopyKernel kernel(kRightCopy);
  Prepared prepared(kernel);
  prepared.options.fmad = Fmad::both;
  const CheckReport report = prepared.run();
  EXPECT_TRUE(report.passed());
  EXPECT_TRUE(report.fusible.empty());
  EXPECT_EQ(report.depends_on_fmad, "");
}

}  // namespace
}  // namespace assay::check
