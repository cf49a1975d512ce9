// SPDX-License-Identifier: MIT
// What orders accesses and what does not: pairs of kernels that differ in one thing.
#include "vgpu/observe/race_check.hpp"

#include <fmt/format.h>

#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

// Thread i of block %b: %p the parameter, %at = %p + 4 (i + 128 b), %s the address of its word of shared memory, %n
// that of its neighbour (i ^ 1), %far that of the thread 32 on.
std::string kernel_with(const std::string& body) {
  return R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 128 .b8 box[4096];
  .shared .align 8 .b8 bar[64];
  .reg .b32 %i, %b, %g, %r, %v, %s, %n, %far, %t, %bar;
  .reg .b64 %at, %p, %q, %state;
  .reg .pred %first, %low, %o, %warp0;
  mov.u32 %i, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %r, 7;
  mov.u32 %bar, bar;
  mov.u32 %t, box;
  mad.lo.u32 %s, %i, 4, %t;
  xor.b32 %v, %i, 1;
  mad.lo.u32 %n, %v, 4, %t;
  xor.b32 %v, %i, 32;
  mad.lo.u32 %far, %v, 4, %t;
  ld.param.u64 %p, [data];
  mad.lo.u32 %g, %b, 128, %i;
  mad.wide.u32 %at, %g, 4, %p;
  setp.eq.u32 %first, %i, 0;
  setp.lt.u32 %low, %i, 16;
  setp.lt.u32 %warp0, %i, 32;
)" + body +
         R"(
  ret;
}
)";
}

struct Races {
  std::vector<Finding> findings;
  std::string first() const { return findings.empty() ? "" : findings.front().message; }
};

Races races_found(const std::string& body, uint32_t threads, uint32_t blocks, const char* model, uint32_t cluster,
                  bool one_by_one) {
  KernelRun run(kernel_with(body), model);
  run.launch().block = {threads, 1, 1};
  run.launch().grid = {blocks, 1, 1};
  run.launch().cluster = {cluster, 1, 1};
  run.add_words(std::vector<uint32_t>(8192, 0), "data");
  RaceCheck check;
  check.one_by_one = one_by_one;
  const LaunchResult result = run.run_checked(check);
  EXPECT_FALSE(result.fault.has_value()) << result.fault->message;
  return {check.findings()};
}

// What lanes find that are looked at together is what each finds by itself.
Races races(const std::string& body, uint32_t threads = 64, uint32_t blocks = 1, const char* model = "h100",
            uint32_t cluster = 1) {
  const Races found = races_found(body, threads, blocks, model, cluster, false);
  const Races slowly = races_found(body, threads, blocks, model, cluster, true);
  EXPECT_EQ(found.findings.size(), slowly.findings.size()) << body;
  for (size_t i = 0; i < std::min(found.findings.size(), slowly.findings.size()); ++i) {
    EXPECT_EQ(found.findings[i].message, slowly.findings[i].message) << body;
    EXPECT_EQ(found.findings[i].count, slowly.findings[i].count) << body;
    EXPECT_EQ(found.findings[i].thread, slowly.findings[i].thread) << body;
  }
  return found;
}

TEST(RaceCheck, MemoryOrdersAreReadFromTheOpcode) {
  EXPECT_FALSE(memory_order_of("ld.global.u32").strong);
  EXPECT_TRUE(memory_order_of("ld.volatile.global.u32").wide);
  const MemoryOrder acquire = memory_order_of("ld.acquire.cta.u32");
  EXPECT_TRUE(acquire.strong && acquire.acquires && !acquire.releases && !acquire.wide);
  const MemoryOrder both = memory_order_of("atom.add.acq_rel.gpu.u32");
  EXPECT_TRUE(both.reads_and_writes && both.acquires && both.releases && both.wide);
  EXPECT_FALSE(memory_order_of("atom.global.add.u32").releases);
  EXPECT_TRUE(memory_order_of("membar.gl").wide);
  EXPECT_FALSE(memory_order_of("fence.proxy.async").wide && memory_order_of("fence.proxy.async").acquires);
}

// --- warps of a block

constexpr const char* kStore = "st.shared.u32 [%s], %i;\n";
constexpr const char* kReadFar = "ld.shared.u32 %v, [%far];\n";

