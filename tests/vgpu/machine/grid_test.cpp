// SPDX-License-Identifier: MIT
// Launches: results that do not depend on the number of host threads, and what a launch refuses.
#include "vgpu/machine/grid.hpp"

#include "../../support/by_thread.hpp"
#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

constexpr uint32_t kBlocks = 50;
constexpr uint32_t kThreads = 96;

// Each thread writes 3 * its number, after some rounds that depend on the block, so that blocks end out of order.
const std::string kUnevenBlocks = R"(
.visible .entry kernel(.param .u64 out)
{
  .reg .b32 %i, %b, %n, %r, %k;
  .reg .b64 %out;
  .reg .pred %p;
  mov.u32 %i, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %r, %b, %n, %i;
  sub.u32 %k, 60, %b;
  mul.lo.u32 %k, %k, 20;
spend:
  sub.u32 %k, %k, 1;
  setp.gt.s32 %p, %k, 0;
  @%p bra spend;
  ld.param.u64 %out, [out];
  mad.wide.u32 %out, %r, 4, %out;
  mul.lo.u32 %r, %r, 3;
  st.global.u32 [%out], %r;
  ret;
}
)";

struct Outcome {
  std::vector<uint32_t> words;
  LaunchResult result;
  std::vector<Finding> findings;
};

// `words` is the size of the buffer: fewer than there are threads give findings.
Outcome run_with(const std::string& text, unsigned host_threads, size_t words) {
  KernelRun run(text);
  run.launch().grid = {kBlocks, 1, 1};
  run.launch().block = {kThreads, 1, 1};
  run.launch().host_threads = host_threads;
  const uint64_t out = run.add_words(std::vector<uint32_t>(words, 7), "out");
  MemoryCheck check;
  Outcome outcome;
  outcome.result = run.run_checked(check);
  outcome.words = run.words(out, words);
  outcome.findings = by_thread(check.found().findings());
  return outcome;
}

TEST(Grid, ValuesAndCountsAreTheSameOnAnyNumberOfHostThreads) {
  const size_t all = kBlocks * kThreads;
  const Outcome one = run_with(kUnevenBlocks, 1, all);
  const Outcome four = run_with(kUnevenBlocks, 4, all);
  ASSERT_FALSE(one.result.fault.has_value());
  EXPECT_EQ(one.words, four.words);
  EXPECT_EQ(one.words[1000], 3000u);
  EXPECT_EQ(one.result.instructions, four.result.instructions);
  EXPECT_EQ(one.result.thread_instructions, four.result.thread_instructions);
  EXPECT_TRUE(one.findings.empty());
  EXPECT_TRUE(four.findings.empty());
}

TEST(Grid, FindingsAreInTheOrderOfTheBlocksOnAnyNumberOfHostThreads) {
  const size_t words =
      10 * kThreads - 5;  // the last threads of block 9, and all of the later blocks, write beyond the end
  const Outcome one = run_with(kUnevenBlocks, 1, words);
  const Outcome four = run_with(kUnevenBlocks, 4, words);
  ASSERT_FALSE(one.findings.empty());
  EXPECT_EQ(one.findings.front().block, (Dim3{9, 0, 0}));
  EXPECT_EQ(one.findings.front().thread, (Dim3{91, 0, 0}));
  EXPECT_EQ(one.findings.front().count, kBlocks - 9) << "the same thread of every later block is folded into it";
  ASSERT_EQ(one.findings.size(), four.findings.size());
  for (size_t i = 0; i < one.findings.size(); ++i) {
    EXPECT_EQ(one.findings[i].thread, four.findings[i].thread);
    EXPECT_EQ(one.findings[i].block, four.findings[i].block);
    EXPECT_EQ(one.findings[i].address, four.findings[i].address);
    EXPECT_EQ(one.findings[i].count, four.findings[i].count);
  }
  EXPECT_EQ(one.words, four.words);
}

// Blocks 20 and later stop themselves; the later ones sooner.
const std::string kSeveralTraps = R"(
.visible .entry kernel(.param .u64 out)
{
  .reg .b32 %b, %k;
  .reg .pred %p;
  mov.u32 %b, %ctaid.x;
  setp.lt.u32 %p, %b, 20;
  @%p ret;
  sub.u32 %k, 60, %b;
  mul.lo.u32 %k, %k, 100;
spend:
  sub.u32 %k, %k, 1;
  setp.gt.s32 %p, %k, 0;
  @%p bra spend;
  trap;
}
)";

TEST(Grid, TheFirstFaultInTheOrderOfTheBlocksIsReported) {
  for (const unsigned host_threads : {1u, 4u}) {
    const Outcome outcome = run_with(kSeveralTraps, host_threads, 1);
    ASSERT_TRUE(outcome.result.fault.has_value());
    EXPECT_EQ(outcome.result.fault->kind, FindingKind::trap);
    EXPECT_EQ(outcome.result.fault->block, (Dim3{20, 0, 0})) << host_threads << " host threads";
  }
}

const std::string kAtomicOrder = R"(
.visible .entry kernel(.param .u64 out)
{
  .reg .b32 %b, %old;
  .reg .b64 %out, %at;
  .reg .pred %p;
  mov.u32 %b, %tid.x;
  setp.ne.u32 %p, %b, 0;
  @%p ret;
  mov.u32 %b, %ctaid.x;
  ld.param.u64 %out, [out];
  atom.global.add.u32 %old, [%out], 1;
  add.u32 %old, %old, 1;
  mad.wide.u32 %at, %old, 4, %out;
  st.global.u32 [%at], %b;
  ret;
}
)";

