// SPDX-License-Identifier: MIT
// The memory checker fires on every kind of bad access, says where and what is near, and is silent on good ones.
#include "vgpu/observe/memory_check.hpp"

#include "../../support/by_thread.hpp"
#include "base/text.hpp"
#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// Thread i executes `access`, with %at = the parameter + 4 i, %i the thread and %r a word.
std::string accessing_kernel(const std::string& access, const std::string& variables = "",
                             const std::string& module = "") {
  return module + R"(
.visible .entry kernel(.param .u64 data)
{
)" + variables +
         R"(
  .reg .b32 %i, %r, %s, %q;
  .reg .b64 %at, %p;
  mov.u32 %i, %tid.x;
  mov.u32 %r, 1;
  ld.param.u64 %p, [data];
  mad.wide.u32 %at, %i, 4, %p;
)" + access +
         R"(
  ret;
}
)";
}

struct CheckedAccesses {
  LaunchResult result;
  MemoryCheck check;
  uint64_t data = 0;
  std::vector<Finding> findings() const { return by_thread(check.found().findings()); }
};

// 8 threads and a buffer "data" of 8 words.
void check_kernel(const std::string& text, CheckedAccesses& checked, uint32_t dynamic_shared = 0) {
  KernelRun run(text);
  run.launch().block = {8, 1, 1};
  run.launch().dynamic_shared_bytes = dynamic_shared;
  checked.data = run.add_words(std::vector<uint32_t>(8, 5), "data");
  checked.result = run.run_checked(checked.check);
  EXPECT_FALSE(checked.result.fault.has_value())
      << "bad accesses are skipped, the kernel goes on: " << checked.result.fault->message;
}

TEST(MemoryCheck, IsSilentOnGoodAccesses) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  ld.global.u32 %r, [%at];
  st.global.u32 [%at], %r;
  ld.u8 %r, [%at+3];
  mov.u32 %s, box;
  mad.lo.u32 %s, %i, 16, %s;
  st.shared.v4.u32 [%s], {%r, %r, %r, %r};
  cp.async.ca.shared.global [%s+12], [%at], 4;
  cp.async.wait_all;
  st.local.u32 [mine+12], %r;
  mov.u64 %at, table;
  mad.wide.u32 %at, %i, 4, %at;
  ld.const.u32 %r, [%at];
  cvta.const.u64 %at, %at;
  ld.u32 %r, [%at];
  atom.global.add.u32 %r, [%p+28], 1;)",
                                "  .shared .align 16 .b8 box[128];\n  .local .align 4 .b8 mine[16];\n",
                                ".const .align 4 .u32 table[8] = {1};\n"),
               checked);
  EXPECT_TRUE(checked.findings().empty()) << checked.findings().front().message;
}

TEST(MemoryCheck, FindsGlobalAccessesBehindTheEnd) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel("  st.global.u32 [%at+8], %r;"), checked);
  ASSERT_EQ(checked.findings().size(), 2u);
  const Finding first = checked.findings()[0];
  EXPECT_EQ(first.kind, FindingKind::out_of_bounds);
  EXPECT_EQ(first.access, AccessKind::store);
  EXPECT_EQ(first.space, Space::global);
  EXPECT_EQ(first.address, checked.data + 32);
  EXPECT_EQ(first.bytes, 4u);
  EXPECT_EQ(first.kernel, "kernel");
  EXPECT_EQ(first.instruction, "st.global.u32 [%at+8], %r;");
  EXPECT_EQ(first.thread, (Dim3{6, 0, 0}));
  EXPECT_EQ(first.allocation, "right behind the end of allocation 'data' of 32 bytes");
  EXPECT_EQ(checked.findings()[1].thread, (Dim3{7, 0, 0}));
  EXPECT_EQ(checked.findings()[1].allocation, "4 bytes behind the end of allocation 'data' of 32 bytes");
}

