// SPDX-License-Identifier: MIT
// Registers of wgmma, group counts and mbarriers, in PTX that nvcc would not write. planted/asynchronous.cu and
// planted/mbarriers.cu have what it would.
#include "vgpu/observe/async_check.hpp"

#include <fmt/format.h>

#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// A warp group with tiles of zeros: %da and %db are their descriptors, %f0 ... %f3 accumulators, %a0 ... %a3 registers
// of A.
std::string async_kernel(const std::string& body) {
  return R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b8 bar[64];
  .reg .b32 %i, %s, %t, %bar, %a<4>, %n, %v;
  .reg .f32 %f<8>;
  .reg .b64 %p, %at, %da, %db, %x;
  .reg .pred %first;
  mov.u32 %i, %tid.x;
  mov.u32 %t, tile;
  mov.u32 %bar, bar;
  mad.lo.u32 %s, %i, 16, %t;
  mov.u32 %n, 0;
  st.shared.v4.u32 [%s], {%n, %n, %n, %n};
  st.shared.v4.u32 [%s+2048], {%n, %n, %n, %n};
  fence.proxy.async.shared::cta;
  bar.sync 0;
  shr.u32 %v, %t, 4;
  cvt.u64.u32 %da, %v;
  mov.u64 %x, 0x0000001000080000;
  or.b64 %da, %da, %x;
  add.u64 %db, %da, 128;
  ld.param.u64 %p, [data];
  mad.wide.u32 %at, %i, 4, %p;
  setp.eq.u32 %first, %i, 0;
  mov.f32 %f0, 0f00000000;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, 0f00000000;
  mov.f32 %f3, 0f00000000;
  mov.u32 %a0, 0;
  mov.u32 %a1, 0;
  mov.u32 %a2, 0;
  mov.u32 %a3, 0;
)" + body +
         R"(
  ret;
}
)";
}

constexpr const char* kFence = "wgmma.fence.sync.aligned;\n";
constexpr const char* kCommit = "wgmma.commit_group.sync.aligned;\n";
constexpr const char* kWait = "wgmma.wait_group.sync.aligned 0;\n";
constexpr const char* kProduct =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %da, %db, 1, 1, 1, 0, 0;\n";
constexpr const char* kProductOfRegisters =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, {%a0, %a1, %a2, %a3}, %db, 1, 1, 1, 0;\n";

std::vector<Finding> async_findings(const std::string& body) {
  KernelRun run(async_kernel(body), "h100");
  run.launch().block = {128, 1, 1};
  run.add_words(std::vector<uint32_t>(4096, 0), "data");
  AsyncCheck check;
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return check.found().findings();
}

void expect_clean(const std::string& body) {
  const std::vector<Finding> findings = async_findings(body);
  EXPECT_TRUE(findings.empty()) << body << findings.front().message;
}
void expect_async_finding(const std::string& body, FindingKind kind, const std::string& message) {
  const std::vector<Finding> findings = async_findings(body);
  ASSERT_EQ(findings.size(), 1u) << body;
  EXPECT_EQ(findings[0].kind, kind);
  EXPECT_NE(findings[0].message.find(message), std::string::npos) << findings[0].message;
}

std::string all(std::initializer_list<const char*> parts) {
  std::string text;
  for (const char* part : parts) text += part;
  return text;
}

TEST(AsyncCheck, ProductsThatAreFencedAndAwaitedAreClean) {
  expect_clean(all({kFence, kProduct, kProduct, kCommit, kWait, "st.global.f32 [%at], %f0;\n"}));
  expect_clean(all({kFence, kProductOfRegisters, kCommit, kWait, "add.u32 %a0, %a0, 1;\n", kFence, kProductOfRegisters,
                    kCommit, kWait}));
}

TEST(AsyncCheck, RegistersOfAAreOverwrittenBeforeTheWait) {
  expect_async_finding(all({kFence, kProductOfRegisters, kCommit, "add.u32 %a2, %i, 1;\n", kWait}),
                       FindingKind::in_flight, "overwrites a register of A");
  expect_async_finding(all({kFence, kProductOfRegisters, kCommit, "ld.global.u32 %a1, [%at];\n", kWait}),
                       FindingKind::in_flight, "overwrites a register of A");
}

