// SPDX-License-Identifier: MIT
// The check fires on every way to use what nothing has written, and is silent where something has, or where the value
// has no effect.
#include "vgpu/observe/initialisation_check.hpp"

#include "../../support/by_thread.hpp"
#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// Thread i executes `body`, with %s = the address of word i of box, %p = the buffer, %r a word.
std::string reading_kernel(const std::string& body) {
  return R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 16 .b8 box[256];
  .reg .b32 %i, %r<5>, %s, %b;
  .reg .b64 %p, %out;
  .reg .pred %even;
  mov.u32 %i, %tid.x;
  mov.u32 %r0, 1;
  mov.u32 %b, box;
  mad.lo.u32 %s, %i, 4, %b;
  and.b32 %r1, %i, 1;
  setp.eq.u32 %even, %r1, 0;
  ld.param.u64 %p, [data];
)" + body +
         R"(
  ld.param.u64 %out, [data];
  st.global.u32 [%out], %r1;
  ret;
}
)";
}

// With a buffer of 64 words.
std::vector<Finding> findings_of(const std::string& body, uint32_t threads = 8) {
  KernelRun run(reading_kernel(body));
  run.launch().block = {threads, 1, 1};
  run.add_words(std::vector<uint32_t>(64, 5), "data");
  InitialisationCheck check;
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return by_thread(check.found().findings());
}

TEST(InitialisationCheck, NamesTheThreadsThatReadWhatNobodyWrote) {
  const auto found = findings_of("  @%even st.shared.u32 [%s], %r0;\n  bar.sync 0;\n  ld.shared.u32 %r1, [%s];");
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].kind, FindingKind::uninitialised);
  EXPECT_EQ(found[0].access, AccessKind::load);
  EXPECT_EQ(found[0].space, Space::shared);
  EXPECT_EQ(found[0].thread, (Dim3{1, 0, 0}));
  EXPECT_EQ(found[0].address, 4u);
  EXPECT_EQ(found[0].bytes, 4u);
  EXPECT_EQ(found[0].instruction, "ld.shared.u32 %r1, [%s];");
  EXPECT_EQ(found[0].message,
            "read of 4 bytes of shared memory, which nothing has written; the value goes into a result at PTX line 22");
  EXPECT_EQ(found[0].allocation, "at byte 4 of shared variable 'box' of 256 bytes");
  EXPECT_EQ(found[3].thread, (Dim3{7, 0, 0}));
}

TEST(InitialisationCheck, IsSilentWhereAnotherThreadHasWritten) {
  EXPECT_TRUE(findings_of(R"(
  st.shared.u32 [%s], %r0;
  bar.sync 0;
  xor.b32 %s, %s, 4;
  ld.shared.u32 %r1, [%s];
  ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [box+16];
  ld.shared.u8 %r0, [box+31];
  add.u32 %r1, %r1, %r0;
  atom.shared.add.u32 %r1, [%s], 1;)")
                  .empty());
}

TEST(InitialisationCheck, SeesTheByteThatIsMissing) {
  const auto found = findings_of(R"(
  st.shared.u8 [%s], %r0;
  st.shared.u16 [%s+2], %r0;
  bar.sync 0;
  ld.shared.u32 %r1, [%s];)");
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(found[0].allocation, "at byte 1 of shared variable 'box' of 256 bytes");
}

TEST(InitialisationCheck, AnAtomicReadsToo) {
  const auto found = findings_of("  atom.shared.add.u32 %r1, [box], 1;\n  ld.shared.u32 %r1, [box];");
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(found[0].access, AccessKind::atomic);
}

TEST(InitialisationCheck, AMatrixReadsRowByRow) {
  const std::string read =
      "  bar.sync 0;\n  mad.lo.u32 %s, %i, 16, %b;\n  ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%s];";
  EXPECT_TRUE(findings_of("  st.shared.u32 [%s], %r0;\n" + read, 32).empty()) << "32 words are the matrix's 8 rows";
  const auto found = findings_of(R"(
  @%even st.shared.u32 [%s], %r0;)" +
                                 read);
  EXPECT_FALSE(found.empty());
}

