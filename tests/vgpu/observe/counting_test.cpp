// SPDX-License-Identifier: MIT
// Kernels whose counters are known by hand: every counter counts, and counts nothing else.
#include "vgpu/observe/counting.hpp"

#include "vgpu/machine/kernel_run.hpp"

namespace assay::vgpu {
namespace {

using gpu::Counters;
using enum gpu::Counter;

// Thread i executes `body`; %i is the thread, %p the parameter, %at = %p + 4 i, %s the shared variable.
std::string counted_kernel(const std::string& body) {
  return R"(
.const .align 4 .b32 table[4] = {1, 2, 3, 4};
.visible .entry kernel(.param .u64 data)
{
  .shared .align 128 .b8 box[8192];
  .local .align 16 .b8 mine[64];
  .reg .b32 %i, %r, %t, %u, %v, %s, %x, %y;
  .reg .b64 %at, %p, %q;
  .reg .pred %o, %n;
  mov.u32 %i, %tid.x;
  mov.u32 %r, 1;
  mov.u32 %s, box;
  ld.param.u64 %p, [data];
  mad.wide.u32 %at, %i, 4, %p;
)" + body +
         R"(
  ret;
}
)";
}
constexpr uint64_t kPrologue = 5;  // instructions of every kernel here before its body; `ret` comes on top

Counters count(const std::string& body, Dim3 block = {32, 1, 1}, Dim3 grid = {1, 1, 1}, unsigned host_threads = 0,
               const char* model = "l4") {
  KernelRun run(counted_kernel(body), model);
  run.launch().block = block;
  run.launch().grid = grid;
  run.launch().host_threads = host_threads;
  run.add_words(std::vector<uint32_t>(8192, 5), "data");
  Counting counting;
  run.launch().observers = {&counting};
  const auto result = run.gpu().launch(run.launch());
  EXPECT_TRUE(result.ok() && !result->fault) << (result && result->fault ? result->fault->message : "");
  Counters total = counting.counters().total;
  EXPECT_EQ(total[ptx_instructions], result ? result->instructions : 0);
  return total;
}

// What the body counts: without the prologue and the return.
uint64_t executed(const Counters& counters, uint64_t warps = 1) {
  return counters[ptx_instructions] - warps * (kPrologue + 1);
}

TEST(Counting, InstructionsThreadsAndFamilies) {
  const Counters empty = count("");
  EXPECT_EQ(executed(empty), 0);
  EXPECT_EQ(empty[ptx_thread_instructions], 32 * (kPrologue + 1));
  const Counters some = count("add.u32 %r, %r, 1;\nadd.u32 %r, %r, 1;\nsetp.eq.u32 %o, %i, 3;\n@%o add.u32 %r, %r, 1;");
  EXPECT_EQ(executed(some), 4);
  EXPECT_EQ(some[ptx_thread_instructions_off], 31);
  EXPECT_EQ(some.families.at("integer") - empty.families.at("integer"), 3);
  EXPECT_EQ(some.families.at("compare"), 1);
  EXPECT_EQ(some.families.at("control"), 1);
  uint64_t sum = 0;
  for (const auto& [family, instructions] : some.families) sum += instructions;
  EXPECT_EQ(sum, some[ptx_instructions]);
}

TEST(Counting, AGuardThatIsOffForAllStillCountsAsExecuted) {
  const Counters counters = count("setp.eq.u32 %o, %i, 99;\n@%o st.global.u32 [%at], %r;");
  EXPECT_EQ(executed(counters), 2);
  EXPECT_EQ(counters[ptx_thread_instructions_off], 32);
  EXPECT_EQ(counters[global_store_requests], 0) << "no thread stored";
}

TEST(Counting, AWarpThatIsNotFullHasFewerThreads) {
  const Counters counters = count("", {40, 1, 1});
  EXPECT_EQ(counters[ptx_instructions], 2 * (kPrologue + 1));
  EXPECT_EQ(counters[ptx_thread_instructions], 40 * (kPrologue + 1));
}