TEST(RaceCheck, WarpsThatExchangeWithoutABarrier) {
  const Races found = races(std::string(kStore) + kReadFar);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].kind, FindingKind::race);
  EXPECT_EQ(found.findings[0].space, Space::shared);
  EXPECT_NE(found.first().find("this thread writes what thread (0, 0, 0) of the same block read at line"),
            std::string::npos)
      << found.first();
  EXPECT_NE(found.first().find("nothing orders the two accesses"), std::string::npos);
  EXPECT_EQ(found.findings[0].count, 64u) << "every thread's word, whichever access came first";
}
TEST(RaceCheck, ABarrierOrders) {
  EXPECT_TRUE(races(std::string(kStore) + "bar.sync 0;\n" + kReadFar).findings.empty());
}
TEST(RaceCheck, ABarrierBetweenReadingAndOverwriting) {
  const std::string exchange = std::string(kStore) + "bar.sync 0;\n" + kReadFar;
  EXPECT_EQ(races(exchange + kStore).findings.size(), 1u);
  EXPECT_TRUE(races(exchange + "bar.sync 0;\n" + kStore).findings.empty());
}
TEST(RaceCheck, ArrivingAloneOrdersOnlyForThoseWhoWait) {
  // Warp 0 arrives and goes on; warp 1 waits for it.
  const std::string arrive = "@!%warp0 bra wait;\nst.shared.u32 [%s], %i;\nbar.arrive 1, 64;\n@%warp0 bra done;\n";
  EXPECT_TRUE(races(arrive + "wait:\nbar.sync 1, 64;\nld.shared.u32 %v, [%far];\ndone:\n").findings.empty());
  const std::string late = "@!%warp0 bra wait;\nbar.arrive 1, 64;\nst.shared.u32 [%s], %i;\nbra done;\n";
  EXPECT_EQ(races(late + "wait:\nbar.sync 1, 64;\nld.shared.u32 %v, [%far];\ndone:\n").findings.size(), 1u);
}
TEST(RaceCheck, BytesOfOneWordAreDifferentPlaces) {
  EXPECT_TRUE(races("add.u32 %t, %t, %i;\nst.shared.u8 [%t], %r;\n").findings.empty());
  EXPECT_FALSE(races("shr.u32 %v, %i, 1;\nadd.u32 %t, %t, %v;\nst.shared.u8 [%t], %i;\nbar.warp.sync 0xffffffff;\n"
                     "add.u32 %t, %t, 1;\nst.shared.u8 [%t], %i;\n")
                   .findings.empty());
}

// --- lanes of a warp

constexpr const char* kReadNeighbour = "ld.shared.u32 %v, [%n];\n";