TEST(InitialisationCheck, FindsReadsBeforeACopyHasArrived) {
  const std::string copy = "  mad.wide.u32 %p, %i, 4, %p;\n  cp.async.ca.shared.global [%s], [%p], 4;\n";
  const auto found = findings_of(copy + "  bar.sync 0;\n  ld.shared.u32 %r1, [%s];\n  cp.async.wait_all;");
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(
      found[0].message,
      "read of 4 bytes of shared memory, which an asynchronous copy is still to bring: nothing has waited for it; "
      "the value goes into a result at PTX line 24");
  EXPECT_TRUE(findings_of(copy + "  cp.async.wait_all;\n  bar.sync 0;\n  ld.shared.u32 %r1, [%s];").empty());
}

TEST(InitialisationCheck, ACopyOverWhatWasWrittenHasToBeWaitedForToo) {
  EXPECT_EQ(findings_of(R"(
  st.shared.u32 [%s], %r0;
  cp.async.ca.shared.global [%s], [%p], 4;
  ld.shared.u32 %r1, [%s];
  cp.async.wait_all;)")
                .size(),
            8u);
}

TEST(InitialisationCheck, ACopyOfNothingFillsWithZeros) {
  EXPECT_TRUE(findings_of(R"(
  mov.u32 %r1, 0;
  cp.async.ca.shared.global [%s], [%p], 4, %r1;
  cp.async.wait_all;
  ld.shared.u32 %r1, [%s];)")
                  .empty());
}

// The compiler reads a hole of a structure together with its neighbours, and says so.
TEST(InitialisationCheck, BytesThatTheProgramDoesNotWantMayBeAnything) {
  const std::string write =
      "  shl.b32 %s, %i, 4;\n  add.u32 %s, %s, %b;\n  st.shared.u32 [%s], %r0;\n  st.shared.u32 [%s+12], %r0;\n";
  const std::string read = "  ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%s];\n  add.u32 %r1, %r2, %r3;";
  EXPECT_TRUE(findings_of(write + "  .pragma \"used_bytes_mask 61455\";\n" + read).empty());
  EXPECT_EQ(findings_of(write + read).size(), 8u);
  EXPECT_EQ(findings_of(write + "  .pragma \"used_bytes_mask 61695\";\n" + read).size(), 8u);
  EXPECT_EQ(findings_of(write + "  .pragma \"used_bytes_mask 61455\";\n  mov.u32 %r1, 0;\n" + read).size(), 8u)
      << "the pragma is about one instruction";
}

// Each block writes its own word, or that of the other block, and reads the word of block `reads` of the cluster.
std::vector<Finding> cluster_findings(bool writes_other, bool reads_other) {
  const auto far = [](bool other) {
    return std::string("  mov.u32 %far, %rank;\n") + (other ? "  xor.b32 %far, %far, 1;\n" : "") +
           "  mapa.shared::cluster.u32 %far, %s, %far;\n";
  };
  const std::string barrier = "  barrier.cluster.arrive.release.aligned;\n  barrier.cluster.wait.acquire.aligned;\n";
  // Only block 0 writes.
  KernelRun run(R"(
.visible .entry kernel(.param .u64 data)
.explicitcluster
.reqnctapercluster 2, 1, 1
{
  .shared .align 4 .b32 box[32];
  .reg .b32 %i, %rank, %s, %far, %r<3>;
  .reg .b64 %out;
  .reg .pred %first;
  mov.u32 %i, %tid.x;
  mov.u32 %rank, %cluster_ctarank;
  setp.eq.u32 %first, %rank, 0;
  mov.u32 %s, box;
  mad.lo.u32 %s, %i, 4, %s;
  mov.u32 %r0, 1;
)" + far(writes_other) +
                    "  @%first st.shared::cluster.u32 [%far], %r0;\n" + barrier + far(reads_other) +
                    "  @!%first ld.shared::cluster.u32 %r1, [%far];\n" + barrier +
                    "  ld.param.u64 %out, [data];\n  @!%first st.global.u32 [%out], %r1;\n  ret;\n}\n",
                "h200");
  run.launch().block = {32, 1, 1};
  run.launch().grid = {2, 1, 1};
  run.launch().cluster = {2, 1, 1};
  run.add_words({1}, "data");
  InitialisationCheck check;
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return by_thread(check.found().findings());
}