TEST(Counting, BranchesAndThoseThatPart) {
  const Counters together = count("setp.lt.u32 %o, %i, 99;\n@%o bra done;\nadd.u32 %r, %r, 1;\ndone:");
  EXPECT_EQ(together[branches], 1);
  EXPECT_EQ(together[divergent_branches], 0);
  EXPECT_EQ(executed(together), 2);
  const Counters apart = count("setp.lt.u32 %o, %i, 7;\n@%o bra done;\nadd.u32 %r, %r, 1;\ndone:");
  EXPECT_EQ(apart[branches], 1);
  EXPECT_EQ(apart[divergent_branches], 1);
  EXPECT_EQ(executed(apart), 3);
  EXPECT_EQ(apart[ptx_thread_instructions], 32 * (kPrologue + 1 + 2) + 25);
  const Counters loop = count("mov.u32 %x, 0;\nagain:\nadd.u32 %x, %x, 1;\nsetp.lt.u32 %o, %x, 10;\n@%o bra again;");
  EXPECT_EQ(loop[branches], 10);
  EXPECT_EQ(loop[divergent_branches], 0);
  EXPECT_EQ(executed(loop), 31);
}

TEST(Counting, BarriersOfTheBlock) {
  const Counters counters = count("bar.sync 0;\nbar.warp.sync -1;\nbarrier.sync 0;", {64, 1, 1});
  EXPECT_EQ(counters[barriers], 4) << "two warps, two barriers; a warp's own is none";
  EXPECT_EQ(executed(counters, 2), 6);
}

TEST(Counting, GlobalLoadsByStride) {
  const auto load = [](const std::string& multiply, const std::string& type = "u32 %r") {
    return count("mul.lo.u32 %x, %i, " + multiply + ";\ncvt.u64.u32 %q, %x;\nadd.u64 %q, %q, %p;\nld.global." + type +
                 ", [%q];");
  };
  struct Expected {
    const char* multiply;
    uint64_t sectors;
    double percent;
  };
  for (const Expected& expected : {Expected{"4", 4, 100}, {"8", 8, 50}, {"128", 32, 12.5}, {"0", 1, 100}}) {
    const Counters counters = load(expected.multiply);
    EXPECT_EQ(counters[global_load_requests], 1);
    EXPECT_EQ(counters[global_load_sectors], expected.sectors) << expected.multiply;
    EXPECT_DOUBLE_EQ(coalescing_percent(counters), expected.percent) << expected.multiply;
    EXPECT_EQ(counters[global_read_bytes], 128);
    EXPECT_EQ(counters[global_store_requests] + counters[global_written_bytes], 0);
  }
  const Counters vectors = load("16", "v4.u32 {%r, %t, %u, %v}");
  EXPECT_EQ(vectors[global_load_requests], 1);
  EXPECT_EQ(vectors[global_load_sectors], 16);
  EXPECT_EQ(vectors[global_read_bytes], 512);
}

TEST(Counting, AMisalignedStoreTouchesOneSectorMore) {
  const Counters counters = count("st.global.u32 [%at+4], %r;");
  EXPECT_EQ(counters[global_store_requests], 1);
  EXPECT_EQ(counters[global_store_sectors], 5);
  EXPECT_EQ(counters[global_store_ideal_sectors], 4);
  EXPECT_DOUBLE_EQ(coalescing_percent(counters), 80);
  EXPECT_EQ(counters[global_written_bytes], 128);
  EXPECT_EQ(counters[global_load_requests], 0);
}

