// SPDX-License-Identifier: MIT
// Scratch memory between two stages: written by the first and read by the second, or read although nobody wrote it.
#include <gtest/gtest.h>

#include "../support/mentions.hpp"
#include "../support/temporary_folder.hpp"
#include "check/case_runner.hpp"

namespace assay::check {
namespace {

constexpr const char* kTwoStages = R"toml([kernel]
name = "copy"
source = "k.ptx"
targets = ["sm_80"]
[problem]
reference = "copy"
[[argument]]
name = "x"
tensor = { dtype = "f32", shape = ["N"] }
[[argument]]
name = "partial"
tensor = { dtype = "f32", shape = ["N"], scratch = true }
[[argument]]
name = "y"
tensor = { dtype = "f32", shape = ["N"], output = true }
[[stage]]
name = "first"
entry = "first"
arguments = ["x", "partial"]
grid = [1]
block = ["N"]
[[stage]]
name = "second"
entry = "second"
arguments = ["partial", "y"]
grid = [1]
block = ["N"]
[shapes]
canonical = [{ N = 32 }]
)toml";

// Copies; `guard` says which threads write, `change` what happens to the value %v before.
std::string copy_entry(const std::string& name, const std::string& guard, const std::string& change = "") {
  return ".visible .entry " + name + "(.param .u64 " + name + "_0, .param .u64 " + name +
         "_1)\n{\n  .reg .b64 %a, %b, %o;\n  .reg .b32 %t;\n  .reg .f32 %v;\n  .reg .pred %p;\n  ld.param.u64 %a, [" +
         name + "_0];\n  ld.param.u64 %b, [" + name +
         "_1];\n  mov.u32 %t, %tid.x;\n  mul.wide.u32 %o, %t, 4;\n  add.s64 %a, %a, %o;\n  add.s64 %b, %b, %o;\n"
         "  ld.global.f32 %v, [%a];\n" +
         change + "  setp.lt.u32 %p, %t, " + guard + ";\n  @%p st.global.f32 [%b], %v;\n  ret;\n}\n";
}

CaseResult run_stages(const std::string& writers, const std::string& change) {
  const TemporaryFolder folder;
  const auto ptx = folder.write("k.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n" +
                                             copy_entry("first", writers) + copy_entry("second", "32", change));
  RunnerSetup setup;
  setup.spec_file = folder.write("kernel.toml", kTwoStages);
  setup.ptx = ptx;
  setup.device = "vgpu:l4";
  setup.cache_folder = folder.path();
  auto runner = CaseRunner::open(setup);
  EXPECT_TRUE(runner.ok()) << to_string(runner.error());
  Case test;
  test.shape = spec::Shape{{{"N", 32}}};
  test.seed = 1;
  return runner.ok() ? (*runner)->run(test) : CaseResult{};
}

constexpr const char* kAddsZero = "  add.f32 %v, %v, 0f00000000;\n";

TEST(ScratchReads, ScratchThatAStageWroteIsFine) {
  for (const char* change : {"", kAddsZero}) {
    const CaseResult result = run_stages("32", change);
    EXPECT_TRUE(result.passed()) << result.message;
  }
}

TEST(ScratchReads, ScratchThatNobodyWroteIsNamedWithItsReader) {
  for (const char* writers : {"0", "20"}) {
    const CaseResult result = run_stages(writers, kAddsZero);
    EXPECT_EQ(name(result.outcome), name(Outcome::finding)) << result.message;
    EXPECT_EQ(result.message, "scratch 'partial' is read by stage 'second' before anything wrote it");
    EXPECT_EQ(result.tensor, "partial");
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_TRUE(mentions(result.findings[0].allocation, "'partial'"));
    EXPECT_FALSE(result.mismatch) << "no NaN at the other end";
  }
}

TEST(ScratchReads, ScratchThatIsCopiedAsItWasIsNoOutputThatNobodyWrote) {
  const CaseResult result = run_stages("20", "");
  EXPECT_EQ(name(result.outcome), name(Outcome::unwritten)) << result.message;
  EXPECT_EQ(result.message,
            "scratch 'partial' is read before anything wrote it: 'y' changes with what its memory held");
}

TEST(ScratchReads, AnotherMistakeStaysWhatItIs) {
  const CaseResult result = run_stages("32", "  add.f32 %v, %v, 0f3F800000;\n");
  EXPECT_EQ(name(result.outcome), name(Outcome::wrong_value)) << result.message;
  EXPECT_EQ(result.tensor, "y");
}

}  // namespace
}  // namespace assay::check