TEST(InitialisationCheck, KnowsWhoseSharedMemoryABlockOfAClusterMeans) {
  EXPECT_TRUE(cluster_findings(true, false).empty()) << "block 0 wrote to block 1, which reads its own";
  EXPECT_TRUE(cluster_findings(false, true).empty()) << "block 0 wrote to its own, which block 1 reads";
  EXPECT_EQ(cluster_findings(true, true).size(), 32u);
  EXPECT_EQ(cluster_findings(false, false).size(), 32u);
}

TEST(InitialisationCheck, SaysTheSameOnOneHostThreadAndOnSeveral) {
  const auto found_on = [](unsigned host_threads) {
    KernelRun run(reading_kernel(R"(
  mov.u32 %r1, %ctaid.x;
  setp.ne.u32 %even, %r1, 37;
  @%even st.shared.u32 [%s], %r0;
  ld.shared.u32 %r1, [%s];)"));
    run.launch().block = {8, 1, 1};
    run.launch().grid = {300, 1, 1};
    run.launch().host_threads = host_threads;
    run.add_words({1}, "data");
    InitialisationCheck check;
    run.run_checked(check);
    std::vector<Dim3> places;
    for (const Finding& finding : by_thread(check.found().findings())) {
      places.push_back(finding.block);
      places.push_back(finding.thread);
    }
    return places;
  };
  const std::vector<Dim3> alone = found_on(1);
  ASSERT_EQ(alone.size(), 16u);
  EXPECT_EQ(alone[0], (Dim3{37, 0, 0}));
  EXPECT_EQ(found_on(4), alone);
}

TEST(InitialisationCheck, MbarriersAreNotReadAsMemory) {
  EXPECT_TRUE(findings_of(R"(
  setp.eq.u32 %even, %i, 0;
  @%even mbarrier.init.shared.b64 [box], 8;
  bar.sync 0;
  mbarrier.arrive.shared.b64 %p, [box];)")
                  .empty());
}

// --- what has no effect, and what has

TEST(InitialisationCheck, AValueThatIsDroppedIsNoFinding) {
  EXPECT_TRUE(findings_of("  ld.shared.u32 %r2, [%s];\n  add.u32 %r3, %r2, 1;").empty());
  EXPECT_TRUE(findings_of("  ld.shared.u32 %r2, [%s];\n  setp.eq.u32 %even, %i, %i;\n"
                          "  selp.u32 %r1, %r0, %r2, %even;")
                  .empty())
      << "the other operand was selected";
  EXPECT_TRUE(findings_of("  ld.shared.u32 %r2, [%s];\n  and.b32 %r1, %r2, 0;").empty());
}

TEST(InitialisationCheck, ABranchAndAnAddressAreUses) {
  const auto branch = findings_of(
      "  ld.shared.u32 %r2, [%s];\n  setp.eq.u32 %even, %r2, 1;\n  @%even bra NEXT;\n  mov.u32 %r0, 2;\nNEXT:");
  ASSERT_EQ(branch.size(), 8u);
  EXPECT_NE(branch[0].message.find("decides what is executed"), std::string::npos) << branch[0].message;
  const auto address = findings_of(
      "  ld.shared.u32 %r2, [%s];\n  and.b32 %r2, %r2, 63;\n  add.u32 %r2, %r2, %b;\n"
      "  and.b32 %r2, %r2, 60;\n  ld.shared.u32 %r3, [%r2];");
  ASSERT_EQ(address.size(), 8u);
  EXPECT_NE(address[0].message.find("part of an address"), std::string::npos) << address[0].message;
}

TEST(InitialisationCheck, ShufflesAndPackedMovesAreFollowed) {
  const std::string half_written =
      "  setp.lt.u32 %even, %i, 16;\n  @%even st.shared.u32 [%s], %r0;\n"
      "  bar.sync 0;\n  ld.shared.u32 %r2, [%s];\n";
  EXPECT_TRUE(findings_of(half_written + "  shfl.sync.idx.b32 %r1, %r2, 3, 31, 0xffffffff;", 32).empty())
      << "lane 3 has written";
  EXPECT_EQ(findings_of(half_written + "  shfl.sync.idx.b32 %r1, %r2, 19, 31, 0xffffffff;\n  add.u32 %r1, %r1, 1;", 32)
                .size(),
            1u + 15u)
      << "all lanes store lane 19's: 16 lanes read the unwritten half themselves, and are named";
  const std::string low_half =
      "  .reg .b16 %h<3>;\n  mov.b16 %h0, 5;\n  st.shared.u16 [%s], %h0;\n"
      "  ld.shared.u32 %r2, [%s];\n  mov.b32 {%h1, %h2}, %r2;\n";
  EXPECT_TRUE(findings_of(low_half + "  cvt.u32.u16 %r1, %h1;\n  add.u32 %r1, %r1, 1;").empty());
  EXPECT_EQ(findings_of(low_half + "  cvt.u32.u16 %r1, %h2;\n  add.u32 %r1, %r1, 1;").size(), 8u);
  EXPECT_TRUE(findings_of(low_half + "  prmt.b32 %r1, %r2, 0, 0x4410;\n  add.u32 %r1, %r1, 1;").empty());
  EXPECT_EQ(findings_of(low_half + "  shr.u32 %r1, %r2, 12;\n  add.u32 %r1, %r1, 1;").size(), 8u);
  EXPECT_TRUE(findings_of(low_half + "  shl.b32 %r1, %r2, 16;\n  add.u32 %r1, %r1, 1;").empty());
}

// --- registers, local and global memory

TEST(InitialisationCheck, ARegisterThatNothingWroteIsFoundWhereItIsComputedWith) {
  const auto found = findings_of("  add.u32 %r1, %r4, 1;");
  ASSERT_EQ(found.size(), 8u);
  EXPECT_EQ(found[0].message,
            "operand 2 of the instruction is a register that nothing has written; the value goes into a result at PTX "
            "line 20");
  EXPECT_TRUE(findings_of("  mov.u32 %r3, %r4;").empty()) << "a move is no use";
  EXPECT_TRUE(findings_of("  @%even mov.u32 %r4, 1;\n  @%even add.u32 %r1, %r4, 1;").empty())
      << "the lanes that wrote it use it";
  EXPECT_EQ(findings_of("  @%even mov.u32 %r4, 1;\n  add.u32 %r1, %r4, 1;").size(), 4u);
}

TEST(InitialisationCheck, ARegisterThatNothingWroteIsFoundWhereAnAtomicTakesIt) {
  for (const char* atomic : {"  red.global.add.u32 [%p], %r3;", "  atom.global.cas.b32 %r2, [%p], %r0, %r3;"}) {
    const auto found = findings_of(atomic, 1);
    ASSERT_EQ(found.size(), 1u) << atomic;
    EXPECT_EQ(found[0].kind, FindingKind::uninitialised);
    EXPECT_NE(found[0].message.find("is a register that nothing has written"), std::string::npos) << found[0].message;
  }
}

TEST(InitialisationCheck, LocalMemoryStartsUnwritten) {
  const std::string local = "  .local .align 4 .b32 mine[4];\n";
  EXPECT_EQ(findings_of(local + "  ld.local.u32 %r2, [mine+4];\n  add.u32 %r1, %r2, 1;").size(), 8u);
  EXPECT_TRUE(findings_of(local + "  st.local.u32 [mine+4], %r0;\n  ld.local.u32 %r2, [mine+4];\n"
                                  "  add.u32 %r1, %r2, 1;")
                  .empty());
}

// A kernel with an input and an output of 32 words, of which nothing has written the output.
std::vector<Finding> global_findings(const std::string& body) {
  KernelRun run(R"(
.visible .entry kernel(.param .u64 in, .param .u64 out)
{
  .reg .b32 %i, %r<5>;
  .reg .f32 %f<4>;
  .reg .b64 %in, %out;
  mov.u32 %i, %tid.x;
  ld.param.u64 %in, [in];
  ld.param.u64 %out, [out];
  mad.wide.u32 %in, %i, 4, %in;
  mad.wide.u32 %out, %i, 4, %out;
)" + body + "\n  ret;\n}\n");
  run.launch().block = {32, 1, 1};
  run.add_words(std::vector<uint32_t>(32, 0x3f800000), "in");
  const uint64_t out = run.add_words(std::vector<uint32_t>(32, 0x7fc12345), "out");
  UnwrittenMemory unwritten;
  unwritten.add(out, 128);
  InitialisationCheck check(&unwritten);
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return by_thread(check.found().findings());
}

TEST(InitialisationCheck, AnOutputThatNobodyWroteMayNotBeReadIntoAResult) {
  const auto found = global_findings(R"(
  ld.global.f32 %f0, [%in];
  ld.global.f32 %f1, [%out];
  max.f32 %f2, %f0, %f1;
  st.global.f32 [%out], %f2;)");
  ASSERT_EQ(found.size(), 32u) << "fmaxf hides a NaN, but not from us";
  EXPECT_EQ(found[0].space, Space::global);
  EXPECT_EQ(found[0].instruction, "ld.global.f32 %f1, [%out];");
  EXPECT_TRUE(global_findings(R"(
  st.global.f32 [%out], 0f00000000;
  ld.global.f32 %f0, [%in];
  ld.global.f32 %f1, [%out];
  max.f32 %f2, %f0, %f1;
  st.global.f32 [%out], %f2;)")
                  .empty());
}

TEST(InitialisationCheck, AnAccumulatorThatNobodyClearedIsFound) {
  const auto found = global_findings("  atom.global.add.u32 %r0, [%out], 1;");
  ASSERT_EQ(found.size(), 32u);
  EXPECT_EQ(found[0].access, AccessKind::atomic);
  EXPECT_EQ(global_findings("  red.global.add.u32 [%out], 1;").size(), 32u);
  EXPECT_TRUE(global_findings("  st.global.u32 [%out], 0;\n  atom.global.add.u32 %r0, [%out], 1;").empty());
}

TEST(InitialisationCheck, CopyingUnwrittenGlobalBytesIsNoUse) {
  EXPECT_TRUE(global_findings("  ld.global.u32 %r0, [%out];\n  st.global.u32 [%out], %r0;").empty());
}

TEST(InitialisationCheck, EachByteOfARegisterOf128BitsIsFollowed) {
  const std::string body = R"(
  .reg .b128 %q;
  .reg .b64 %low, %high;
  shl.b32 %s, %i, 4;
  add.u32 %s, %b, %s;
  st.shared.u32 [%s+8], %r0;
  bar.sync 0;
  ld.shared.b128 %q, [%s];
  mov.b128 {%low, %high}, %q;
)";
  EXPECT_TRUE(findings_of(body + "  cvt.u32.u64 %r1, %high;").empty()) << "its low half has been written";
  EXPECT_EQ(findings_of(body + "  cvt.u32.u64 %r1, %low;").size(), 8u);
  EXPECT_EQ(findings_of(body + "  shr.u64 %high, %high, 32;\n  cvt.u32.u64 %r1, %high;").size(), 8u);
}

