// SPDX-License-Identifier: MIT
// Matrix multiplication by a warpgroup: D (64 x N, fp32, registers) += A (64 x 16) B (16 x N).
#pragma once

#include <cstdint>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <type_traits>

namespace assay::attention::hopper {

// PTX ISA "Matrix descriptor format" of wgmma: addresses and offsets in units of 16 bytes, 128-byte swizzle.
// Tiles are panels of 64 columns: rows of 128 bytes, eight of which form one swizzle atom of 1024 bytes.
constexpr int kPanelColumns = 64;
constexpr int kPanelRowBytes = 128;
constexpr int kAtomBytes = 8 * kPanelRowBytes;

// The half of a descriptor that differs between matrices; to move within one, add bytes / 16. Taken from one lane, so
// that the compiler sees that it is the same in all and computes descriptors in uniform registers.
__device__ __forceinline__ uint32_t matrix_place(uint32_t s_address, uint32_t leading_bytes) {
  return __shfl_sync(~0u, (leading_bytes / 16) << 16 | (s_address & 0x3FFFF) / 16, 0);
}
__device__ __forceinline__ uint64_t matrix_descriptor(uint32_t place) {
  constexpr uint64_t kSwizzle128 = uint64_t{1} << 62;
  constexpr uint64_t kStride = uint64_t{kAtomBytes / 16} << 32;
  return kSwizzle128 | kStride | place;
}

// PTX ISA "wgmma.fence": registers written before it may be read by matrix instructions after it.
__device__ __forceinline__ void matrix_fence() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// PTX ISA "wgmma.commit_group" and "wgmma.wait_group"
__device__ __forceinline__ void matrix_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int kPending>
__device__ __forceinline__ void matrix_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

// Keeps the compiler from moving accesses of an accumulator across a fence or a wait.
template <int kCount>
__device__ __forceinline__ void pin(float (&registers)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) asm volatile("" : "+f"(registers[i])::"memory");
}

// Operands of the instructions below: accumulators as the text has them, and as the compiler does.
#define ASSAY_TEXT_24                                                      \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
  "%16, %17, %18, %19, %20, %21, %22, %23"
#define ASSAY_TEXT_32 ASSAY_TEXT_24 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define ASSAY_TEXT_40 ASSAY_TEXT_32 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define ASSAY_TEXT_48 ASSAY_TEXT_40 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define ASSAY_TEXT_56 ASSAY_TEXT_48 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define ASSAY_TEXT_64 ASSAY_TEXT_56 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define ASSAY_TEXT_96                                                                  \
  ASSAY_TEXT_64                                                                        \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95"
#define ASSAY_TEXT_128                                                                             \
  ASSAY_TEXT_96                                                                                    \
  ", %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
  "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define ASSAY_REGISTERS_8(i)                                                                                  \
  "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3]), "+f"(d[i + 4]), "+f"(d[i + 5]), "+f"(d[i + 6]), \
      "+f"(d[i + 7])
#define ASSAY_REGISTERS_24 ASSAY_REGISTERS_8(0), ASSAY_REGISTERS_8(8), ASSAY_REGISTERS_8(16)
#define ASSAY_REGISTERS_32 ASSAY_REGISTERS_24, ASSAY_REGISTERS_8(24)
#define ASSAY_REGISTERS_40 ASSAY_REGISTERS_32, ASSAY_REGISTERS_8(32)
#define ASSAY_REGISTERS_48 ASSAY_REGISTERS_40, ASSAY_REGISTERS_8(40)
#define ASSAY_REGISTERS_56 ASSAY_REGISTERS_48, ASSAY_REGISTERS_8(48)
#define ASSAY_REGISTERS_64 ASSAY_REGISTERS_56, ASSAY_REGISTERS_8(56)
#define ASSAY_REGISTERS_96 \
  ASSAY_REGISTERS_64, ASSAY_REGISTERS_8(64), ASSAY_REGISTERS_8(72), ASSAY_REGISTERS_8(80), ASSAY_REGISTERS_8(88)
#define ASSAY_REGISTERS_128 \
  ASSAY_REGISTERS_96, ASSAY_REGISTERS_8(96), ASSAY_REGISTERS_8(104), ASSAY_REGISTERS_8(112), ASSAY_REGISTERS_8(120)

// A (in shared memory or four registers) and B follow the accumulators, and `accumulate` follows them.
#define ASSAY_WGMMA(TYPE, N, COUNT, A, B, ACCUMULATE, FLAGS, ...)                                     \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" ACCUMULATE                                        \
               ", 0;\n"                                                                               \
               "wgmma.mma_async.sync.aligned.m64n" N "k16.f32." TYPE "." TYPE " {" ASSAY_TEXT_##COUNT \
               "}, " A ", %" B ", p, " FLAGS ";\n}\n"                                                 \
               : ASSAY_REGISTERS_##COUNT                                                              \
               : __VA_ARGS__, "l"(descriptor_b), "r"(accumulate))
