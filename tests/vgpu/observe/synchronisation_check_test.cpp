// SPDX-License-Identifier: MIT
// The check fires on every way to misuse a barrier or a member mask, and is silent on what the hardware allows.
#include "vgpu/observe/synchronisation_check.hpp"

#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// %i is the thread, %at its word of the buffer; %low holds for threads below 16, %first for those below 32.
std::string barrier_kernel(const std::string& body) {
  return R"(
.visible .entry kernel(.param .u64 data)
{
  .reg .b32 %i, %r<5>;
  .reg .b64 %p, %at;
  .reg .pred %low, %first, %q;
  mov.u32 %i, %tid.x;
  mov.u32 %r0, %i;
  setp.lt.u32 %low, %i, 16;
  setp.lt.u32 %first, %i, 32;
  ld.param.u64 %p, [data];
  mad.wide.u32 %at, %i, 4, %p;
)" + body +
         R"(
  ret;
}
)";
}

struct CheckedBarriers {
  LaunchResult result;
  SynchronisationCheck check;
  const std::vector<Finding>& findings() const { return check.found().findings(); }
};

void check_barriers(const std::string& body, CheckedBarriers& checked, uint32_t threads) {
  KernelRun run(barrier_kernel(body));
  run.launch().block = {threads, 1, 1};
  run.add_words(std::vector<uint32_t>(256, 5), "data");
  checked.result = run.run_checked(checked.check);
}

void expect_silent(const std::string& body, uint32_t threads) {
  CheckedBarriers checked;
  check_barriers(body, checked, threads);
  EXPECT_FALSE(checked.result.fault.has_value()) << checked.result.fault->message;
  EXPECT_TRUE(checked.findings().empty()) << checked.findings().front().message << "\n" << body;
}

Finding expect_barrier_finding(FindingKind kind, const std::string& body, uint32_t threads) {
  CheckedBarriers checked;
  check_barriers(body, checked, threads);
  EXPECT_FALSE(checked.result.fault.has_value()) << checked.result.fault->message;
  EXPECT_EQ(checked.findings().size(), 1u) << body;
  if (checked.findings().empty()) return {};
  EXPECT_EQ(checked.findings()[0].kind, kind);
  return checked.findings()[0];
}

bool mentions(const Finding& finding, std::string_view part) {
  return finding.message.find(part) != std::string::npos;
}

TEST(SynchronisationCheck, IsSilentOnBarriersOfTheWholeBlock) {
  expect_silent("  st.global.u32 [%at], %i;\n  bar.sync 0;\n  ld.global.u32 %r1, [%at];\n  bar.sync 0;", 100);
}

// if (tid < 16) __syncthreads(); y[tid] = tid;
TEST(SynchronisationCheck, FindsABarrierThatSomeLanesOfAWarpSkip) {
  const Finding found = expect_barrier_finding(FindingKind::barrier, R"(
  @!%low bra behind;
  bar.sync 0;
behind:
  st.global.u32 [%at], %i;)",
                                               32);
  EXPECT_EQ(found.instruction, "bar.sync 0;");
  EXPECT_TRUE(mentions(found, "16 threads of the block never arrived")) << found.message;
}

TEST(SynchronisationCheck, FindsABarrierThatSomeWarpsSkip) {
  for (const char* skips : {"@!%first", "@%first"}) {
    const Finding found = expect_barrier_finding(FindingKind::barrier, "  " + std::string(skips) + R"( bra behind;
  bar.sync 0;
behind:
  st.global.u32 [%at], %i;)",
                                                 64);
    EXPECT_TRUE(mentions(found, "32 threads of the block never arrived")) << found.message;
  }
}

// for (i = tid; i < 48; i += 32) __syncthreads(); y[tid] = tid;
TEST(SynchronisationCheck, FindsABarrierInALoopThatSomeThreadsLeaveEarly) {
  const Finding found = expect_barrier_finding(FindingKind::barrier, R"(
again:
  bar.sync 0;
  add.u32 %r0, %r0, 32;
  setp.lt.u32 %q, %r0, 48;
  @%q bra again;
  st.global.u32 [%at], %i;)",
                                               32);
  EXPECT_TRUE(mentions(found, "16 threads of the block never arrived")) << found.message;
}

// Since sm_70 a barrier waits for the threads that have not exited.
TEST(SynchronisationCheck, IsSilentOnThreadsThatExitBeforeABarrier) {
  for (const char* leaves : {"@!%low", "@%low", "@%first", "@!%first"}) {
    const std::string leave = "  " + std::string(leaves) + " bra leave;\n";
    const std::string rest = "  bar.sync 0;\n  st.global.u32 [%at], %i;\nleave:";
    expect_silent(leave + rest, 64);
    expect_silent("  ld.global.u32 %r1, [%at];\n  st.global.u32 [%at], %r1;\n" + leave + rest, 64);
    expect_silent("  " + std::string(leaves) + " exit;\n" + rest, 64);
  }
}

