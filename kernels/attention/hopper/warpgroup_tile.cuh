// SPDX-License-Identifier: MIT
// The three steps of attention that a warpgroup does on a tile of 64 query rows: S = Q K^T, mask, O += P V.
#pragma once

#include "softmax.cuh"
#include "tensor_copy.cuh"
#include "wgmma.cuh"

namespace assay::attention::hopper {

constexpr int kWarpgroup = 128;
constexpr int kTileRows = 64;

// The thread's index, read where it is needed: what is computed from it is then not kept in registers from far before.
__device__ __forceinline__ int reread_thread() {
  int thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

// S = Q K^T. Starts the work; the caller commits and waits.
template <class Element, int kHeadDim, int kKeys>
__device__ __forceinline__ void start_scores(float (&scores)[kKeys / 2], const void* s_query, const void* s_key) {
  const uint32_t query = matrix_place(shared_address(s_query), 16);  // (64, head_dim)
  const uint32_t key = matrix_place(shared_address(s_key), 16);      // (keys, head_dim)
#pragma unroll
  for (int step = 0; step < kHeadDim / 16; ++step) {
    const int panel = step / 4;
    const int offset = (step % 4) * 32 / 16;
    multiply_shared<Element>(scores, matrix_descriptor(query + panel * (kTileRows * kPanelRowBytes / 16) + offset),
                             matrix_descriptor(key + panel * (kKeys * kPanelRowBytes / 16) + offset), step > 0);
  }
}

// Probabilities as the A operand: (64, keys), 16 keys per group of four registers.
template <class Element, int kKeys>
struct Probabilities {
  uint32_t steps[kKeys / 16][4];

  __device__ __forceinline__ void pack_from(const float (&scores)[kKeys / 2]) {
#pragma unroll
    for (int step = 0; step < kKeys / 16; ++step) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        steps[step][i] = pack<Element>(scores[8 * step + 2 * i], scores[8 * step + 2 * i + 1]);
      }
    }
  }
};

// O += P V. Starts the work; the caller commits and waits.
template <class Element, int kHeadDim, int kKeys>
__device__ __forceinline__ void start_output(float (&output)[kHeadDim / 2],
                                             const Probabilities<Element, kKeys>& probabilities, const void* s_value) {
  const uint32_t value = matrix_place(shared_address(s_value), kKeys * kPanelRowBytes);  // (keys, head_dim)
#pragma unroll
  for (int step = 0; step < kKeys / 16; ++step) {
    multiply_registers<Element>(output, probabilities.steps[step],
                                matrix_descriptor(value + step * (16 * kPanelRowBytes / 16)), 1);
  }
}

// The last key that each of the thread's two rows may see: the end of the keys, or the diagonal aligned bottom right.
struct RowLimits {
  int last_key[2];

  RowLimits() = default;
  __device__ RowLimits(int first_row, int query_rows, int key_rows, bool causal) {
    const int thread = reread_thread();
    const int lane_row = first_row + thread % kWarpgroup / 32 * 16 + thread % 32 / 4;
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      int diagonal = lane_row + 8 * row + key_rows - query_rows;
      last_key[row] = causal && diagonal < key_rows - 1 ? diagonal : key_rows - 1;
    }
  }

  template <int kCount>
  __device__ __forceinline__ void hide(float (&scores)[kCount], int first_key) const {
    const int column = first_key + 2 * (reread_thread() % 4);
    const int visible[2] = {last_key[0] - column, last_key[1] - column};
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (column_of(i) > visible[row_of(i)]) scores[i] = -INFINITY;
    }
  }
};

template <int kCount>
__device__ __forceinline__ void scale_rows(float (&output)[kCount], const float (&factor)[2]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) output[i] *= factor[row_of(i)];
}

// PTX ISA "stmatrix": four 8 x 8 matrices, lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void store_matrices(uint32_t s_address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(s_address), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}

// A lane whose bit is set gives its first value for the second one of the lane across, which gives the second.
template <int kBit>
__device__ __forceinline__ void exchange(uint32_t& first, uint32_t& second, int lane) {
  const bool set = (lane & kBit) != 0;
  const uint32_t got = __shfl_xor_sync(~0u, set ? first : second, kBit);
  (set ? first : second) = got;
}

// Writes the tile to shared memory in the swizzled panels that TMA expects.
template <class Element, int kHeadDim>
__device__ __forceinline__ void stage_output(const float (&output)[kHeadDim / 2], void* s_tile) {
  const int lane = threadIdx.x % 32;
  const int row = (threadIdx.x % kWarpgroup) / 32 * 16 + lane % 16;
#pragma unroll
  for (int step = 0; step < kHeadDim / 16; ++step) {
    const int panel = step / 4;
    const int chunk = 2 * (step % 4) + lane / 16;
    const uint32_t address =
        shared_address(s_tile) + panel * kTileRows * kPanelRowBytes + row * kPanelRowBytes + ((chunk ^ (row % 8)) * 16);
    const float* o = output + 8 * step;
    store_matrices(address, pack<Element>(o[0], o[1]), pack<Element>(o[2], o[3]), pack<Element>(o[4], o[5]),
                   pack<Element>(o[6], o[7]));
  }
}

// Writes the tile to global memory, 16 bytes a lane: the four lanes of a row first exchange what they hold of 32
// columns. Leaves out what is beyond rows and columns.
template <class Element, int kHeadDim>
__device__ __forceinline__ void write_output(const float (&output)[kHeadDim / 2], Element* g_tile, int64_t row_stride,
                                             int rows, int columns) {
  const int thread = reread_thread() % kWarpgroup;
  const int lane = thread % 4;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = thread / 32 * 16 + thread % 32 / 4 + 8 * half;
    Element* g_row = g_tile + row * row_stride + 8 * lane;
#pragma unroll
    for (int step = 0; step < kHeadDim / 32; ++step) {
      uint32_t parts[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const float* o = output + 16 * step + 4 * i + 2 * half;
        parts[i] = pack<Element>(o[0], o[1]);
      }
      exchange<1>(parts[0], parts[1], lane);
      exchange<1>(parts[2], parts[3], lane);
      exchange<2>(parts[0], parts[2], lane);
      exchange<2>(parts[1], parts[3], lane);
      if (row < rows && 32 * step + 8 * lane < columns) {
        *reinterpret_cast<uint4*>(g_row + 32 * step) = make_uint4(parts[0], parts[1], parts[2], parts[3]);
      }
    }
  }
}

// Copies the warp's 16 staged rows to global memory, 16 bytes a lane. Leaves out what is beyond rows and columns.
template <class Element, int kHeadDim>
__device__ __forceinline__ void write_staged_rows(const void* s_tile, Element* g_tile, int64_t row_stride, int rows,
                                                  int columns = kHeadDim) {
  const int lane = threadIdx.x % 32;
  const int warp_row = (threadIdx.x % kWarpgroup) / 32 * 16;
#pragma unroll
  for (int panel = 0; panel < kHeadDim / kPanelColumns; ++panel) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = warp_row + 4 * i + lane / 8;
      const int chunk = lane % 8;
      const int column = panel * kPanelColumns + chunk * 8;
      const auto* s_chunk =
          static_cast<const uint8_t*>(s_tile) + (panel * kTileRows + row) * kPanelRowBytes + (chunk ^ (row % 8)) * 16;
      if (row < rows && column < columns) {
        *reinterpret_cast<uint4*>(g_tile + row * row_stride + column) = *reinterpret_cast<const uint4*>(s_chunk);
      }
    }
  }
}

}  // namespace assay::attention::hopper