TEST(MemoryCheck, FindsGlobalAccessesBeforeTheStart) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel("  ld.global.u32 %r, [%at+-12];"), checked);
  ASSERT_EQ(checked.findings().size(), 3u);
  EXPECT_EQ(checked.findings()[0].access, AccessKind::load);
  EXPECT_EQ(checked.findings()[0].allocation, "12 bytes before allocation 'data' of 32 bytes");
}

TEST(MemoryCheck, FindsAnAccessThatBeginsInsideAndEndsOutside) {
  KernelRun run(accessing_kernel("  ld.global.u64 %at, [%p];"));
  run.launch().block = {1, 1, 1};
  run.add_words({1}, "one word");
  MemoryCheck check;
  run.run_checked(check);
  ASSERT_EQ(by_thread(check.found().findings()).size(), 1u);
  EXPECT_EQ(by_thread(check.found().findings())[0].allocation, "at byte 0 of allocation 'one word' of 4 bytes");
}

TEST(MemoryCheck, LeavesBadAccessesOut) {
  CheckedAccesses checked;
  KernelRun run(accessing_kernel(R"(
  ld.global.u32 %r, [%at+16];
  add.u32 %r, %r, 100;
  st.global.u32 [%at], %r;)"));
  run.launch().block = {8, 1, 1};
  const uint64_t data = run.add_words({0, 1, 2, 3, 4, 5, 6, 7}, "data");
  MemoryCheck check;
  run.run_checked(check);
  EXPECT_EQ(run.words(data, 8), (std::vector<uint32_t>{104, 105, 106, 107, 100, 100, 100, 100}))
      << "a load that is skipped gives 0";
  EXPECT_EQ(by_thread(check.found().findings()).size(), 4u);
}

TEST(MemoryCheck, FindsSharedAccessesBehindTheEnd) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  mov.u32 %s, box;
  mad.lo.u32 %s, %i, 4, %s;
  st.shared.u32 [%s], %r;)",
                                "  .shared .align 4 .b8 box[20];\n"),
               checked);
  ASSERT_EQ(checked.findings().size(), 3u);
  EXPECT_EQ(checked.findings()[0].space, Space::shared);
  EXPECT_EQ(checked.findings()[0].address, 20u);
  EXPECT_EQ(checked.findings()[0].thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(checked.findings()[0].allocation, "right behind the end of shared variable 'box' of 20 bytes");
}

// The pieces that are skipped count as arrived, so that the kernel goes on.
TEST(MemoryCheck, FindsBulkCopiesBehindTheEnd) {
  KernelRun run(accessing_kernel(R"(
  .reg .pred %done;
  mov.u32 %s, box;
  mbarrier.init.shared.b64 [%s+64], 1;
  mbarrier.arrive.expect_tx.shared.b64 %at, [%s+64], 64;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%p], 64, [%s+64];
wait:
  mbarrier.try_wait.shared.b64 %done, [%s+64], %at;
  @!%done bra wait;
  ld.shared.u32 %r, [%s+28];
  st.global.u32 [%p], %r;)",
                                 "  .shared .align 16 .b8 box[72];\n"),
                "h200");
  run.launch().block = {1, 1, 1};
  const uint64_t data = run.add_words({0, 1, 2, 3, 4, 5, 6, 7}, "data");
  MemoryCheck check;
  EXPECT_FALSE(run.run_checked(check).fault.has_value());
  EXPECT_EQ(run.words(data, 1), (std::vector<uint32_t>{7}));
  ASSERT_FALSE(check.found().findings().empty());
  const Finding first = by_thread(check.found().findings())[0];
  EXPECT_EQ(first.kind, FindingKind::out_of_bounds);
  EXPECT_EQ(first.access, AccessKind::async_read);
  EXPECT_EQ(first.space, Space::global);
  EXPECT_EQ(first.address, data + 32);
  EXPECT_EQ(first.allocation, "right behind the end of allocation 'data' of 32 bytes");
}

