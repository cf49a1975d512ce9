// SPDX-License-Identifier: MIT
// Kernels whose work is known by hand: traffic of each level, waits, barriers, silent stores.
#include "vgpu/observe/tracing.hpp"

#include "vgpu/machine/kernel_run.hpp"
#include "vgpu/observe/samplable.hpp"

namespace assay::vgpu {
namespace {

using gpu::LaunchWork;
using gpu::Work;

// Thread i of the grid executes `body`; %i is the thread of the block, %p the parameter, %at = %p + 4 times the thread
// of the grid, %s shared memory at 4 i.
std::string traced_kernel(const std::string& body) {
  return R"(
.visible .entry kernel(.param .u64 data)
{
  .shared .align 128 .b8 box[8192];
  .reg .b32 %i, %b, %g, %r, %t, %u, %s, %n;
  .reg .f32 %f, %h;
  .reg .b64 %at, %p;
  .reg .pred %o;
  mov.u32 %i, %tid.x;
  mov.u32 %b, %ctaid.x;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %g, %b, %n, %i;
  mov.u32 %s, box;
  mad.lo.u32 %s, %i, 4, %s;
  mov.u32 %r, 1;
  mov.f32 %f, 0f3F800000;
  ld.param.u64 %p, [data];
  mad.wide.u32 %at, %g, 4, %p;
)" + body +
         R"(
  ret;
}
)";
}

LaunchWork trace(const std::string& body, Dim3 block = {32, 1, 1}, Dim3 grid = {1, 1, 1}, uint64_t blocks = 0) {
  KernelRun run(traced_kernel(body), "h200");
  run.launch().block = block;
  run.launch().grid = grid;
  run.add_words(std::vector<uint32_t>(65536, 5), "data");
  BlockSample sample = sample_blocks(grid, {1, 1, 1}, blocks);
  Tracing tracing(run.launch(), *gpu::find_model("h200"), sample);
  run.launch().observers = {&tracing};
  const auto result = run.gpu().launch(run.launch());
  EXPECT_TRUE(result.ok() && !result->fault) << (result && result->fault ? result->fault->message : "");
  return tracing.work();
}

TEST(Tracing, EachLevelHasItsOwnTraffic) {
  const LaunchWork work = trace("ld.global.u32 %t, [%at];\nld.global.u32 %u, [%at];", {128, 1, 1});
  EXPECT_EQ(work.total[Work::sectors_asked], 2 * 16);
  EXPECT_EQ(work.total[Work::l1_wavefronts], 2 * 4) << "128 bytes of each warp, twice";
  EXPECT_EQ(work.total[Work::l2_read_sectors], 16) << "the L1 has them the second time";
  EXPECT_EQ(work.total[Work::sectors_again_warp], 16);
  EXPECT_EQ(work.total[Work::sectors_again_block], 0);
  ASSERT_EQ(work.buffers.size(), 1u);
  EXPECT_EQ(work.buffers[0].name, "data");
  EXPECT_EQ(work.buffers[0].unique_read_bytes, 512);
  EXPECT_EQ(work.buffers[0].unique_written_bytes, 0);
}

TEST(Tracing, WarpsThatReadTheSameBytesAskTheL2Once) {
  const LaunchWork work = trace("ld.global.u32 %t, [%p];", {128, 1, 1});
  EXPECT_EQ(work.total[Work::sectors_asked], 4);
  EXPECT_EQ(work.total[Work::l2_read_sectors], 1);
  EXPECT_EQ(work.total[Work::sectors_again_block], 3);
  EXPECT_EQ(work.buffers[0].fetched_bytes, 64) << "DRAM gives two sectors at least";
}

TEST(Tracing, LoadsThatBypassTheL1AskTheL2EachTime) {
  EXPECT_EQ(trace("ld.global.cg.u32 %t, [%at];\nld.global.cg.u32 %u, [%at];").total[Work::l2_read_sectors], 8);
}

TEST(Tracing, UncoalescedAccessesTouchALineForEachLane) {
  const LaunchWork work = trace("mad.wide.u32 %at, %i, 512, %p;\nst.global.u32 [%at], %r;");
  EXPECT_EQ(work.total[Work::sectors_asked], 32);
  EXPECT_EQ(work.total[Work::sectors_ideal], 4);
  EXPECT_EQ(work.total[Work::l1_wavefronts], 32);
  EXPECT_EQ(work.total[Work::l2_write_sectors], 32);
}