TEST(RaceCheck, LanesAreOrderedByWarpSynchronisationAlone) {
  EXPECT_EQ(races(std::string(kStore) + kReadNeighbour, 32).findings.size(), 1u);
  EXPECT_TRUE(races(std::string(kStore) + "bar.warp.sync 0xffffffff;\n" + kReadNeighbour, 32).findings.empty());
}
// They wait for each other, which is not to say that their accesses are seen.
TEST(RaceCheck, ShufflesAndVotesOrderNoMemory) {
  for (const std::string collective :
       {"shfl.sync.idx.b32 %v, %i, 0, 31, 0xffffffff;\n", "vote.sync.ballot.b32 %v, %low, 0xffffffff;\n",
        "match.any.sync.b32 %v, %i, 0xffffffff;\n"}) {
    const Races found = races(kStore + collective + kReadNeighbour, 32);
    ASSERT_EQ(found.findings.size(), 1u) << collective;
    const std::string name = "the " + collective.substr(0, collective.find('.')) + " between them";
    EXPECT_NE(found.first().find(name), std::string::npos) << found.first();
    EXPECT_NE(found.first().find("orders no memory"), std::string::npos) << found.first();
    EXPECT_TRUE(races(kStore + collective + "bar.warp.sync 0xffffffff;\n" + kReadNeighbour, 32).findings.empty());
    // One before both accesses, or of other lanes, is not to blame.
    for (const std::string& elsewhere :
         {collective + kStore + kReadNeighbour,
          kStore + ("@%first shfl.sync.idx.b32 %v, %i, 0, 31, 1;\n" + std::string(kReadNeighbour))}) {
      const Races plain = races(elsewhere, 32);
      ASSERT_EQ(plain.findings.size(), 1u) << elsewhere;
      EXPECT_NE(plain.first().find("nothing orders the two accesses"), std::string::npos) << plain.first();
    }
  }
}
// What they exchange was read before: it is not overwritten under way.
TEST(RaceCheck, WhatWasReadBeforeAShuffleMayBeOverwrittenBehindIt) {
  const std::string read = "ld.shared.u32 %v, [box];\n", overwrite = "@%first st.shared.u32 [box], %r;\n";
  const std::string shuffle = "shfl.sync.idx.b32 %t, %v, 0, 31, 0xffffffff;\n";
  EXPECT_EQ(races(read + overwrite, 32).findings.size(), 1u);
  EXPECT_TRUE(races(read + shuffle + overwrite, 32).findings.empty());
  EXPECT_EQ(races(shuffle + read + overwrite, 32).findings.size(), 1u);
  // Only lane 0 overwrites, and half of the lanes have not met it.
  const std::string halves = "selp.b32 %t, 0x0000ffff, 0xffff0000, %low;\nshfl.sync.idx.b32 %n, %v, 0, 31, %t;\n";
  EXPECT_EQ(races(read + "setp.lt.u32 %low, %i, 16;\n" + halves + overwrite, 32).findings.size(), 1u);
  // Another warp reads too.
  EXPECT_EQ(races(read + shuffle + overwrite, 64).findings.size(), 1u);
}
TEST(RaceCheck, AMaskOrdersItsMembersAlone) {
  const std::string halves = "selp.b32 %t, 0x0000ffff, 0xffff0000, %low;\nbar.warp.sync %t;\n";
  EXPECT_TRUE(races(kStore + halves + kReadNeighbour, 32).findings.empty());
  const std::string across = "xor.b32 %v, %i, 16;\nmov.u32 %t, box;\nmad.lo.u32 %n, %v, 4, %t;\n";
  EXPECT_EQ(races(kStore + halves + across + kReadNeighbour, 32).findings.size(), 1u);
}
// What a lane learns of another warp it hands on by a shuffle; what lanes of its own warp did, it does not.
TEST(RaceCheck, WhatALaneHasAcquiredHoldsForThoseItExchangesValuesWith) {
  const std::string produce =
      "@%warp0 st.shared.u32 [%s], %r;\nbar.warp.sync 0xffffffff;\n"
      "@%first st.release.cta.shared.u32 [box+512], %r;\n@%warp0 ret;\n";
  const std::string consume = "setp.eq.u32 %first, %i, 32;\n@%first ld.acquire.cta.shared.u32 %v, [box+512];\n";
  const std::string shuffle = "shfl.sync.idx.b32 %v, %v, 0, 31, 0xffffffff;\n";
  const std::string read = "ld.shared.u32 %v, [%far];\n";
  EXPECT_TRUE(races(produce + consume + shuffle + read).findings.empty());
  EXPECT_EQ(races(produce + consume + read).findings.size(), 1u);
  const std::string store = "st.shared.u32 [%s], %r;\n";
  EXPECT_EQ(races(produce + store + consume + shuffle + read + kReadNeighbour).findings.size(), 1u);
}
TEST(RaceCheck, WhatOneLaneReadsAllLanesRead) {
  const Races read = races("@%warp0 ld.shared.u32 %v, [box];\n@%first st.shared.u32 [box], %r;\n", 32);
  ASSERT_EQ(read.findings.size(), 1u);
  EXPECT_NE(read.first().find("thread (1, 0, 0)"), std::string::npos) << "not itself: " << read.first();
  EXPECT_TRUE(races("ld.shared.u32 %v, [box];\nbar.warp.sync 0xffffffff;\n@%first st.shared.u32 [box], %r;\n", 32)
                  .findings.empty());
}

// --- values

TEST(RaceCheck, SameValuesAreNamed) {
  const Races same = races("@!%low st.shared.u32 [box], %r;\n");
  ASSERT_EQ(same.findings.size(), 1u);
  EXPECT_NE(same.first().find("both store the same value"), std::string::npos) << same.first();
  const Races different = races("shr.u32 %v, %i, 5;\n@!%low st.shared.u32 [box], %v;\n");
  ASSERT_EQ(different.findings.size(), 1u);
  EXPECT_EQ(different.first().find("both store the same value"), std::string::npos);
}

// --- blocks