#define ASSAY_WGMMA_OF_ELEMENT(...)                \
  if constexpr (std::is_same_v<Element, __half>) { \
    ASSAY_WGMMA("f16", __VA_ARGS__);               \
  } else {                                         \
    ASSAY_WGMMA("bf16", __VA_ARGS__);              \
  }
#define ASSAY_WGMMA_SS(N, COUNT, A, B, ACCUMULATE) \
  ASSAY_WGMMA_OF_ELEMENT(N, COUNT, "%" A, B, ACCUMULATE, "1, 1, 0, 0", "l"(descriptor_a))
#define ASSAY_WGMMA_SS_ROWS(N, COUNT, A, B, ACCUMULATE) \
  ASSAY_WGMMA_OF_ELEMENT(N, COUNT, "%" A, B, ACCUMULATE, "1, 1, 0, 1", "l"(descriptor_a))
#define ASSAY_WGMMA_RS(N, COUNT, A, B, ACCUMULATE) \
  ASSAY_WGMMA_OF_ELEMENT(N, COUNT, "{" A "}", B, ACCUMULATE, "1, 1, 1", "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]))

// PTX ISA "wgmma.mma_async". Both operands in shared memory, both with the summed dimension contiguous: D += A B^T.
template <class Element, int kCount>
__device__ __forceinline__ void multiply_shared(float (&d)[kCount], uint64_t descriptor_a, uint64_t descriptor_b,
                                                int accumulate) {
  static_assert(kCount == 24 || kCount == 32 || kCount == 40 || kCount == 56 || kCount == 64);
  if constexpr (kCount == 24) ASSAY_WGMMA_SS("48", 24, "24", "25", "26");
  if constexpr (kCount == 32) ASSAY_WGMMA_SS("64", 32, "32", "33", "34");
  if constexpr (kCount == 40) ASSAY_WGMMA_SS("80", 40, "40", "41", "42");
  if constexpr (kCount == 56) ASSAY_WGMMA_SS("112", 56, "56", "57", "58");
  if constexpr (kCount == 64) ASSAY_WGMMA_SS("128", 64, "64", "65", "66");
}

// Both in shared memory, B with its N dimension contiguous: D += A B.
template <class Element, int kCount>
__device__ __forceinline__ void multiply_shared_rows(float (&d)[kCount], uint64_t descriptor_a, uint64_t descriptor_b,
                                                     int accumulate) {
  static_assert(kCount == 32 || kCount == 64 || kCount == 96 || kCount == 128);
  if constexpr (kCount == 32) ASSAY_WGMMA_SS_ROWS("64", 32, "32", "33", "34");
  if constexpr (kCount == 64) ASSAY_WGMMA_SS_ROWS("128", 64, "64", "65", "66");
  if constexpr (kCount == 96) ASSAY_WGMMA_SS_ROWS("192", 96, "96", "97", "98");
  if constexpr (kCount == 128) ASSAY_WGMMA_SS_ROWS("256", 128, "128", "129", "130");
}

// A in registers and B with its N dimension contiguous: D += A B.
template <class Element, int kCount>
__device__ __forceinline__ void multiply_registers(float (&d)[kCount], const uint32_t (&a)[4], uint64_t descriptor_b,
                                                   int accumulate) {
  static_assert(kCount == 32 || kCount == 48 || kCount == 64 || kCount == 96 || kCount == 128);
  if constexpr (kCount == 32) ASSAY_WGMMA_RS("64", 32, "%32, %33, %34, %35", "36", "37");
  if constexpr (kCount == 48) ASSAY_WGMMA_RS("96", 48, "%48, %49, %50, %51", "52", "53");
  if constexpr (kCount == 64) ASSAY_WGMMA_RS("128", 64, "%64, %65, %66, %67", "68", "69");
  if constexpr (kCount == 96) ASSAY_WGMMA_RS("192", 96, "%96, %97, %98, %99", "100", "101");
  if constexpr (kCount == 128) ASSAY_WGMMA_RS("256", 128, "%128, %129, %130, %131", "132", "133");
}

#undef ASSAY_TEXT_24
#undef ASSAY_TEXT_32
#undef ASSAY_TEXT_40
#undef ASSAY_TEXT_48
#undef ASSAY_TEXT_56
#undef ASSAY_TEXT_64
#undef ASSAY_TEXT_96
#undef ASSAY_TEXT_128
#undef ASSAY_REGISTERS_8
#undef ASSAY_REGISTERS_24
#undef ASSAY_REGISTERS_32
#undef ASSAY_REGISTERS_40
#undef ASSAY_REGISTERS_48
#undef ASSAY_REGISTERS_56
#undef ASSAY_REGISTERS_64
#undef ASSAY_REGISTERS_96
#undef ASSAY_REGISTERS_128
#undef ASSAY_WGMMA
#undef ASSAY_WGMMA_OF_ELEMENT
#undef ASSAY_WGMMA_SS
#undef ASSAY_WGMMA_SS_ROWS
#undef ASSAY_WGMMA_RS

}  // namespace assay::attention::hopper