TEST(Tracing, AChainOfProductsTakesItsLatencies) {
  const double one = trace("fma.rn.f32 %f, %f, %f, %f;").mean_chain.with_dram;
  std::string chain;
  std::string apart;
  for (int i = 0; i < 100; ++i) chain += "fma.rn.f32 %f, %f, %f, %f;\n";
  for (int i = 0; i < 100; ++i) apart += "fma.rn.f32 %h, %f, %f, %f;\n";
  EXPECT_NEAR(trace(chain).mean_chain.with_dram - one, 99 * 4, 8);
  EXPECT_NEAR(trace(apart).mean_chain.with_dram - one, 99, 4) << "they do not wait for each other";
}

TEST(Tracing, DataFromTheL2IsThereEarlierThanFromDram) {
  const LaunchWork work = trace("ld.global.u32 %t, [%at];\nadd.u32 %t, %t, 1;\nst.global.u32 [%at], %t;");
  const gpu::Rates& rates = gpu::rates_of(*gpu::find_model("h200"));
  EXPECT_NEAR(work.mean_chain.with_dram - work.mean_chain.with_l2, rates.latency_dram - rates.latency_l2, 1);
  EXPECT_GT(work.total[Work::wait_global], 0.8 * rates.latency_dram);
}

// `count` loads of the thread's own words, each added up behind the others.
std::string loads(int count, const std::string& load, const std::string& address, int step) {
  std::string result;
  for (int i = 0; i < count; ++i)
    result += load + " %t, [" + address + "+" + std::to_string(i * step) + "];\nadd.u32 %r, %r, %t;\n";
  return result;
}

TEST(Tracing, SixteenLoadsAreInFlight) {
  const gpu::Rates& rates = gpu::rates_of(*gpu::find_model("h200"));
  const auto chain = [&](int count) { return trace(loads(count, "ld.global.nc.u32", "%at", 128)).mean_chain.with_l2; };
  EXPECT_LT(chain(16), chain(1) + 150);
  EXPECT_GT(chain(17), chain(1) + 0.9 * rates.latency_l2);
}

TEST(Tracing, FewLoadsFromSharedMemoryAreInFlight) {
  const std::string fill = "st.shared.u32 [%s], %r;\nbar.sync 0;\n";
  const auto chain = [&](int count) { return trace(fill + loads(count, "ld.shared.u32", "%s", 0)).mean_chain.with_l2; };
  EXPECT_GT(chain(36) - chain(12), 40) << "two more rounds of 12";
}

TEST(Tracing, ALoadDoesNotPassAStoreToTheSameMemory) {
  const gpu::Rates& rates = gpu::rates_of(*gpu::find_model("h200"));
  const auto chain = [&](const std::string& load) {
    return trace(load + " %t, [%at];\nst.global.u32 [%at+4096], %t;\n" + load +
                 " %u, [%at+128];\nst.global.u32 [%at+8192], %u;")
        .mean_chain.with_l2;
  };
  EXPECT_GT(chain("ld.global.u32"), chain("ld.global.nc.u32") + 0.9 * rates.latency_l2);
}

TEST(Tracing, AShortBranchBecomesPredicates) {
  const auto chain = [](const std::string& skipped) {
    std::string body;
    for (int i = 0; i < 4; ++i) {
      const std::string n = std::to_string(i);
      body += "setp.eq.u32 %o, %i, 99;\n@%o bra next" + n + ";\nld.global.nc.u32 %t, [%at+" + std::to_string(128 * i) +
              "];\n" + skipped + "next" + n + ":\nadd.u32 %r, %r, %t;\n";
    }
    return trace(body).mean_chain.with_l2;
  };
  std::string longer;
  for (int i = 0; i < 8; ++i) longer += "add.u32 %u, %u, 1;\n";
  const gpu::Rates& rates = gpu::rates_of(*gpu::find_model("h200"));
  EXPECT_LT(chain(""), 2 * rates.latency_l2) << "the loads are in flight together";
  EXPECT_GT(chain(longer), 4 * rates.latency_l2) << "a branch that is left waits for what is before it";
}

TEST(Tracing, ASmallLoopIsUnrolledUnlessForbidden) {
  const auto chain = [](const std::string& pragma) {
    return trace("mov.u32 %n, 16;\nround:\n" + pragma +
                 "ld.global.nc.u32 %t, [%at];\nadd.u32 %r, %r, %t;\nadd.u64 %at, %at, 128;\nadd.u32 %n, %n, -1;\n"
                 "setp.ne.u32 %o, %n, 0;\n@%o bra round;\nst.global.u32 [%p], %r;")
        .mean_chain.with_l2;
  };
  const gpu::Rates& rates = gpu::rates_of(*gpu::find_model("h200"));
  EXPECT_LT(chain(""), 6 * rates.latency_l2);
  EXPECT_GT(chain(".pragma \"nounroll\";\n"), 15 * rates.latency_l2);
}

