// SPDX-License-Identifier: MIT
// Every outcome, each on a kernel with one mistake.
#include "check/case_runner.hpp"

#include <gtest/gtest.h>

#include "../support/mentions.hpp"
#include "copy_kernel.hpp"

namespace assay::check {
namespace {

CaseResult run_with(const RunnerSetup& setup, const Case& test) {
  auto runner = CaseRunner::open(setup);
  EXPECT_TRUE(runner.ok()) << to_string(runner.error());
  return runner.ok() ? (*runner)->run(test) : CaseResult{};
}

CaseResult run_body(const std::string& body, int64_t n, bool check_memory = true) {
  const CopyKernel kernel(body);
  RunnerSetup setup = kernel.setup();
  if (!check_memory) setup.checks = {};
  setup.instruction_limit = 10'000;
  return run_with(setup, CopyKernel::test(n));
}

#define EXPECT_OUTCOME(result, expected) EXPECT_EQ(name((result).outcome), name(expected)) << (result).message

TEST(CaseRunner, passes_a_right_kernel) {
  for (const bool check_memory : {true, false}) {
    const CaseResult result = run_body(kRightCopy, 40, check_memory);
    EXPECT_OUTCOME(result, Outcome::passed);
    EXPECT_TRUE(result.passed());
    EXPECT_EQ(result.elements, 40);
    EXPECT_EQ(result.failures, 0);
    EXPECT_EQ(result.max_absolute_error, 0);
    EXPECT_GT(result.instructions, 0u);
    EXPECT_GT(result.thread_instructions, result.instructions);
    EXPECT_EQ(result.test, CopyKernel::test(40));
  }
}

TEST(CaseRunner, passes_it_with_every_distribution) {
  const CopyKernel kernel(kRightCopy);
  auto runner = CaseRunner::open(kernel.setup());
  ASSERT_TRUE(runner.ok()) << to_string(runner.error());
  for (const Distribution distribution : all_distributions()) {
    const CaseResult result = (*runner)->run(CopyKernel::test(33, distribution));
    EXPECT_OUTCOME(result, Outcome::passed) << " with " << name(distribution);
  }
}

TEST(CaseRunner, finds_a_wrong_value) {
  const CaseResult result = run_body(kWrongBeyond20, 40);
  EXPECT_OUTCOME(result, Outcome::wrong_value);
  EXPECT_EQ(result.tensor, "y");
  EXPECT_EQ(result.failures, 1);
  EXPECT_EQ(result.elements, 40);
  ASSERT_TRUE(result.mismatch);
  EXPECT_EQ(result.mismatch->index, std::vector<int64_t>{39});
  EXPECT_NEAR(result.mismatch->got - result.mismatch->expected, 2.0, 1e-6);
  EXPECT_TRUE(mentions(result.message, "y[39]")) << result.message;
  EXPECT_OUTCOME(run_body(kWrongBeyond20, 20), Outcome::passed);
}

TEST(CaseRunner, finds_nan_and_infinity) {
  for (const std::string value : {"0f7FC00000", "0f7F800000", "0fFF800000"}) {
    const CaseResult result = run_body(std::string(kRightCopy) + "  setp.eq.u32 %q, %i, 3;\n  @%q mov.f32 %v, " +
                                           value + ";\n  @%q st.global.f32 [%out], %v;\n",
                                       5);
    EXPECT_OUTCOME(result, Outcome::nan);
    ASSERT_TRUE(result.mismatch);
    EXPECT_EQ(result.mismatch->index, std::vector<int64_t>{3});
  }
}

TEST(CaseRunner, finds_an_element_that_was_not_written) {
  const CaseResult result = run_body("  setp.ne.and.u32 %p, %i, 4, %p;\n" + std::string(kRightCopy), 40);
  EXPECT_OUTCOME(result, Outcome::unwritten);
  ASSERT_TRUE(result.mismatch);
  EXPECT_EQ(result.mismatch->index, std::vector<int64_t>{4});
  EXPECT_EQ(result.failures, 1);
}

TEST(CaseRunner, finds_a_changed_input) {
  const CaseResult result =
      run_body(std::string(kRightCopy) +
                   "  setp.eq.u32 %q, %i, 7;\n  @%q add.f32 %v, %v, 0f3F800000;\n  @%q st.global.f32 [%in], %v;\n",
               40);
  EXPECT_OUTCOME(result, Outcome::input_changed);
  EXPECT_EQ(result.tensor, "x");
  EXPECT_TRUE(mentions(result.message, "[7] (byte ")) << result.message;
  EXPECT_TRUE(mentions(result.hint, "inout"));
}

TEST(CaseRunner, finds_an_overrun_by_watching_every_access) {
  const CaseResult result = run_body(kOverrun, 30);
  EXPECT_OUTCOME(result, Outcome::finding);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].thread_count, 2u);
  EXPECT_EQ(result.finding_occurrences, 2u);
  EXPECT_EQ(result.findings[0].kind, gpu::FindingKind::out_of_bounds);
  EXPECT_EQ(result.findings[0].thread.x, 30u);
  EXPECT_EQ(result.message, result.findings[0].message);
  EXPECT_OUTCOME(run_body(kOverrun, 32), Outcome::passed);
}

TEST(CaseRunner, finds_an_overrun_by_guards) {
  const CaseResult result = run_body(kOverrun, 30, false);
  EXPECT_OUTCOME(result, Outcome::red_zone);
  EXPECT_EQ(result.tensor, "y");
  EXPECT_TRUE(mentions(result.message, "y")) << result.message;
  EXPECT_OUTCOME(run_body(kOverrun, 32, false), Outcome::passed);
}