TEST(Counting, AtomicsAndReductions) {
  const Counters counters = count(R"(
  atom.global.add.u32 %x, [%at], 1;
  red.global.add.u32 [%p], 1;
  red.global.add.u32 [%at], 1;
  mad.lo.u32 %t, %i, 4, %s;
  st.shared.u32 [%t], 0;
  atom.shared.add.u32 %x, [%t], 1;)");
  EXPECT_EQ(counters[global_atomic_requests], 1);
  EXPECT_EQ(counters[global_atomic_sectors], 4);
  EXPECT_EQ(counters[global_reduction_requests], 2);
  EXPECT_EQ(counters[global_reduction_sectors], 32 + 4) << "32 lanes on one word take turns";
  EXPECT_EQ(counters[global_read_bytes], 3 * 128);
  EXPECT_EQ(counters[global_written_bytes], 3 * 128);
  EXPECT_EQ(counters[shared_atomic_requests], 1);
  EXPECT_EQ(counters[global_load_requests] + counters[global_store_requests], 0);
}

TEST(Counting, GenericAddressesCountWhereTheyLie) {
  const Counters counters = count(R"(
  ld.u32 %x, [%at];
  cvta.shared.u64 %q, box;
  mad.wide.u32 %q, %i, 4, %q;
  st.u32 [%q], %r;)");
  EXPECT_EQ(counters[global_load_requests], 1);
  EXPECT_EQ(counters[global_load_sectors], 4);
  EXPECT_EQ(counters[shared_store_requests], 1);
  EXPECT_EQ(counters[shared_store_wavefronts], 1);
}

TEST(Counting, SharedMemoryByStride) {
  const auto access = [](const std::string& multiply, const std::string& instruction) {
    return count("mad.lo.u32 %t, %i, " + multiply + ", %s;\n" + instruction);
  };
  const Counters even = access("4", "st.shared.u32 [%t], %r;\nld.shared.u32 %x, [%t];");
  EXPECT_EQ(even[shared_load_requests], 1);
  EXPECT_EQ(even[shared_load_wavefronts], 1);
  EXPECT_EQ(even[shared_store_requests], 1);
  EXPECT_EQ(even[shared_store_wavefronts], 1);
  EXPECT_EQ(bank_conflicts(even), 0);
  EXPECT_EQ(even[shared_read_bytes], 128);
  EXPECT_EQ(even[shared_written_bytes], 128);
  EXPECT_EQ(access("8", "st.shared.u32 [%t], %r;")[shared_store_bank_conflicts], 1);
  EXPECT_EQ(access("128", "ld.shared.u32 %x, [%t];")[shared_load_bank_conflicts], 31);
  EXPECT_EQ(access("0", "ld.shared.u32 %x, [%t];")[shared_load_bank_conflicts], 0) << "a broadcast";
  const Counters vectors = access("16", "ld.shared.v4.u32 {%x, %y, %u, %v}, [%t];");
  EXPECT_EQ(vectors[shared_load_wavefronts], 4);
  EXPECT_EQ(vectors[shared_load_bank_conflicts], 0);
}

TEST(Counting, MatrixRowsSwizzledAndNot) {
  const auto load = [](const std::string& address) {
    return count(address + "\nldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r, %t, %u, %v}, [%x];");
  };
  const Counters straight = load("mad.lo.u32 %x, %i, 128, %s;");
  EXPECT_EQ(straight[shared_load_requests], 1);
  EXPECT_EQ(straight[shared_load_wavefronts], 32);
  EXPECT_EQ(straight[shared_load_bank_conflicts], 28);
  const Counters swizzled = load("and.b32 %y, %i, 7;\nmad.lo.u32 %x, %i, 128, %s;\nmad.lo.u32 %x, %y, 16, %x;");
  EXPECT_EQ(swizzled[shared_load_wavefronts], 4);
  EXPECT_EQ(swizzled[shared_load_bank_conflicts], 0);
  EXPECT_EQ(swizzled[shared_read_bytes], 512);
}

