// SPDX-License-Identifier: MIT
// The check fires on every way to read shared memory that nothing has written, and is silent where something has.
#include "vgpu/observe/initialisation_check.hpp"

#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// Thread i executes `body`, with %s = the address of word i of box, %p = the buffer, %r a word.
std::string kernel_with(const std::string& body) {
  return R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 16 .b8 box[256];
  .reg .b32 %i, %r<5>, %s, %b;
  .reg .b64 %p;
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
  ret;
}
)";
}

// With a buffer of 64 words.
std::vector<Finding> findings_of(const std::string& body, uint32_t threads = 8) {
  KernelRun run(kernel_with(body));
  run.launch().block = {threads, 1, 1};
  run.add_words(std::vector<uint32_t>(64, 5), "data");
  InitialisationCheck check;
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return check.found().findings();
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
  EXPECT_EQ(found[0].message, "read of 4 bytes of shared memory at 0x4, which nothing has written");
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
  ld.shared.u8 %r1, [box+31];
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
  ASSERT_EQ(found.size(), 8u);  // and not the loads that follow
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
  EXPECT_EQ(found[0].message,
            "read of 4 bytes of shared memory at 0x0, which an asynchronous copy is still to bring: nothing has waited "
            "for it");
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
  const std::string read = "  ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [%s];";
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
  .reg .pred %first;
  mov.u32 %i, %tid.x;
  mov.u32 %rank, %cluster_ctarank;
  setp.eq.u32 %first, %rank, 0;
  mov.u32 %s, box;
  mad.lo.u32 %s, %i, 4, %s;
  mov.u32 %r0, 1;
)" + far(writes_other) +
                    "  @%first st.shared::cluster.u32 [%far], %r0;\n" + barrier + far(reads_other) +
                    "  @!%first ld.shared::cluster.u32 %r1, [%far];\n" + barrier + "  ret;\n}\n",
                "h200");
  run.launch().block = {32, 1, 1};
  run.launch().grid = {2, 1, 1};
  run.launch().cluster = {2, 1, 1};
  run.add_words({1}, "data");
  InitialisationCheck check;
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return check.found().findings();
}

TEST(InitialisationCheck, KnowsWhoseSharedMemoryABlockOfAClusterMeans) {
  EXPECT_TRUE(cluster_findings(true, false).empty()) << "block 0 wrote to block 1, which reads its own";
  EXPECT_TRUE(cluster_findings(false, true).empty()) << "block 0 wrote to its own, which block 1 reads";
  EXPECT_EQ(cluster_findings(true, true).size(), 32u);
  EXPECT_EQ(cluster_findings(false, false).size(), 32u);
}

TEST(InitialisationCheck, SaysTheSameOnOneHostThreadAndOnSeveral) {
  const auto found_on = [](unsigned host_threads) {
    KernelRun run(kernel_with(R"(
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
    for (const Finding& finding : check.found().findings()) {
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

}  // namespace
}  // namespace assay::vgpu