TEST(CaseRunner, finds_an_underrun_by_guards) {
  const CaseResult result =
      run_body(std::string(kRightCopy) + "  setp.eq.u32 %q, %i, 0;\n  @%q st.global.f32 [%out+-4], %v;\n", 5, false);
  EXPECT_OUTCOME(result, Outcome::red_zone);
}

TEST(CaseRunner, finds_a_write_between_the_elements_of_a_strided_output) {
  const std::string spread = "  add.s64 %out, %out, %offset;\n" + std::string(kRightCopy);
  const std::string y = "shape = [\"N\"], strides = [2]";
  const CopyKernel right(spread, "{ N = [5] }", y);
  EXPECT_OUTCOME(run_with(right.setup(), CopyKernel::test(5)), Outcome::passed);
  const CopyKernel wrong(spread + "  setp.eq.u32 %q, %i, 1;\n  @%q st.global.f32 [%out+4], %v;\n", "{ N = [5] }", y);
  const CaseResult result = run_with(wrong.setup(), CopyKernel::test(5));
  EXPECT_OUTCOME(result, Outcome::red_zone);
  EXPECT_TRUE(mentions(result.message, "byte 12")) << result.message;
}

TEST(CaseRunner, tells_what_stopped_the_kernel) {
  const CaseResult trapped = run_body("  setp.eq.u32 %q, %i, 3;\n  @%q trap;\n" + std::string(kRightCopy), 5);
  EXPECT_OUTCOME(trapped, Outcome::fault);
  ASSERT_EQ(trapped.findings.size(), 1u);
  EXPECT_EQ(trapped.findings[0].kind, gpu::FindingKind::trap);
  EXPECT_EQ(trapped.findings[0].thread.x, 3u);

  const CaseResult endless = run_body("again:\n  @%p bra again;\n", 5);
  EXPECT_OUTCOME(endless, Outcome::fault);
  ASSERT_EQ(endless.findings.size(), 1u);
  EXPECT_EQ(endless.findings[0].kind, gpu::FindingKind::instruction_limit);
}

TEST(CaseRunner, stops_at_a_wild_access_without_the_memory_checks) {
  const CaseResult result =
      run_body("  mov.u64 %far, 16;\n  @%p ld.global.f32 %v, [%far];\n" + std::string(kRightCopy), 5, false);
  EXPECT_OUTCOME(result, Outcome::fault);
}

TEST(CaseRunner, does_not_compare_if_not_asked_to) {
  const CopyKernel kernel(kWrongBeyond20);
  RunnerSetup setup = kernel.setup();
  setup.compare = false;
  EXPECT_OUTCOME(run_with(setup, CopyKernel::test(40)), Outcome::passed);
}

TEST(CaseRunner, says_that_a_kernel_does_not_fit) {
  CopyKernel kernel(kRightCopy);
  auto text = std::string("shared_bytes = \"200*1024\"\n[shapes]\n");
  std::ifstream old(kernel.path() / "kernel.toml");
  std::string toml((std::istreambuf_iterator<char>(old)), {});
  toml.replace(toml.find("[shapes]\n"), 9, text);
  kernel.folder().write("kernel.toml", toml);
  const CaseResult result = run_with(kernel.setup(), CopyKernel::test(5));
  EXPECT_OUTCOME(result, Outcome::does_not_fit);
  EXPECT_FALSE(result.hint.empty());
}

TEST(CaseRunner, says_that_it_was_not_launched) {
  CopyKernel kernel(kRightCopy);
  std::string ptx = copy_ptx(kRightCopy);
  ptx.replace(ptx.find(".param .u32 n"), 13, ".param .u64 n");
  kernel.folder().write("kernel.ptx", ptx);
  const CaseResult result = run_with(kernel.setup(), CopyKernel::test(5));
  EXPECT_OUTCOME(result, Outcome::not_launched);
  EXPECT_TRUE(mentions(result.message, "parameter 2")) << result.message;
  EXPECT_OUTCOME(run_with(kernel.setup(), Case{}), Outcome::not_launched) << "a shape without dimensions";
}

TEST(CaseRunner, says_that_the_reference_failed) {
  const CopyKernel kernel(kRightCopy, "{ N = [5] }", "shape = [\"N + 1\"]");
  const CaseResult result = run_with(kernel.setup(), CopyKernel::test(5));
  EXPECT_OUTCOME(result, Outcome::reference_failed);
  EXPECT_TRUE(mentions(result.message, "differ")) << result.message;
}

TEST(CaseRunner, is_the_same_every_time) {
  const CopyKernel kernel(kWrongBeyond20);
  const CaseResult first = run_with(kernel.setup(), CopyKernel::test(40));
  const CaseResult second = run_with(kernel.setup(), CopyKernel::test(40));
  EXPECT_EQ(first.message, second.message);
  EXPECT_EQ(first.mismatch->expected, second.mismatch->expected);
  Case other = CopyKernel::test(40);
  other.seed = 4;
  EXPECT_NE(run_with(kernel.setup(), other).mismatch->expected, first.mismatch->expected);
}

TEST(CaseRunner, explains_a_setup_that_is_wrong) {
  const CopyKernel kernel(kRightCopy);
  RunnerSetup setup = kernel.setup();
  setup.ptx = kernel.path() / "missing.ptx";
  EXPECT_FALSE(CaseRunner::open(setup).ok());
  setup = kernel.setup();
  setup.device = "vgpu:none";
  EXPECT_FALSE(CaseRunner::open(setup).ok());
  setup = kernel.setup();
  setup.spec_file = kernel.path() / "missing";
  EXPECT_FALSE(CaseRunner::open(setup).ok());
  setup = kernel.setup();
  setup.configuration = "BLOCK=64";
  EXPECT_FALSE(CaseRunner::open(setup).ok());
}

}  // namespace
}  // namespace assay::check