TEST(Counting, AsynchronousCopiesReadGlobalAndWriteShared) {
  const Counters counters = count(R"(
  mad.wide.u32 %q, %i, 16, %p;
  mad.lo.u32 %t, %i, 16, %s;
  cp.async.cg.shared.global [%t], [%q], 16;
  cp.async.wait_all;)");
  EXPECT_EQ(counters[async_copy_requests], 1);
  EXPECT_EQ(counters[async_copy_sectors], 16);
  EXPECT_EQ(counters[async_copy_ideal_sectors], 16);
  EXPECT_EQ(counters[shared_copy_wavefronts], 4);
  EXPECT_EQ(counters[shared_copy_bank_conflicts], 0);
  EXPECT_EQ(counters[global_read_bytes], 512);
  EXPECT_EQ(counters[shared_written_bytes], 512);
  EXPECT_EQ(counters[global_load_requests] + counters[shared_store_requests], 0);
}

TEST(Counting, LocalAndConstantMemory) {
  const Counters counters =
      count("st.local.u32 [mine+8], %r;\nld.local.u32 %x, [mine+8];\nld.const.u32 %x, [table+4];");
  EXPECT_EQ(counters[local_store_requests], 1);
  EXPECT_EQ(counters[local_store_sectors], 4);
  EXPECT_EQ(counters[local_load_requests], 1);
  EXPECT_EQ(counters[local_load_sectors], 4);
  EXPECT_EQ(counters[local_read_bytes], 128);
  EXPECT_EQ(counters[local_written_bytes], 128);
  EXPECT_EQ(counters[constant_load_requests], 1);
  EXPECT_EQ(counters[constant_read_bytes], 128);
}

TEST(Counting, MatrixProductsByShape) {
  const Counters counters = count(R"(
  .reg .b32 %a<4>, %b<2>, %c<4>;
  mov.b32 %a0, 0; mov.b32 %a1, 0; mov.b32 %a2, 0; mov.b32 %a3, 0;
  mov.b32 %b0, 0; mov.b32 %b1, 0;
  mov.b32 %c0, 0; mov.b32 %c1, 0; mov.b32 %c2, 0; mov.b32 %c3, 0;
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};
  mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};)",
                                  {64, 1, 1});
  EXPECT_EQ(counters[tensor_instructions], 6);
  EXPECT_EQ(counters[tensor_multiply_adds], 2 * (2 * 16 * 8 * 16 + 16 * 8 * 8));
  EXPECT_EQ(counters.tensor.at("m16n8k16.f32.f16.f16.f32"), 4);
  EXPECT_EQ(counters.tensor.at("m16n8k8.f32.tf32.tf32.f32"), 2);
  const auto flat = counters.flat();
  EXPECT_EQ(flat.at("tensor_instructions"), 6);
  EXPECT_EQ(flat.at("tensor_instructions.m16n8k8.f32.tf32.tf32.f32"), 2);
  EXPECT_EQ(flat.at("ptx_instructions.tensor"), 6);
}

// A fragment is loaded and stored tile by tile: eight rows of 16 bytes, or of 32 where C has 32-bit elements.
TEST(Counting, FragmentsAreLoadedByLanesAndMultipliedAsMatrices) {
  const Counters counters = count(R"(
  .reg .b32 %a<8>, %b<8>, %c<8>;
  wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, [%p];
  wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, [%s];
  wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7}, [%p];
  wmma.mma.sync.aligned.row.row.m16n16k16.f32.f32 {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7},
    {%a0,%a1,%a2,%a3,%a4,%a5,%a6,%a7}, {%b0,%b1,%b2,%b3,%b4,%b5,%b6,%b7}, {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};
  wmma.store.d.sync.aligned.row.m16n16k16.f32 [%p], {%c0,%c1,%c2,%c3,%c4,%c5,%c6,%c7};)",
                                  {64, 1, 1});
  EXPECT_EQ(counters[tensor_instructions], 2);
  EXPECT_EQ(counters[tensor_multiply_adds], 2 * 16 * 16 * 16);
  EXPECT_EQ(counters.tensor.at("m16n16k16.f32.f32"), 2);
  EXPECT_EQ(counters.families.at("wmma"), 2 * 5);
  EXPECT_EQ(counters[global_load_requests], 2 * (4 + 4));
  EXPECT_EQ(counters[global_load_sectors], 2 * (4 * 8 + 4 * 8));
  EXPECT_EQ(counters[global_read_bytes], 2 * (512 + 1024)) << "repeated registers are not loaded twice";
  EXPECT_EQ(counters[shared_load_requests], 2 * 8) << "neighbours along k are a row apart: element by element";
  EXPECT_EQ(counters[shared_read_bytes], 2 * 512);
  EXPECT_EQ(counters[global_store_requests], 2 * 4);
  EXPECT_EQ(counters[global_store_sectors], 2 * 4 * 8);
  EXPECT_EQ(counters[global_written_bytes], 2 * 1024);
}