TEST(Tracing, TheSecondSectorOfAPairIsInTheL2) {
  const gpu::Rates& rates = gpu::rates_of(*gpu::find_model("h200"));
  const auto dram = [&](int step) {
    return trace("mov.u64 %at, %p;\nld.global.u32 %t, [%at];\nst.global.u32 [%p+4096], %t;\nld.global.u32 %u, [%at+" +
                 std::to_string(step) + "];\nst.global.u32 [%p+8192], %u;")
        .mean_chain.with_dram;
  };
  EXPECT_NEAR(dram(64) - dram(32), rates.latency_dram - rates.latency_l2, 5);
}

// Each warp goes through the same eight lines in an order of its own, one load behind the other.
TEST(Tracing, WarpsDoNotWaitForWhatAnotherAsksForLater) {
  std::string body = "shr.u32 %t, %i, 5;\n";
  for (int round = 0; round < 8; ++round)
    body += "xor.b32 %u, %t, " + std::to_string(round) +
            ";\nmad.wide.u32 %at, %u, 128, %p;\nld.global.u32 %r, [%at];\nst.global.u32 [%at+8192], %r;\n";
  const auto chain = [&](unsigned warps) { return trace(body, {32 * warps, 1, 1}).mean_chain; };
  EXPECT_LE(chain(8).with_l2, chain(1).with_l2 + 100);
  EXPECT_LE(chain(8).with_dram, chain(1).with_dram + 100);
}

TEST(Tracing, ABarrierWaitsForTheSlowestWarp) {
  std::string work;
  for (int i = 0; i < 100; ++i) work += "fma.rn.f32 %f, %f, %f, %f;\n";
  const LaunchWork slow = trace("setp.ge.u32 %o, %i, 32;\n@%o bra meet;\n" + work + "meet:\nbar.sync 0;", {64, 1, 1});
  EXPECT_GT(slow.total[Work::wait_barrier], 390) << "the other warp waits for the products";
  EXPECT_EQ(slow.total[Work::barriers], 2);
}

TEST(Tracing, ABarrierWithoutCommunicationIsNeedless) {
  const LaunchWork alone = trace("st.shared.u32 [%s], %r;\nbar.sync 0;\nld.shared.u32 %t, [%s];", {64, 1, 1});
  EXPECT_TRUE(alone.judges_barriers);
  EXPECT_EQ(alone.total[Work::needless_barriers], 2);
  const LaunchWork shared =
      trace("st.shared.u32 [%s], %r;\nbar.sync 0;\nxor.b32 %s, %s, 128;\nld.shared.u32 %t, [%s];", {64, 1, 1});
  EXPECT_EQ(shared.total[Work::needless_barriers], 0);
}

TEST(Tracing, ABarrierThatOrdersGlobalMemoryIsNeeded) {
  const LaunchWork work = trace(
      "st.global.u32 [%at], %r;\nbar.sync 0;\nxor.b32 %g, %g, 32;\nmad.wide.u32 %at, %g, 4, %p;\n"
      "ld.global.u32 %t, [%at];",
      {64, 1, 1});
  EXPECT_EQ(work.total[Work::needless_barriers], 0);
}

TEST(Tracing, ANarrowStoreIsAPartOfAWord) {
  const LaunchWork work = trace("st.global.u8 [%at], %r;\nst.global.u8 [%at], %r;");
  EXPECT_EQ(work.total[Work::stored_words], 16);
  EXPECT_EQ(work.total[Work::silent_words], 8);
}

// Four instructions that mind subnormals, and one that does not: the code of ptxas 13.0 grows by as much.
TEST(Tracing, FunctionsThatMindSubnormalsTakeMoreSlots) {
  for (const char* function : {"ex2.approx", "lg2.approx", "rsqrt.approx", "sqrt.approx"}) {
    const std::string name = function;
    const double minding = trace(name + ".f32 %h, %f;").total[Work::issue];
    const double flushing = trace(name + ".ftz.f32 %h, %f;").total[Work::issue];
    EXPECT_EQ(minding - flushing, 3) << name;
  }
}