TEST(MemoryCheck, FindsDynamicSharedAccessesBehindTheEnd) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  mov.u32 %s, dynamic;
  mad.lo.u32 %s, %i, 8, %s;
  st.shared.u32 [%s], %r;)",
                                "", ".extern .shared .align 16 .b8 dynamic[];\n"),
               checked, 40);
  ASSERT_EQ(checked.findings().size(), 3u);
  EXPECT_EQ(checked.findings()[0].thread, (Dim3{5, 0, 0}));
  EXPECT_EQ(checked.findings()[0].allocation, "right behind the end of dynamic 'shared memory' of 40 bytes");
}

TEST(MemoryCheck, FindsLocalAccessesBehindTheEnd) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  mov.u64 %at, mine;
  mad.wide.u32 %at, %i, 4, %at;
  cvta.local.u64 %at, %at;
  st.u32 [%at], %r;)",
                                "  .local .align 4 .b8 mine[24];\n"),
               checked);
  ASSERT_EQ(checked.findings().size(), 2u);
  EXPECT_EQ(checked.findings()[0].space, Space::local);
  EXPECT_EQ(checked.findings()[0].address, 24u);
  EXPECT_EQ(checked.findings()[0].thread, (Dim3{6, 0, 0}));
}

TEST(MemoryCheck, FindsConstantAccessesBehindTheEnd) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  mov.u64 %at, table;
  mad.wide.u32 %at, %i, 4, %at;
  ld.const.u32 %r, [%at];)",
                                "", ".const .align 4 .u32 table[7] = {1};\n"),
               checked);
  ASSERT_EQ(checked.findings().size(), 1u);
  EXPECT_EQ(checked.findings()[0].space, Space::constant);
  EXPECT_EQ(checked.findings()[0].thread, (Dim3{7, 0, 0}));
}

TEST(MemoryCheck, FindsMisalignedAccesses) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel("  ld.global.v2.u32 {%r, %s}, [%at];\n  st.global.u16 [%p+1], %r;"), checked);
  ASSERT_EQ(checked.findings().size(), 12u);  // four odd threads, then all eight
  EXPECT_EQ(checked.findings()[0].kind, FindingKind::misaligned);
  EXPECT_EQ(checked.findings()[0].bytes, 8u);
  EXPECT_EQ(checked.findings()[0].thread, (Dim3{1, 0, 0}));
  EXPECT_NE(checked.findings()[0].message.find("4 bytes past a multiple of 8"), std::string::npos);
  EXPECT_EQ(checked.findings()[0].allocation, "at byte 4 of allocation 'data' of 32 bytes");
  EXPECT_EQ(checked.findings()[4].bytes, 2u);
}

TEST(MemoryCheck, FindsNullPointers) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel("  mov.u64 %at, 16;\n  ld.u32 %r, [%at];\n  st.global.u32 [%at], %r;"), checked);
  ASSERT_EQ(checked.findings().size(), 16u);
  EXPECT_EQ(checked.findings()[0].kind, FindingKind::null_pointer);
  EXPECT_EQ(checked.findings()[8].kind, FindingKind::null_pointer);
}

TEST(MemoryCheck, FindsAddressesInNoSpace) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel("  mov.u64 %at, 0x600000000000;\n  ld.u32 %r, [%at];"), checked);
  ASSERT_EQ(checked.findings().size(), 8u);
  EXPECT_EQ(checked.findings()[0].kind, FindingKind::illegal_address);
}

TEST(MemoryCheck, FindsFreedMemory) {
  KernelRun run(accessing_kernel("  ld.global.u32 %r, [%at];"));
  run.launch().block = {2, 1, 1};
  const uint64_t data = run.add_words({1, 2}, "old");
  ASSERT_TRUE(run.memory().free(data).ok());
  MemoryCheck check;
  run.run_checked(check);
  ASSERT_EQ(by_thread(check.found().findings()).size(), 2u);
  EXPECT_EQ(by_thread(check.found().findings())[0].kind, FindingKind::use_after_free);
  EXPECT_EQ(by_thread(check.found().findings())[1].allocation, "at byte 4 of freed allocation 'old' of 8 bytes");
}

