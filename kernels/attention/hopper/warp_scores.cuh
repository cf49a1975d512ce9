// SPDX-License-Identifier: MIT
// Scores by a single warp, on the register layout of a warpgroup's: for a block whose probabilities outgrew their
// reference. Rare, so written for few registers and instructions, not for speed.
#pragma once

#include "warpgroup_tile.cuh"

namespace assay::attention::hopper {

// No sum of a thread's probabilities of one block may exceed this without a new reference: each must fit an fp16.
constexpr float kSumLimit = 16384.0f;

// PTX ISA "ldmatrix": four 8 x 8 matrices, lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t s_address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(s_address)
               : "memory");
}

// PTX ISA "mma", m16n8k16: D += A B
template <class Element>
__device__ __forceinline__ void multiply_warp(float* d, const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  if constexpr (std::is_same_v<Element, __half>) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
        "{%0, %1, %2, %3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

// This warp's 16 rows of S = Q K^T.
template <class Element, int kHeadDim, int kKeys>
__device__ __forceinline__ void compute_warp_scores(float (&scores)[kKeys / 2], const void* s_query,
                                                    const void* s_key) {
  const int thread = reread_thread();
  const int lane = thread % 32;
  const int query_row = thread % kWarpgroup / 32 * 16 + lane % 16;
  const int key_row = lane % 8 + lane / 16 * 8;
#pragma unroll
  for (int i = 0; i < kKeys / 2; ++i) scores[i] = 0.0f;
#pragma unroll 1
  for (int step = 0; step < kHeadDim / 16; ++step) {
    const int panel = step / 4;
    const int query_chunk = 2 * (step % 4) + lane / 16;
    const int key_chunk = 2 * (step % 4) + lane / 8 % 2;
    uint32_t query[4];
    load_matrices(query, shared_address(s_query) + (panel * kTileRows + query_row) * kPanelRowBytes +
                             (query_chunk ^ query_row % 8) * 16);
#pragma unroll
    for (int group = 0; group < kKeys / 16; ++group) {
      uint32_t key[4];
      load_matrices(key, shared_address(s_key) + (panel * kKeys + 16 * group + key_row) * kPanelRowBytes +
                             (key_chunk ^ key_row % 8) * 16);
      multiply_warp<Element>(scores + 8 * group, query, key[0], key[1]);
      multiply_warp<Element>(scores + 8 * group + 4, query, key[2], key[3]);
    }
  }
}

}  // namespace assay::attention::hopper
