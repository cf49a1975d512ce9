// SPDX-License-Identifier: MIT
// Which reads of unwritten shared memory are reported: those that change what comes out.
#include <array>
#include <cstring>
#include <gtest/gtest.h>

#include "device/open/open_device.hpp"
#include "device/virtual/virtual_device.hpp"

namespace assay::device {
namespace {

// One thread; %a and %b are words of shared memory that nothing has written, %r goes to the buffer.
std::string kernel_with(const std::string& body) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry kernel(.param .u64 out)
{
  .shared .align 4 .b32 box[8];
  .reg .b32 %a, %b, %r, %old;
  .reg .b64 %out;
  .reg .pred %p;
  ld.param.u64 %out, [out];
  ld.global.u32 %old, [%out];
  mov.u32 %r, 7;
)" + body +
         R"(
  add.u32 %old, %old, 1;
  st.global.u32 [%out], %old;
  st.global.u32 [%out+4], %r;
  ret;
}
)";
}

struct Result {
  LaunchOutcome outcome;
  std::array<uint32_t, 2> words{};  // how often the kernel ran, and what it found
};

Result run(const std::string& body) {
  Result result;
  auto device = open_device("vgpu:l4");
  EXPECT_TRUE(device.ok());
  auto module = (*device)->load(kernel_with(body), "kernel.ptx");
  EXPECT_TRUE(module.ok()) << to_string(module.error());
  const uint64_t buffer = *(*device)->allocate(sizeof result.words, "out");
  EXPECT_TRUE((*device)->upload(buffer, std::as_bytes(std::span(result.words))).ok());
  LaunchRequest request;
  request.module = module->get();
  request.entry = "kernel";
  request.arguments.emplace_back(sizeof buffer);
  std::memcpy(request.arguments[0].data(), &buffer, sizeof buffer);
  request.check_memory = true;
  request.check_initialisation = true;
  auto outcome = (*device)->launch(request);
  EXPECT_TRUE(outcome.ok()) << to_string(outcome.error());
  result.outcome = std::move(*outcome);
  EXPECT_TRUE((*device)->download(buffer, std::as_writable_bytes(std::span(result.words))).ok());
  return result;
}

TEST(InitialisationTrial, ReportsAReadThatChangesTheResult) {
  const Result result = run("  ld.shared.u32 %r, [box];");
  ASSERT_EQ(result.outcome.findings.size(), 1u);
  EXPECT_EQ(result.outcome.findings[0].kind, gpu::FindingKind::uninitialised);
  EXPECT_EQ(result.outcome.finding_occurrences, 1u);
}

TEST(InitialisationTrial, LeavesMemoryAsOneLaunchMadeIt) {
  EXPECT_EQ(run("  ld.shared.u32 %r, [box];").words, (std::array<uint32_t, 2>{1, 0xffff'ffff}));
}

// As a compiler makes of "written ? s_box[0] : 7".
TEST(InitialisationTrial, IsSilentOnALoadWhoseValueIsDropped) {
  const Result result = run("  ld.shared.u32 %a, [box];\n  setp.eq.u32 %p, %r, 0;\n  selp.b32 %r, %a, %r, %p;");
  EXPECT_TRUE(result.outcome.findings.empty());
  EXPECT_EQ(result.words, (std::array<uint32_t, 2>{1, 7}));
}

TEST(InitialisationTrial, TellsTheReadWithAnEffectFromTheOneWithout) {
  const Result result = run(R"(
  ld.shared.u32 %a, [box];
  setp.eq.u32 %p, %r, 0;
  selp.b32 %r, %a, %r, %p;
  ld.shared.u32 %b, [box+4];
  add.u32 %r, %r, %b;)");
  ASSERT_EQ(result.outcome.findings.size(), 1u);
  EXPECT_EQ(result.outcome.findings[0].address, 4u);
}

// Each alone would be enough to spoil the result, so that mending one of them changes nothing.
TEST(InitialisationTrial, ReportsReadsThatHideEachOther) {
  EXPECT_EQ(
      run("  ld.shared.u32 %a, [box];\n  ld.shared.u32 %b, [box+4];\n  or.b32 %r, %a, %b;").outcome.findings.size(),
      2u);
}

TEST(InitialisationTrial, ReportsAReadThatMakesTheKernelFail) {
  const Result result = run("  ld.shared.u32 %a, [box];\n  setp.ne.u32 %p, %a, 0;\n  @%p trap;");
  EXPECT_TRUE(result.outcome.fault.has_value());
  ASSERT_EQ(result.outcome.findings.size(), 1u);
  EXPECT_EQ(result.outcome.findings[0].kind, gpu::FindingKind::uninitialised);
}

TEST(InitialisationTrial, ReportsAnIndexFromUnwrittenMemoryBesideTheBadAccess) {
  const Result result = run("  ld.shared.u32 %a, [box];\n  and.b32 %a, %a, 4092;\n  ld.shared.u32 %r, [%a];");
  ASSERT_EQ(result.outcome.findings.size(), 2u);
  EXPECT_EQ(result.outcome.findings[0].kind, gpu::FindingKind::out_of_bounds);
  EXPECT_EQ(result.outcome.findings[1].kind, gpu::FindingKind::uninitialised);
}

}  // namespace
}  // namespace assay::device