TEST(RaceCheck, BlocksThatTouchOnePlace) {
  EXPECT_TRUE(races("st.global.u32 [%at], %i;\nld.global.u32 %v, [%p+20000];\n", 64, 3).findings.empty());
  const Races found = races("@%first st.global.u32 [%p], %b;\n", 64, 3);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_NE(found.first().find("thread (0, 0, 0) of block (0, 0, 0) wrote"), std::string::npos) << found.first();
  EXPECT_EQ(found.findings[0].block, (Dim3{1, 0, 0}));
  EXPECT_EQ(races("ld.global.u32 %v, [%p+4];\n@%first st.global.u32 [%at], %b;\nmad.wide.u32 %q, %b, 4, %p;\n"
                  "@%first st.global.u32 [%q], %b;\n",
                  64, 2)
                .findings.size(),
            1u);
}
// The findings of a program whose lanes are so many bytes apart: [%q] is the lane's place, [%at] that of lane 1.
std::vector<Finding> races_at_distance(uint32_t bytes, const std::string& body, uint32_t blocks = 2) {
  const std::string places =
      fmt::format("and.b32 %v, %i, 31;\nmad.wide.u32 %q, %v, {0}, %p;\nadd.s64 %at, %p, {0};\n", bytes);
  return races(places + body, 64, blocks).findings;
}

TEST(RaceCheck, LanesFarApartAreJudgedAsNeighboursAre) {
  constexpr uint32_t kNear = 4, kFar = 1028;
  for (const std::string body : {
           "@%warp0 st.global.u32 [%q], %i;\nbar.sync 0;\n@!%warp0 ld.global.u32 %v, [%q];\n",
           "ld.global.u32 %v, [%q];\nld.global.u16 %v, [%q+2];\nbar.sync 0;\n@%warp0 st.global.u8 [%q], %i;\n",
       }) {
    EXPECT_TRUE(races_at_distance(kFar, body, 1).empty()) << body;
  }
  for (const std::string body : {
           "st.global.u32 [%q], %i;\n",
           "ld.global.u32 %v, [%q];\nst.global.u32 [%q], %i;\n",
           "st.global.u32 [%q], %i;\nbar.sync 0;\nld.global.u32 %v, [%q];\nld.global.u8 %v, [%q+1];\n",
           "@%warp0 st.global.u32 [%q], %i;\nbar.sync 0;\nld.global.u32 %v, [%q];\nst.global.u16 [%q], %i;\n",
           "ld.global.u8 %v, [%q];\nld.global.u8 %v, [%q+1];\nbar.sync 0;\n@%warp0 st.global.u32 [%q], %i;\n",
           "@%low ld.global.u32 %v, [%q];\n@!%low st.global.u32 [%q], %i;\nst.global.u32 [%q], %r;\n",
           "@!%first mov.b64 %q, %at;\nld.global.u32 %v, [%q];\nst.global.u32 [%at], %i;\n",
       }) {
    const auto near = races_at_distance(kNear, body), far = races_at_distance(kFar, body);
    EXPECT_FALSE(far.empty()) << body;
    ASSERT_EQ(near.size(), far.size()) << body;
    for (size_t i = 0; i < near.size(); ++i) {
      EXPECT_EQ(near[i].message, far[i].message) << body;
      EXPECT_EQ(near[i].count, far[i].count) << body;
      EXPECT_EQ(near[i].thread, far[i].thread) << body;
      EXPECT_EQ(near[i].block, far[i].block) << body;
      EXPECT_EQ(near[i].ptx_line, far[i].ptx_line) << body;
    }
  }
}

TEST(RaceCheck, AtomicsDoNotRaceAndMixedAccessesDo) {
  EXPECT_TRUE(races("atom.global.add.u32 %v, [%p], 1;\nred.global.max.u32 [%p+4], %i;\n", 64, 3).findings.empty());
  EXPECT_TRUE(races("st.volatile.global.u32 [%p], %i;\nld.relaxed.gpu.global.u32 %v, [%p];\n", 64, 3).findings.empty());
  EXPECT_FALSE(races("atom.global.add.u32 %v, [%p], 1;\nld.global.u32 %v, [%p];\n", 64, 3).findings.empty());
  EXPECT_FALSE(races("atom.cta.global.add.u32 %v, [%p], 1;\n", 64, 3).findings.empty()) << "the scope is too narrow";
  EXPECT_TRUE(races("atom.cta.global.add.u32 %v, [%p], 1;\n", 64, 1).findings.empty());
}

