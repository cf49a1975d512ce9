// SPDX-License-Identifier: MIT
// The PTX of the measured ceilings, written out by loops: a hundred accumulators are no text for people.
#include <fmt/format.h>

#include "device/cuda/ceilings.hpp"

namespace assay::device::cuda {
namespace {

// "%f0, %f1, ..."
std::string registers(int first, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("{}%f{}", i == 0 ? "" : ", ", first + i);
  return text;
}

// Sets `count` accumulators to zero.
std::string cleared(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += fmt::format("  mov.f32 %f{}, 0f00000000;\n", i);
  return text;
}

// Their sum goes to memory, so that the compiler can remove none of the work.
std::string summed_and_stored(int count) {
  std::string text;
  for (int i = 1; i < count; ++i) text += fmt::format("  add.f32 %f0, %f0, %f{};\n", i);
  return text +
         "  mov.u32 %r1, %ctaid.x;\n"
         "  mov.u32 %r2, %tid.x;\n"
         "  mad.lo.u32 %r1, %r1, 256, %r2;\n"
         "  mul.wide.u32 %d1, %r1, 4;\n"
         "  ld.param.u64 %d2, [sink];\n"
         "  add.u64 %d1, %d1, %d2;\n"
         "  st.global.f32 [%d1], %f0;\n"
         "  ret;\n}\n";
}

constexpr const char* kEntry =
    ".visible .entry tensor_rate(.param .u32 rounds, .param .u64 sink)\n"
    ".maxntid 256, 1, 1\n"
    "{\n  .reg .pred %p<3>;\n  .reg .b32 %r<16>;\n  .reg .b64 %d<8>;\n";

}  // namespace

// Two warp groups multiply the same tiles of shared memory: A (64, 16) at 0 and B (256, 16) behind it, both as core
// matrices of 8 rows by 16 bytes without swizzle. Descriptors: PTX ISA, "Matrix descriptor" of wgmma. The values are
// random: zeros would save power and flatter the clock.
std::string tensor_ptx_hopper() {
  constexpr int kAccumulators = 128;
  constexpr int kProducts = 16;
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n";
  text += kEntry;
  text += fmt::format("  .reg .f32 %f<{}>;\n", kAccumulators);
  text +=
      "  .shared .align 128 .b8 s_tiles[10240];\n"
      "  mov.u32 %r1, %tid.x;\n"
      "  mov.u32 %r2, s_tiles;\n"
      "  mov.u32 %r3, %r1;\n"
      "fill:\n"  // 2560 words: two halves in [0.5, 1) with random signs each
      "  mad.lo.u32 %r4, %r3, 0x9e3779b1, 0x7f4a7c15;\n"
      "  shr.u32 %r5, %r4, 13;\n"
      "  xor.b32 %r4, %r4, %r5;\n"
      "  mul.lo.u32 %r4, %r4, 0x85ebca6b;\n"
      "  and.b32 %r4, %r4, 0x83ff83ff;\n"
      "  or.b32 %r4, %r4, 0x38003800;\n"
      "  shl.b32 %r5, %r3, 2;\n"
      "  add.u32 %r5, %r5, %r2;\n"
      "  st.shared.u32 [%r5], %r4;\n"
      "  add.u32 %r3, %r3, 256;\n"
      "  setp.lt.u32 %p1, %r3, 2560;\n"
      "  @%p1 bra fill;\n"
      "  fence.proxy.async.shared::cta;\n"
      "  bar.sync 0;\n"
      // address / 16, then 128 bytes to the next core matrix along K and 256 along the rows
      "  shr.u32 %r3, %r2, 4;\n"
      "  and.b32 %r3, %r3, 0x3fff;\n"
      "  cvt.u64.u32 %d3, %r3;\n"
      "  or.b64 %d3, %d3, 0x0000001000080000;\n"
      "  add.u64 %d4, %d3, 128;\n"  // B is 2048 bytes behind A
      "  ld.param.u32 %r6, [rounds];\n";
  text += cleared(kAccumulators);
  text += "again:\n  wgmma.fence.sync.aligned;\n";
  for (int i = 0; i < kProducts; ++i) {
    text += fmt::format("  wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{{}}}, %d3, %d4, 1, 1, 1, 0, 0;\n",
                        registers(0, kAccumulators));
  }
  text +=
      "  wgmma.commit_group.sync.aligned;\n"
      "  wgmma.wait_group.sync.aligned 0;\n"
      "  sub.u32 %r6, %r6, 1;\n"
      "  setp.ne.u32 %p1, %r6, 0;\n"
      "  @%p1 bra again;\n";
  return text + summed_and_stored(kAccumulators);
}

std::string tensor_ptx() {
  constexpr int kProducts = 8;  // independent ones: each waits for its own sum alone
  constexpr int kAccumulators = 4 * kProducts;
  std::string text = ".version 7.0\n.target sm_80\n.address_size 64\n";
  text += kEntry;
  text += fmt::format("  .reg .f32 %f<{}>;\n", kAccumulators);
  text += "  ld.param.u32 %r6, [rounds];\n  mov.u32 %r1, %tid.x;\n";
  for (int i = 0; i < 6; ++i) {  // r8 ... r13: the operands
    text += fmt::format(
        "  mad.lo.u32 %r{0}, %r1, 0x9e3779b1, {1};\n  and.b32 %r{0}, %r{0}, 0x83ff83ff;\n"
        "  or.b32 %r{0}, %r{0}, 0x38003800;\n",
        8 + i, 0x7f4a7c15 + 77777 * i);
  }
  text += cleared(kAccumulators);
  text += "again:\n";
  for (int i = 0; i < kProducts; ++i) {
    const std::string sums = registers(4 * i, 4);
    text += fmt::format(
        "  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {{{0}}}, {{%r8, %r9, %r10, %r11}}, {{%r12, %r13}}, "
        "{{{0}}};\n",
        sums);
  }
  text +=
      "  sub.u32 %r6, %r6, 1;\n"
      "  setp.ne.u32 %p1, %r6, 0;\n"
      "  @%p1 bra again;\n";
  return text + summed_and_stored(kAccumulators);
}

std::string empty_ptx() {
  return ".version 7.0\n.target sm_52\n.address_size 64\n.visible .entry empty()\n{\n  ret;\n}\n";
}

}  // namespace assay::device::cuda