TEST(MemoryCheck, FindsAtomicsAndAsynchronousCopies) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  atom.global.add.u32 %r, [%at+4], 1;
  mov.u32 %s, box;
  mad.lo.u32 %s, %i, 18, %s;
  cp.async.cg.shared.global [%s], [%p], 16;
  cp.async.wait_all;)",
                                "  .shared .align 16 .b8 box[256];\n"),
               checked);
  ASSERT_EQ(checked.findings().size(), 8u);
  EXPECT_EQ(checked.findings()[0].access, AccessKind::atomic);
  EXPECT_EQ(checked.findings()[0].thread, (Dim3{7, 0, 0}));
  EXPECT_EQ(checked.findings()[1].access, AccessKind::async_write);
  EXPECT_EQ(checked.findings()[1].kind, FindingKind::misaligned);
  EXPECT_EQ(checked.findings()[1].address, 18u);
}

// What .loc refers to: three files, and the name store(float*, float).
constexpr const char* kFilesAndNames =
    ".file 1 \"kernel.cu\"\n.file 2 \"tile.cuh\"\n.file 3 \"element.cuh\"\n"
    ".section .debug_str\n{\n$name:\n.b8 95, 90, 53, 115, 116, 111, 114, 101, 80, 102, 102, 0\n}\n";

TEST(MemoryCheck, NamesTheSourceLineAndWhereItWasInlined) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  .loc 1 20 3
  .loc 2 7 11, function_name $name, inlined_at 1 20 3
  st.global.u32 [%at+28], %r;
  .loc 1 21 1
  ld.global.u32 %r, [%at+28];)") +
                   kFilesAndNames,
               checked);
  ASSERT_EQ(checked.findings().size(), 14u);
  const Finding inlined = checked.findings()[0];
  ASSERT_EQ(inlined.source.size(), 2u);
  EXPECT_EQ(inlined.source[0], (SourceLine{"tile.cuh", 7, 11, "store(float*, float)"}));
  EXPECT_EQ(inlined.source[1], (SourceLine{"kernel.cu", 20, 3, "kernel"}));
  const Finding plain = checked.findings()[7];
  ASSERT_EQ(plain.source.size(), 1u);
  EXPECT_EQ(plain.source[0].line, 21);
}

// nvcc gives the lines of a chain of calls once. A later line in the middle of it names the call next to it alone.
TEST(MemoryCheck, FollowsCallsThatWereNamedBefore) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  .loc 1 20 3
  .loc 2 7 11, function_name $name, inlined_at 1 20 3
  .loc 3 4 1, function_name $name, inlined_at 2 7 11
  add.u32 %r, %r, 0;
  .loc 1 30 1
  add.u32 %r, %r, 0;
  .loc 3 5 1, function_name $name, inlined_at 2 7 11
  st.global.u32 [%at+28], %r;)") +
                   kFilesAndNames,
               checked);
  ASSERT_FALSE(checked.findings().empty());
  const Finding found = checked.findings()[0];
  ASSERT_EQ(found.source.size(), 3u);
  EXPECT_EQ(found.source[0].line, 5);
  EXPECT_EQ(found.source[1].file, "tile.cuh");
  EXPECT_EQ(found.source[2], (SourceLine{"kernel.cu", 20, 3, "kernel"}));
}

// nvcc gives the calls around an inlined function once, and line 0 to code that is of no line.
TEST(MemoryCheck, NamesTheSourceLineAgainWhereTheCallsAreNotRepeated) {
  CheckedAccesses checked;
  check_kernel(accessing_kernel(R"(
  .loc 1 20 3
  .loc 2 40 5, function_name $name, inlined_at 1 20 3
  .loc 2 7 11, function_name $name, inlined_at 2 40 5
  add.u32 %r, %r, 1;
  .loc 1 22 1
  add.u32 %r, %r, 1;
  .loc 2 7 11, function_name $name, inlined_at 2 40 5
  st.global.u32 [%at+28], %r;
  .loc 1 23 1
  add.u32 %r, %r, 1;
  .loc 1 0 3
  ld.global.u32 %r, [%at+28];)") +
                   kFilesAndNames,
               checked);
  ASSERT_EQ(checked.findings().size(), 14u);
  const Finding inlined = checked.findings()[0];
  ASSERT_EQ(inlined.source.size(), 3u);
  EXPECT_EQ(inlined.source[0].line, 7);
  EXPECT_EQ(inlined.source[1].line, 40);
  EXPECT_EQ(inlined.source[2], (SourceLine{"kernel.cu", 20, 3, "kernel"}));
  const Finding of_no_line = checked.findings()[7];
  ASSERT_EQ(of_no_line.source.size(), 1u);
  EXPECT_EQ(of_no_line.source[0].line, 23);
}