// Four warps execute one instruction together. What they read by descriptors does not pass the units that loads do, and
// has no bank conflicts to count.
TEST(Counting, ProductsOfAWarpGroupAreNoLoads) {
  const Counters counters = count(R"(
  .reg .f32 %d<4>;
  .reg .b64 %desc;
  shr.u32 %t, %s, 4;
  cvt.u64.u32 %desc, %t;
  add.u64 %desc, %desc, 0x800400000;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, %desc, %desc, 0, 1, 1, 0, 0;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%d0,%d1,%d2,%d3}, %desc, %desc, 1, 1, 1, 0, 0;
  wgmma.mma_async.sync.aligned.m64n8k8.f32.tf32.tf32 {%d0,%d1,%d2,%d3}, %desc, %desc, 1, 1, 1;
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;)",
                                  {256, 1, 1}, {1, 1, 1}, 0, "h200");
  EXPECT_EQ(counters[tensor_instructions], 8 * 3);
  EXPECT_EQ(counters[tensor_multiply_adds], 2 * (2 * 64 * 8 * 16 + 64 * 8 * 8)) << "two groups";
  EXPECT_EQ(counters.tensor.at("m64n8k16.f32.f16.f16"), 8 * 2);
  EXPECT_EQ(counters.tensor.at("m64n8k8.f32.tf32.tf32"), 8);
  EXPECT_EQ(counters.families.at("warpgroup"), 8 * 6);
  EXPECT_EQ(counters[shared_load_requests] + counters[shared_load_wavefronts] + counters[shared_read_bytes], 0);
  EXPECT_EQ(bank_conflicts(counters), 0);
}

// Lanes that come to a matrix instruction one after the other execute it once, together.
TEST(Counting, WaitingForTheWarpIsNotAnExecution) {
  const Counters counters = count(R"(
  setp.lt.u32 %o, %i, 7;
  @%o bra other;
  shfl.sync.idx.b32 %x, %r, 0, 31, -1;
  bra done;
other:
  add.u32 %r, %r, 1;
done:
  add.u32 %r, %r, 1;)",
                                  {7, 1, 1});
  EXPECT_EQ(executed(counters), 4);
}

TEST(Counting, DoesNotDependOnTheNumberOfHostThreads) {
  const std::string body = R"(
  mov.u32 %x, %ctaid.x;
  setp.lt.u32 %o, %i, %x;
  @%o bra skip;
  ld.global.u32 %r, [%at];
skip:
  mad.lo.u32 %t, %i, 8, %s;
  st.shared.u32 [%t], %r;
  bar.sync 0;)";
  const Counters one = count(body, {96, 1, 1}, {23, 1, 1}, 1);
  const Counters two = count(body, {96, 1, 1}, {23, 1, 1}, 2);
  EXPECT_EQ(one, two);
  EXPECT_EQ(one[divergent_branches], 22);
  EXPECT_EQ(one[shared_store_bank_conflicts], 23 * 3);
}