TEST(SynchronisationCheck, FindsAWarpAtTwoBarriers) {
  const std::string two = R"(
  @!%low bra other;
  BARRIER;
  bra.uni behind;
other:
  BARRIER;
behind:
  st.global.u32 [%at], %i;)";
  const auto with = [&](const std::string& barrier) {
    std::string text = two;
    for (size_t at = text.find("BARRIER"); at != std::string::npos; at = text.find("BARRIER"))
      text.replace(at, 7, barrier);
    return text;
  };
  const Finding found = expect_barrier_finding(FindingKind::barrier, with("bar.sync 0"), 32);
  EXPECT_TRUE(mentions(found, "0x0000ffff") && mentions(found, "0xffff0000")) << found.message;
  expect_silent(with("barrier.sync 0"), 32);
}

// Different warps may be at different instructions: a barrier has a number, not a place.
TEST(SynchronisationCheck, IsSilentOnWarpsAtTwoBarrierInstructions) {
  expect_silent(R"(
  @!%first bra other;
  bar.sync 0;
  bra.uni behind;
other:
  bar.sync 0;
behind:
  st.global.u32 [%at], %i;)",
                64);
}

TEST(SynchronisationCheck, FindsDifferentCountsAtOneBarrier) {
  const std::string named = R"(
  @!%first bra other;
  bar.sync 1, 64;
  bra.uni behind;
other:
  bar.arrive 1, COUNT;
behind:)";
  const auto with = [&](const char* count) {
    std::string text = named;
    return text.replace(text.find("COUNT"), 5, count);
  };
  const Finding found = expect_barrier_finding(FindingKind::barrier, with("32"), 64);
  EXPECT_TRUE(mentions(found, "waits for 32 threads here and for 64 at")) << found.message;
  expect_silent(with("64"), 64);
}

TEST(SynchronisationCheck, FindsMasksThatNameLanesWhichAreNotThere) {
  const Finding found = expect_barrier_finding(FindingKind::warp_mask, "  bar.warp.sync 0x0fffffff;", 20);
  EXPECT_TRUE(mentions(found, "names lanes 0x0ff00000")) << found.message;
  expect_barrier_finding(FindingKind::warp_mask, "  vote.sync.ballot.b32 %r1, %low, 0x1fffff;", 20);
  expect_silent("  bar.warp.sync 0xfffff;", 20);
  expect_silent("  bar.warp.sync 0xffffffff;", 20);  // __syncwarp() in a partial warp
  expect_silent("  @%low bar.warp.sync 0xffff;", 32);
}

TEST(SynchronisationCheck, FindsShufflesFromLanesThatDoNotTakePart) {
  // 20 threads of a warp: lanes 10 to 19 read lanes 20 to 29.
  const Finding absent =
      expect_barrier_finding(FindingKind::inactive_lane, "  shfl.sync.down.b32 %r1, %r0, 10, 31, 0xffffffff;", 20);
  EXPECT_EQ(absent.thread, (Dim3{10, 0, 0}));
  EXPECT_EQ(absent.thread_count, 10u);
  EXPECT_TRUE(mentions(absent, "lane 10 reads lane 20, which the warp does not have")) << absent.message;
  const Finding exited = expect_barrier_finding(
      FindingKind::inactive_lane, "  @!%low exit;\n  shfl.sync.bfly.b32 %r1, %r0, 16, 31, 0xffffffff;", 32);
  EXPECT_TRUE(mentions(exited, "which has exited")) << exited.message;
  const Finding outside =
      expect_barrier_finding(FindingKind::inactive_lane, "  @%low shfl.sync.idx.b32 %r1, %r0, 20, 31, 0xffff;", 32);
  EXPECT_TRUE(mentions(outside, "lane 0 reads lane 20, which does not execute it")) << outside.message;
}

TEST(SynchronisationCheck, IsSilentOnShufflesInsideTheirMask) {
  expect_silent("  shfl.sync.down.b32 %r1, %r0, 16, 31, 0xffffffff;", 32);
  expect_silent("  shfl.sync.up.b32 %r1, %r0, 1, 0, 0xffffffff;", 20);
  expect_silent("  @%low shfl.sync.bfly.b32 %r1, %r0, 8, 31, 0xffff;", 32);
  // Segments of 16 lanes, as __shfl_down_sync(mask, x, 8, 16) has: what is out of range reads itself.
  expect_silent("  @%low shfl.sync.down.b32 %r1, %r0, 8, 0x100f, 0xffff;", 32);
}

TEST(SynchronisationCheck, ADeadlockSaysWhoWaitsWhere) {
  CheckedBarriers checked;
  check_barriers(R"(
  @!%first bra other;
  bar.sync 1, 64;
  bra.uni behind;
other:
  bar.sync 2, 64;
behind:)",
                 checked, 64);
  ASSERT_TRUE(checked.result.fault.has_value());
  EXPECT_EQ(checked.result.fault->kind, FindingKind::deadlock);
  ASSERT_EQ(checked.result.fault->notes.size(), 2u);
  EXPECT_TRUE(checked.result.fault->notes[0].starts_with("warp 0, 32 threads: wait at barrier 1, line "))
      << checked.result.fault->notes[0];
  EXPECT_TRUE(checked.result.fault->notes[1].starts_with("warp 1, 32 threads: wait at barrier 2, line "))
      << checked.result.fault->notes[1];
}

}  // namespace
}  // namespace assay::vgpu
