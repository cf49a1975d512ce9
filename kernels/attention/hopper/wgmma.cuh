// SPDX-License-Identifier: MIT
// Matrix multiplication by a warpgroup: D (64 x N, fp32, registers) += A (64 x 16) B (16 x N), N = 64 or 128.
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

#define ASSAY_WGMMA_SS_64(TYPE)                                                                                     \
  asm volatile(                                                                                                     \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %34, 0;\n"                                                                  \
      "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE                                                   \
      " {"                                                                                                          \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                      \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"                              \
      "}, %32, %33, p, 1, 1, 0, 0;\n}\n"                                                                            \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),      \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),     \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])                   \
      : "l"(descriptor_a), "l"(descriptor_b), "r"(accumulate))

#define ASSAY_WGMMA_RS_64(TYPE)                                                                                     \
  asm volatile(                                                                                                     \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %37, 0;\n"                                                                  \
      "wgmma.mma_async.sync.aligned.m64n64k16.f32." TYPE "." TYPE                                                   \
      " {"                                                                                                          \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                      \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"                              \
      "}, {%32, %33, %34, %35}, %36, p, 1, 1, 1;\n}\n"                                                              \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),      \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),     \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])                   \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor_b), "r"(accumulate))

#define ASSAY_WGMMA_SS_128(TYPE)                                                                                    \
  asm volatile(                                                                                                     \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %66, 0;\n"                                                                  \
      "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE                                                  \
      " {"                                                                                                          \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                      \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                            \
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                            \
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"                              \
      "}, %64, %65, p, 1, 1, 0, 0;\n}\n"                                                                            \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),      \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),     \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),     \
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),     \
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),     \
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),     \
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])                   \
      : "l"(descriptor_a), "l"(descriptor_b), "r"(accumulate))

#define ASSAY_WGMMA_RS_128(TYPE)                                                                                    \
  asm volatile(                                                                                                     \
      "{\n.reg .pred p;\nsetp.ne.b32 p, %69, 0;\n"                                                                  \
      "wgmma.mma_async.sync.aligned.m64n128k16.f32." TYPE "." TYPE                                                  \
      " {"                                                                                                          \
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                      \
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "                            \
      "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                            \
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"                              \
      "}, {%64, %65, %66, %67}, %68, p, 1, 1, 1;\n}\n"                                                              \
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), \
        "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),      \
        "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),     \
        "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]),     \
        "+f"(d[33]), "+f"(d[34]), "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]),     \
        "+f"(d[41]), "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),     \
        "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]), "+f"(d[56]),     \
        "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]), "+f"(d[63])                   \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(descriptor_b), "r"(accumulate))

// PTX ISA "wgmma.mma_async". Both operands in shared memory, both with the summed dimension contiguous: D += A B^T.
template <class Element, int kCount>
__device__ __forceinline__ void multiply_shared(float (&d)[kCount], uint64_t descriptor_a, uint64_t descriptor_b,
                                                int accumulate) {
  static_assert(kCount == 32 || kCount == 64);
  if constexpr (kCount == 32) {
    if constexpr (std::is_same_v<Element, __half>)
      ASSAY_WGMMA_SS_64("f16");
    else
      ASSAY_WGMMA_SS_64("bf16");
  } else {
    if constexpr (std::is_same_v<Element, __half>)
      ASSAY_WGMMA_SS_128("f16");
    else
      ASSAY_WGMMA_SS_128("bf16");
  }
}

// The same with A in registers and B with its N dimension contiguous: D += A B.
template <class Element, int kCount>
__device__ __forceinline__ void multiply_registers(float (&d)[kCount], const uint32_t (&a)[4], uint64_t descriptor_b,
                                                   int accumulate) {
  static_assert(kCount == 32 || kCount == 64);
  if constexpr (kCount == 32) {
    if constexpr (std::is_same_v<Element, __half>)
      ASSAY_WGMMA_RS_64("f16");
    else
      ASSAY_WGMMA_RS_64("bf16");
  } else {
    if constexpr (std::is_same_v<Element, __half>)
      ASSAY_WGMMA_RS_128("f16");
    else
      ASSAY_WGMMA_RS_128("bf16");
  }
}

#undef ASSAY_WGMMA_SS_64
#undef ASSAY_WGMMA_RS_64
#undef ASSAY_WGMMA_SS_128
#undef ASSAY_WGMMA_RS_128

}  // namespace assay::attention::hopper