// Volatile and relaxed accesses of a whole warp, in rows, far apart, to one place, beside weak ones.
// "old = *p; do { seen = old; old = atomicCAS(p, seen, f(seen)); } while (old != seen);"
TEST(RaceCheck, TheFirstGuessOfAnExchangeIsNoRace) {
  const std::string loop =
      "again:\nadd.u32 %v, %r, 1;\natom.shared.cas.b32 %v, [%t], %r, %v;\nsetp.ne.u32 %o, %r, %v;\nmov.u32 %r, %v;\n"
      "@%o bra again;\n";
  EXPECT_TRUE(races("st.shared.u32 [%s], %r;\nbar.sync 0;\nld.shared.u32 %r, [box];\n" + loop).findings.empty());
  const std::string written = "st.shared.u32 [%s], %r;\nbar.sync 0;\n";
  EXPECT_FALSE(races(written + "ld.shared.u32 %b, [box];\nadd.u32 %r, %b, 0;\n" + loop).findings.empty())
      << "what is computed from it is compared";
  EXPECT_FALSE(races(written + loop + "ld.shared.u32 %b, [box];\n").findings.empty()) << "the result is no guess";
}
TEST(RaceCheck, StrongAccessesOfAWarpAreJudgedTogether) {
  const std::string far = "mad.wide.u32 %q, %i, 1028, %p;\n";
  const std::string near = "mad.wide.u32 %q, %i, 4, %p;\n";
  for (const std::string& places : {near, far}) {
    for (const char* body :
         {"st.volatile.global.u32 [%q], %i;\nst.volatile.global.u32 [%q], %r;\nld.volatile.global.u32 %v, [%q];\n",
          "red.global.add.u32 [%q], %i;\natom.global.max.u32 %v, [%q], %i;\n",
          "ld.relaxed.gpu.global.u32 %v, [%q];\nst.relaxed.gpu.global.u32 [%q], %i;\n",
          "@%low st.volatile.global.u32 [%q], %i;\n@!%low ld.global.u32 %v, [%q];\nld.volatile.global.u32 %v, [%q];\n"})
      EXPECT_TRUE(races(places + body, 32, 3).findings.empty()) << body;
    for (const char* body :
         {"st.volatile.global.u32 [%q], %i;\nld.global.u32 %v, [%q];\n",
          "st.global.u32 [%q], %i;\nst.volatile.global.u32 [%q], %r;\n",
          "ld.global.nc.u32 %v, [%q];\nst.volatile.global.u32 [%q], %r;\n",
          "ld.global.u32 %v, [%q];\nred.global.add.u32 [%q], %i;\n",
          "st.volatile.global.u8 [%q+1], %i;\nld.volatile.global.u32 %v, [%q];\nst.global.u16 [%q], %i;\n",
          "st.relaxed.cta.global.u32 [%q], %i;\n"})
      EXPECT_FALSE(races(places + body, 32, 3).findings.empty()) << body;
  }
  EXPECT_TRUE(races("st.volatile.shared.u32 [box], %i;\nld.volatile.shared.u32 %v, [box];\n").findings.empty());
  EXPECT_FALSE(races("st.volatile.shared.u32 [box], %i;\nld.shared.u32 %v, [box];\n").findings.empty());
  // A fence hands on what was written before it, a lane at a time.
  EXPECT_TRUE(races("st.shared.u32 [%s], %i;\nmembar.cta;\nst.volatile.shared.u32 [%s+1024], %r;\nspin:\n"
                    "ld.volatile.shared.u32 %v, [%far+1024];\nsetp.ne.u32 %o, %v, 7;\n@%o bra spin;\nmembar.cta;\n"
                    "ld.shared.u32 %v, [%far];\n")
                  .findings.empty());
  EXPECT_FALSE(races("st.shared.u32 [%s], %i;\nst.volatile.shared.u32 [%s+1024], %r;\nspin:\n"
                     "ld.volatile.shared.u32 %v, [%far+1024];\nsetp.ne.u32 %o, %v, 7;\n@%o bra spin;\nmembar.cta;\n"
                     "ld.shared.u32 %v, [%far];\n")
                   .findings.empty());
}