TEST(Grid, AtomicsHaveOneOrder) {
  const Outcome one = run_with(kAtomicOrder, 1, kBlocks + 1);
  const Outcome four = run_with(kAtomicOrder, 4, kBlocks + 1);
  EXPECT_EQ(one.words[0], 7 + kBlocks);
  EXPECT_EQ(one.words, four.words);
}

const std::string kPlain = R"(
.visible .entry kernel(.param .u32 n) .maxntid 128, 1, 1
{
  .shared .align 4 .b8 box[1000];
  ret;
}
)";

std::string refusal(Dim3 grid, Dim3 block, uint32_t shared, size_t parameter_bytes) {
  KernelRun run(kPlain);
  run.launch().grid = grid;
  run.launch().block = block;
  run.launch().dynamic_shared_bytes = shared;
  run.launch().parameters.resize(parameter_bytes);
  const auto result = run.gpu().launch(run.launch());
  return result ? "accepted" : result.error().message;
}

TEST(Grid, RefusesLaunchesThatNoGpuTakes) {
  EXPECT_EQ(refusal({1, 1, 1}, {128, 1, 1}, 0, 4), "accepted");
  EXPECT_NE(refusal({0, 1, 1}, {32, 1, 1}, 0, 4).find("at least one thread"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1}, {32, 0, 1}, 0, 4).find("at least one thread"), std::string::npos);
  EXPECT_NE(refusal({1, 70000, 1}, {32, 1, 1}, 0, 4).find("beyond the limits"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1}, {1024, 2, 1}, 0, 4).find("threads per block"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1}, {1, 1, 65}, 0, 4).find("threads per block"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1}, {129, 1, 1}, 0, 4).find(".maxntid"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1}, {32, 1, 1}, 200'000, 4).find("bytes of shared memory do not fit"), std::string::npos);
  EXPECT_NE(refusal({1, 1, 1}, {32, 1, 1}, 0, 8).find("8 bytes of parameters given, the kernel takes 4"),
            std::string::npos);
}

TEST(Grid, StopsAtTheInstructionLimitWithThePlace) {
  KernelRun run(".visible .entry kernel()\n{\nhere:\n  bra here;\n}\n");
  run.launch().instruction_limit = 10'000;
  const LaunchResult result = run.run();
  ASSERT_TRUE(result.fault.has_value());
  EXPECT_EQ(result.fault->kind, FindingKind::instruction_limit);
  EXPECT_EQ(result.fault->instruction, "bra here;");
  EXPECT_EQ(result.fault->ptx_line, 7);
  EXPECT_LT(result.instructions, 30'000u);
}

// Every block prints a line of 65 characters 1000 times.
std::string printing_blocks(int blocks) {
  std::string letters;
  for (int i = 0; i < 64; ++i) letters += "120, ";
  KernelRun run(".global .align 1 .b8 line[66] = {" + letters + R"(10, 0};
.extern .func (.param .b32 result) vprintf(.param .b64 format, .param .b64 arguments);
.visible .entry kernel()
{
  .reg .b32 %i;
  .reg .b64 %format, %none;
  .reg .pred %more;
  mov.u32 %i, 0;
  mov.u64 %none, 0;
  mov.u64 %format, line;
  cvta.global.u64 %format, %format;
again:
  {
    .param .b64 a;
    .param .b64 b;
    .param .b32 result;
    st.param.b64 [a], %format;
    st.param.b64 [b], %none;
    call.uni (result), vprintf, (a, b);
  }
  add.u32 %i, %i, 1;
  setp.lt.u32 %more, %i, 1000;
  @%more bra again;
  ret;
})");
  run.launch().grid = {static_cast<uint32_t>(blocks), 1, 1};
  run.launch().block = {1, 1, 1};
  return run.run().printed;
}

TEST(Printed, all_that_a_kernel_prints_is_kept_up_to_a_megabyte) {
  EXPECT_EQ(printing_blocks(2).size(), 130'000u);
  const std::string much = printing_blocks(30);
  EXPECT_LT(much.size(), (size_t{1} << 20) + 100);
  EXPECT_GE(much.size(), size_t{1} << 20);
  EXPECT_TRUE(much.ends_with("\n[the kernel printed more than 1 MiB; the rest is dropped]\n"));
}

// What the function would do is not known: no verdict on the kernel.
TEST(Grid, ACallThroughATableOfAnUndefinedFunctionCannotBeJudged) {
  KernelRun run(R"(
.extern .func elsewhere ();
.global .align 8 .u64 table[1] = {elsewhere};
.visible .entry kernel(.param .u64 data)
{
  .reg .b64 %f, %p;
  .reg .b32 %v;
  .reg .pred %q;
  ld.param.u64 %p, [data];
  ld.global.u32 %v, [%p];
  setp.ne.u32 %q, %v, 0;
  @!%q ret;
  ld.global.u64 %f, [table];
  prototype: .callprototype _ ();
  call %f, (), prototype;
  ret;
}
)");
  const uint64_t data = run.add_words({0}, "data");
  EXPECT_FALSE(run.run().fault.has_value()) << "who does not call it is judged";
  run.memory().host(data)[0] = std::byte{1};
  const auto refused = run.gpu().launch(run.launch());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().exit_code, ExitCode::environment);
  EXPECT_NE(refused.error().message.find("'elsewhere', which is only declared"), std::string::npos)
      << refused.error().message;
}

}  // namespace
}  // namespace assay::vgpu