TEST(MemoryCheck, FindsFragmentsBehindTheEnd) {
  KernelRun run(accessing_kernel(R"(
  .reg .f32 %c<8>;
  wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, [%p];
  st.global.f32 [%at], %c0;
  st.global.f32 [%at+128], %c2;)"));
  const uint64_t data = run.add_words(std::vector<uint32_t>(8 * 16, 5), "data");
  MemoryCheck check;
  EXPECT_FALSE(run.run_checked(check).fault.has_value());
  const auto words = run.words(data, 64);
  EXPECT_EQ(words[0], 5u);
  EXPECT_EQ(words[32], 0u);
  ASSERT_FALSE(check.found().findings().empty());
  EXPECT_EQ(by_thread(check.found().findings())[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(by_thread(check.found().findings())[0].bytes, 8u);
}

// A warp group reads its matrices by descriptors. B has 16 columns of 16 ones here; of its last eight columns the
// second half is behind the end of the smaller box and reads as zero.
TEST(MemoryCheck, MatricesOfAWarpGroup) {
  const std::string kernel = R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 1024 .b8 box[BYTES];
  .reg .b32 %i, %s, %a<4>;
  .reg .f32 %d<8>;
  .reg .b64 %desc, %at;
  .reg .pred %p;
  mov.u32 %i, %tid.x;
  mov.u32 %s, box;
  shl.b32 %a1, %i, 2;
  setp.lt.u32 %p, %a1, BYTES;
  add.u32 %a1, %a1, %s;
  mov.b32 %a0, 0x3c003c00;
  @%p st.shared.u32 [%a1], %a0;
  bar.sync 0;
  shr.u32 %s, %s, 4;
  cvt.u64.u32 %desc, %s;
  add.u64 %desc, %desc, 0x1000080000;
  mov.b32 %a1, %a0; mov.b32 %a2, %a0; mov.b32 %a3, %a0;
  wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%d0,%d1,%d2,%d3,%d4,%d5,%d6,%d7}, {%a0,%a1,%a2,%a3}, %desc,
      0, 1, 1, 0;
  ld.param.u64 %at, [data];
  mad.wide.u32 %at, %i, 8, %at;
  st.global.f32 [%at], %d0;
  st.global.f32 [%at+4], %d4;
  ret;
}
)";
  const auto check_with = [&](const std::string& bytes, MemoryCheck& check) {
    KernelRun run(replace_all(kernel, "BYTES", bytes), "h200");
    run.launch().block = {128, 1, 1};
    const uint64_t data = run.add_words(std::vector<uint32_t>(256, 7), "data");
    EXPECT_FALSE(run.run_checked(check).fault.has_value());
    return run.words(data, 2);
  };
  constexpr uint32_t kSixteen = 0x41800000, kEight = 0x41000000;  // products of ones, as floats
  MemoryCheck silent;
  EXPECT_EQ(check_with("512", silent), (std::vector<uint32_t>{kSixteen, kSixteen}));
  EXPECT_TRUE(silent.found().findings().empty());
  MemoryCheck found;
  EXPECT_EQ(check_with("384", found), (std::vector<uint32_t>{kSixteen, kEight}));
  ASSERT_FALSE(found.found().findings().empty());
  EXPECT_EQ(found.found().findings()[0].kind, FindingKind::out_of_bounds);
  EXPECT_EQ(found.found().findings()[0].bytes, 16);
}

}  // namespace
}  // namespace assay::vgpu