// Block 0 hands a value to block 1: %sync stands for how.
std::string handover(const std::string& send, const std::string& receive) {
  return fmt::format(R"(
  setp.ne.u32 %o, %b, 0;
  @%o bra receive;
  st.global.u32 [%at+16384], %i;
  bar.sync 0;
  @!%first bra done;
  {}
  bra done;
receive:
  @!%first bra joined;
wait:
  {}
  setp.eq.u32 %o, %v, 0;
  @%o bra wait;
  {}
joined:
  bar.sync 0;
  mad.wide.u32 %q, %i, 4, %p;
  ld.global.u32 %v, [%q+16384];
done:
)",
                     send, receive.substr(0, receive.find('|')), receive.substr(receive.find('|') + 1));
}

TEST(RaceCheck, ReleaseAndAcquireOrder) {
  const char* acquire = "ld.acquire.gpu.global.u32 %v, [%p];|";
  EXPECT_TRUE(races(handover("st.release.gpu.global.u32 [%p], %r;", acquire), 64, 2).findings.empty());
  EXPECT_FALSE(races(handover("st.relaxed.gpu.global.u32 [%p], %r;", acquire), 64, 2).findings.empty());
  EXPECT_FALSE(races(handover("st.release.cta.global.u32 [%p], %r;", acquire), 64, 2).findings.empty());
  EXPECT_FALSE(races(handover("st.release.gpu.global.u32 [%p], %r;", "ld.acquire.cta.global.u32 %v, [%p];|"), 64, 2)
                   .findings.empty());
  EXPECT_TRUE(races(handover("atom.add.release.gpu.global.u32 %v, [%p], 1;", acquire), 64, 2).findings.empty());
  EXPECT_TRUE(races(handover("red.release.gpu.global.add.u32 [%p], 1;", acquire), 64, 2).findings.empty());
}
TEST(RaceCheck, FencesBesideVolatileFlagsOrder) {
  const char* fenced = "ld.volatile.global.u32 %v, [%p];|membar.gl;";
  EXPECT_TRUE(races(handover("membar.gl;\nst.volatile.global.u32 [%p], %r;", fenced), 64, 2).findings.empty());
  EXPECT_FALSE(races(handover("st.volatile.global.u32 [%p], %r;", fenced), 64, 2).findings.empty());
  EXPECT_FALSE(races(handover("membar.cta;\nst.volatile.global.u32 [%p], %r;", fenced), 64, 2).findings.empty());
  EXPECT_TRUE(races(handover("membar.gl;\natom.global.exch.b32 %v, [%p], 1;", fenced), 64, 2).findings.empty());
}
TEST(RaceCheck, AReleaseBeforeTheBarrierLeavesOthersOut) {
  const std::string body = R"(
  setp.ne.u32 %o, %b, 0;
  @%o bra receive;
  st.global.u32 [%at+16384], %i;
  @%first st.release.gpu.global.u32 [%p], %r;
  bra done;
receive:
  @!%first bra joined;
wait:
  ld.acquire.gpu.global.u32 %v, [%p];
  setp.eq.u32 %o, %v, 0;
  @%o bra wait;
joined:
  bar.sync 0;
  mad.wide.u32 %q, %i, 4, %p;
  ld.global.u32 %v, [%q+16384];
done:
)";
  const Races found = races(body, 64, 2);
  ASSERT_EQ(found.findings.size(), 1u);
  EXPECT_EQ(found.findings[0].count, 63u) << "thread 0's own word is ordered";
}
// The last block adds up what all have written: NVIDIA's threadFenceReduction.
TEST(RaceCheck, TheLastBlockTakesATicket) {
  const auto reduction = [](const char* fence) {
    return fmt::format(R"(
  @%first st.global.u32 [%at+16384], %i;
  {}
  @!%first bra joined;
  atom.global.inc.u32 %v, [%p], 100;
  st.shared.u32 [box], %v;
joined:
  bar.sync 0;
  ld.shared.u32 %v, [box];
  mov.u32 %t, %nctaid.x;
  sub.u32 %t, %t, 1;
  setp.ne.u32 %o, %v, %t;
  @%o bra done;
  mul.lo.u32 %v, %i, 512;
  cvt.u64.u32 %q, %v;
  add.u64 %q, %q, %p;
  setp.gt.u32 %o, %i, %t;
  @!%o ld.global.u32 %v, [%q+16384];
done:
)",
                       fence);
  };
  EXPECT_TRUE(races(reduction("membar.gl;"), 64, 4).findings.empty());
  EXPECT_FALSE(races(reduction(""), 64, 4).findings.empty());
}
// A lock: taken with a fence behind it, given back with one before.
TEST(RaceCheck, ASpinLock) {
  const auto lock = [](const char* fence) {
    return fmt::format(R"(
  @!%first bra done;
acquire:
  atom.global.cas.b32 %v, [%p], 0, 1;
  setp.ne.u32 %o, %v, 0;
  @%o bra acquire;
  {0}
  ld.global.u32 %v, [%p+4];
  add.u32 %v, %v, 1;
  st.global.u32 [%p+4], %v;
  {0}
  atom.global.exch.b32 %v, [%p], 0;
done:
)",
                       fence);
  };
  EXPECT_TRUE(races(lock("membar.gl;"), 64, 4).findings.empty());
  EXPECT_FALSE(races(lock(""), 64, 4).findings.empty());
}