TEST(AsyncCheck, AnAccumulatorIsReadOrLostBeforeTheWait) {
  expect_async_finding(all({kFence, kProduct, kCommit, "add.f32 %f4, %f1, %f1;\n", kWait}), FindingKind::in_flight,
                       "operand 2 is a result of the wgmma");
  expect_async_finding(all({kFence, kProduct, kCommit, "mul.f32 %f1, %f4, %f4;\n", kWait}), FindingKind::in_flight,
                       "overwrites a result of the wgmma");
  expect_async_finding(all({kFence, kProduct, kCommit, "mov.f32 %f1, 0f3f800000;\n", kWait}), FindingKind::in_flight,
                       "overwrites a result of the wgmma");
}

// nvcc moves accumulators around; ptxas makes one register of them.
TEST(AsyncCheck, AMoveIsNoTouchButCarriesTheValueOn) {
  expect_clean(all({kFence, kProduct, kCommit, "mov.f32 %f5, %f1;\n", kWait, "st.global.f32 [%at], %f5;\n"}));
  expect_clean(all({kFence, kProduct, kCommit, "mov.f32 %f5, %f1;\nmov.f32 %f1, 0f00000000;\n", kWait}));
  expect_async_finding(all({kFence, kProduct, kCommit, "mov.f32 %f5, %f1;\nst.global.f32 [%at], %f5;\n", kWait}),
                       FindingKind::in_flight, "is a result of the wgmma");
}

TEST(AsyncCheck, AWaitCoversTheGroupsThatItDoesNotLeaveOpen) {
  const std::string two =
      all({kFence, kProduct, kCommit,
           "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f4, %f5, %f6, %f7}, %da, %db, 0, 1, "
           "1, 0, 0;\n",
           kCommit, "wgmma.wait_group.sync.aligned 1;\n"});
  expect_clean(two + "st.global.f32 [%at], %f0;\n" + kWait);
  expect_async_finding(two + "st.global.f32 [%at], %f4;\n" + kWait, FindingKind::in_flight, "is a result of the wgmma");
}

TEST(AsyncCheck, AFenceIsMissing) {
  expect_async_finding(all({kProduct, kCommit, kWait}), FindingKind::in_flight, "no wgmma.fence has come before");
  expect_async_finding(all({kFence, kProduct, kCommit, kWait, "mul.f32 %f2, %f2, %f2;\n", kProduct, kCommit, kWait}),
                       FindingKind::in_flight, "register 3 of the wgmma was written since the last wgmma.fence");
}

TEST(AsyncCheck, AWaitThatWaitsForNothing) {
  const std::string copy = "cp.async.ca.shared.global [%s], [%p], 16;\n";
  const std::string commit = "cp.async.commit_group;\n";
  expect_clean(copy + commit + copy + commit + "cp.async.wait_group 1;\ncp.async.wait_all;\n");
  expect_async_finding(copy + commit + "cp.async.wait_group 1;\ncp.async.wait_all;\n", FindingKind::idle_wait,
                       "lets 1 groups stay open, and never more than 1 are");
  expect_async_finding(copy + "cp.async.wait_group 0;\ncp.async.wait_all;\n", FindingKind::idle_wait,
                       "were not committed");
  // Empty groups count: pipelines commit them to keep their counts right.
  expect_clean(copy + commit + commit + "cp.async.wait_group 1;\n");
  // Nothing is under way: the wait is harmless.
  expect_clean("cp.async.wait_group 3;\n");
}

TEST(AsyncCheck, AnMbarrierIsInitialisedTwice) {
  const std::string init = "@%first mbarrier.init.shared.b64 [%bar], 1;\n";
  const std::string inval = "@%first mbarrier.inval.shared.b64 [%bar];\n";
  expect_clean(init + inval + init);
  expect_async_finding(init + init, FindingKind::barrier, "is initialised again");
}

TEST(AsyncCheck, AnMbarrierIsOverwritten) {
  const std::string init = "@%first mbarrier.init.shared.b64 [%bar+8], 1;\n";
  expect_async_finding(init + "@%first st.shared.u32 [%bar+12], %i;\n", FindingKind::barrier,
                       "overwrites the mbarrier at 0x");
  expect_clean(init + "@%first st.shared.u32 [%bar+16], %i;\n@%first st.shared.u32 [%bar+4], %i;\n");
  expect_clean(init + "@%first mbarrier.inval.shared.b64 [%bar+8];\n@%first st.shared.u32 [%bar+12], %i;\n");
}

}  // namespace
}  // namespace assay::vgpu