TEST(InitialisationCheck, TheSharedMemoryThatTheSystemReservesIsNotTheKernelsToWriteFirst) {
  const std::string load = "  ld.shared.u32 %r1, [%s];";
  EXPECT_TRUE(findings_of("  mov.u32 %s, %reserved_smem_offset_1;\n" + load).empty());
  EXPECT_EQ(findings_of("  mov.u32 %b, %reserved_smem_offset_1;\n" + load).size(), 8u) << "the kernel's own is";
}

TEST(InitialisationCheck, AKernelThatCannotBeExecutedDoesNotHinderOthersOfItsModule) {
  KernelRun run(R"(
.visible .entry refused()
{
  .reg .b32 %r<2>;
  add.u32 %r0, %r1, 1;
  frobnicate.u32 %r0;
  ret;
}
.visible .entry kernel(.param .u64 data)
{
  .reg .b64 %p;
  ld.param.u64 %p, [data];
  st.global.u32 [%p], 7;
  ret;
}
)");
  const uint64_t data = run.add_words({0}, "data");
  InitialisationCheck check;
  EXPECT_FALSE(run.run_checked(check).fault.has_value());
  EXPECT_TRUE(check.found().findings().empty());
  EXPECT_EQ(run.words(data, 1), std::vector<uint32_t>{7});
}

}  // namespace
}  // namespace assay::vgpu