// --- mbarriers and copies

constexpr const char* kInit = "@%first mbarrier.init.shared.b64 [%bar], 32;\nbar.sync 0;\n";
constexpr const char* kWait = "wait:\nmbarrier.try_wait.parity.shared.b64 %o, [%bar], 0;\n@!%o bra wait;\n";

TEST(RaceCheck, MbarriersOrder) {
  const std::string send = std::string(kInit) +
                           "@!%warp0 bra wait;\nst.shared.u32 [%s], %i;\nmbarrier.arrive.shared.b64 %state, [%bar];\n"
                           "bra done;\n";
  EXPECT_TRUE(races(send + kWait + kReadFar + "done:\n").findings.empty());
  const std::string late = std::string(kInit) +
                           "@!%warp0 bra wait;\nmbarrier.arrive.shared.b64 %state, [%bar];\nst.shared.u32 [%s], %i;\n"
                           "bra done;\n";
  EXPECT_EQ(races(late + kWait + kReadFar + "done:\n").findings.size(), 1u);
}
TEST(RaceCheck, CopiesAreOrderedByTheirWait) {
  const std::string copy = "cp.async.ca.shared.global [%s], [%at], 4;\n";
  EXPECT_TRUE(races(copy + "cp.async.wait_all;\nbar.sync 0;\n" + kReadFar).findings.empty());
  const Races early = races(copy + "bar.sync 0;\n" + kReadFar + "cp.async.wait_all;\n");
  ASSERT_EQ(early.findings.size(), 1u);
  EXPECT_NE(early.first().find("the copy has not been waited for"), std::string::npos) << early.first();
  EXPECT_EQ(races(copy + "cp.async.wait_all;\n" + kReadFar).findings.size(), 1u) << "waited, and no barrier";
}
TEST(RaceCheck, BulkCopiesAreOrderedByTheirMbarrier) {
  const std::string issue = R"(
  @%first mbarrier.init.shared.b64 [%bar], 1;
  @%first mbarrier.init.shared.b64 [%bar+8], 1;
  bar.sync 0;
  @!%first bra issued;
  mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%p], 256, [%bar];
issued:
)";
  EXPECT_TRUE(races(issue + kWait + kReadFar).findings.empty());
  EXPECT_FALSE(races(issue + "bar.sync 0;\n" + kReadFar + kWait).findings.empty());
  // The next copy into the same place comes when all have read.
  const std::string again = R"(
  @!%first bra twice;
  mbarrier.arrive.expect_tx.shared.b64 %state, [%bar+8], 256;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [box], [%p], 256, [%bar+8];
twice:
  mbarrier.try_wait.parity.shared.b64 %o, [%bar+8], 0;
  @!%o bra twice;
)";
  EXPECT_TRUE(races(issue + kWait + kReadFar + "bar.sync 0;\n" + again).findings.empty());
  EXPECT_FALSE(races(issue + kWait + kReadFar + again).findings.empty());
}

// --- clusters

TEST(RaceCheck, ClusterBarriersOrder) {
  const std::string far = "mov.u32 %t, %cluster_ctarank;\nxor.b32 %t, %t, 1;\nmapa.shared::cluster.u32 %n, %s, %t;\n";
  const std::string read = "ld.shared::cluster.u32 %v, [%n];\n";
  const std::string barrier = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n";
  EXPECT_TRUE(races(kStore + far + barrier + read + barrier, 64, 4, "h100", 2).findings.empty());
  EXPECT_FALSE(races(kStore + far + read + barrier, 64, 4, "h100", 2).findings.empty());
}

}  // namespace
}  // namespace assay::vgpu