TEST(Counting, LinesOfTheSourceAddUpToTheWhole) {
  KernelRun run(R"(
.file 1 "kernel.cu"
.file 2 "part.cuh"
.visible .entry kernel(.param .u64 data)
{
  .reg .b32 %i, %r;
  .reg .b64 %at, %p;
  .loc 1 10 3
  mov.u32 %i, %tid.x;
  ld.param.u64 %p, [data];
  mad.wide.u32 %at, %i, 8, %p;
  .loc 1 12 3
  ld.global.u32 %r, [%at];
  .loc 2 4 1
  st.global.u32 [%at], %r;
  .loc 1 13 1
  ret;
}
)");
  run.launch().block = {32, 1, 1};
  run.add_words(std::vector<uint32_t>(64, 5), "data");
  Counting counting;
  run.launch().observers = {&counting};
  ASSERT_TRUE(run.gpu().launch(run.launch()).ok());
  const gpu::LaunchCounters counters = counting.counters();
  ASSERT_EQ(counters.lines.size(), 4);
  Counters sum;
  for (const gpu::LineCounters& line : counters.lines) sum += line.counters;
  EXPECT_EQ(sum, counters.total);
  EXPECT_EQ(counters.lines[0].line.line, 10);
  EXPECT_EQ(counters.lines[0].counters[ptx_instructions], 3);
  EXPECT_EQ(counters.lines[1].line.line, 12);
  EXPECT_EQ(counters.lines[1].counters[global_load_sectors], 8);
  EXPECT_EQ(counters.lines[3].line.file, "part.cuh");
  EXPECT_EQ(counters.lines[3].counters[global_store_sectors], 8);
}

TEST(Counting, AccessesThatAnotherObserverRefusedAreNotCounted) {
  KernelRun run(counted_kernel("st.global.u32 [%at], %r;"));
  run.launch().block = {32, 1, 1};
  run.add_words(std::vector<uint32_t>(8, 5), "data");
  MemoryCheck check;
  Counting counting;
  run.launch().observers = {&check, &counting};
  ASSERT_TRUE(run.gpu().launch(run.launch()).ok());
  EXPECT_EQ(check.found().findings().at(0).thread_count, 24);
  EXPECT_EQ(counting.counters().total[global_store_sectors], 1);
  EXPECT_EQ(counting.counters().total[global_written_bytes], 32);
}

// Four blocks, the last first, hand a number on. Those that wait read once in vain and once with success, however long
// it takes; the rounds between are counted apart.
TEST(Counting, RoundsOfALoopThatOnlyWaitsAreCountedApart) {
  const std::string body = R"(
  mov.u32 %t, %ctaid.x;
  mov.u32 %u, %nctaid.x;
  sub.u32 %u, %u, %t;
  add.u32 %u, %u, 4;
wait:
  ld.volatile.global.u32 %v, [%p+4000];
  setp.ne.u32 %o, %v, %u;
  @%o bra wait;
  add.u32 %v, %v, 1;
  st.volatile.global.u32 [%p+4000], %v;
)";
  const Counters counters = count(body, {32, 1, 1}, {4, 1, 1});
  EXPECT_EQ(counters[global_load_requests], 3 * 2 + 1);
  EXPECT_EQ(executed(counters, 4), 4 * (4 + 2) + 3 * (3 * 2 + 1));
  EXPECT_EQ(counters[idle_ptx_instructions] % 3, 0);
  EXPECT_GE(counters[idle_ptx_instructions], 3u * 3);
  EXPECT_EQ(counters[global_store_requests], 4);
}

TEST(Counters, TheTableNamesEachCounterOnce) {
  std::map<std::string_view, int> names;
  std::map<std::string_view, int> metrics;
  for (const gpu::CounterInfo& row : gpu::counter_table()) {
    EXPECT_EQ(&info(row.counter), &row);
    EXPECT_EQ(++names[row.name], 1) << row.name;
    EXPECT_TRUE(row.ncu.empty() || ++metrics[row.ncu] == 1) << row.ncu;
    EXPECT_FALSE(row.meaning.empty());
  }
  EXPECT_EQ(Counters{}.flat().size(), gpu::kCounterCount);
}

}  // namespace
}  // namespace assay::vgpu