TEST(Tracing, ArithmeticOnConstantsCostsNothing) {
  const auto slots = [](const std::string& body) { return trace(".reg .b32 %c, %d;\n" + body).total[Work::issue]; };
  const double none = slots("");
  EXPECT_EQ(slots("mov.u32 %c, 5;\nmul.lo.u32 %d, %c, 7;\nadd.u32 %d, %d, %i;"), none + 2)
      << "a register that is written twice is no constant";
  EXPECT_EQ(slots("mov.u32 %c, 5;\nmul.lo.u32 %d, %c, 7;"), none);
  EXPECT_EQ(slots("mov.u32 %c, 5;\nmul.lo.u32 %d, %c, %i;"), none + 1);
}

TEST(Tracing, AStoreOfWhatIsThereIsSilent) {
  const LaunchWork work = trace("st.global.u32 [%at], %r;\nst.global.u32 [%at], %r;");
  EXPECT_EQ(work.total[Work::stored_words], 64);
  EXPECT_EQ(work.total[Work::silent_words], 32);
}

TEST(Tracing, AddressesAreToldFromOtherArithmetic) {
  EXPECT_EQ(trace("ld.global.u32 %t, [%at];").total[Work::address_instructions], 2)
      << "the thread's number, the address";
  EXPECT_EQ(trace("add.u32 %t, %i, 1;\nst.global.u32 [%at], %t;").total[Work::address_instructions], 2);
}

TEST(Tracing, AsynchronousCopiesAreWaitedFor) {
  const LaunchWork work = trace(
      "cp.async.ca.shared.global [%s], [%at], 4;\ncp.async.commit_group;\ncp.async.wait_group 0;\n"
      "ld.shared.u32 %t, [%s];");
  const gpu::Rates& rates = gpu::rates_of(*gpu::find_model("h200"));
  EXPECT_GT(work.total[Work::wait_async], 0.9 * rates.latency_dram);
  EXPECT_EQ(work.total[Work::l2_read_sectors], 4);
}

TEST(Tracing, AGroupThatMayStayOpenIsNotWaitedFor) {
  const LaunchWork work =
      trace("cp.async.ca.shared.global [%s], [%at], 4;\ncp.async.commit_group;\ncp.async.wait_group 1;");
  EXPECT_EQ(work.total[Work::wait_async], 0);
}

TEST(Tracing, ASampleStandsForTheGrid) {
  const std::string body = "ld.global.u32 %t, [%at];\nadd.u32 %t, %t, 1;\nst.global.u32 [%at], %t;";
  const LaunchWork all = trace(body, {64, 1, 1}, {1000, 1, 1});
  const LaunchWork some = trace(body, {64, 1, 1}, {1000, 1, 1}, 10);
  EXPECT_FALSE(all.sampled());
  EXPECT_TRUE(some.sampled());
  EXPECT_EQ(some.counted_blocks, 10u);
  for (const Work work : {Work::issue, Work::l2_read_sectors, Work::l2_write_sectors, Work::l1_wavefronts, Work::lanes})
    EXPECT_DOUBLE_EQ(some.total[work], all.total[work]) << to_string(work);
  EXPECT_DOUBLE_EQ(some.mean_chain.with_dram, all.mean_chain.with_dram);
  EXPECT_EQ(some.buffers[0].unique_read_bytes, all.buffers[0].unique_read_bytes);
}

TEST(Tracing, WhatAllBlocksReadIsNotMultiplied) {
  const std::string body = "mad.wide.u32 %at, %i, 4, %p;\nld.global.u32 %t, [%at];";
  const LaunchWork some = trace(body, {64, 1, 1}, {1000, 1, 1}, 10);
  EXPECT_EQ(some.buffers[0].unique_read_bytes, 256);
  EXPECT_TRUE(some.buffers[0].read_by_all);
  EXPECT_EQ(some.total[Work::l2_read_sectors], 8 * 1000);
}

TEST(Samplable, NotIfBlocksTakeWorkFromACounter) {
  const auto samplable = [](const std::string& body) {
    KernelRun run(traced_kernel(body), "h200");
    return is_samplable(*run.launch().program);
  };
  EXPECT_TRUE(samplable("st.global.u32 [%at], %r;"));
  EXPECT_TRUE(samplable("atom.global.add.u32 %t, [%at], 1;")) << "nobody uses the result";
  EXPECT_TRUE(samplable("atom.shared.add.u32 %t, [%s], 1;\nst.global.u32 [%at], %t;"));
  EXPECT_FALSE(samplable("atom.global.add.u32 %t, [%at], 1;\nst.global.u32 [%at], %t;"));
  EXPECT_FALSE(samplable("ld.acquire.gpu.global.u32 %t, [%at];"));
}

}  // namespace
}  // namespace assay::vgpu
