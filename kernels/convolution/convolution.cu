// SPDX-License-Identifier: MIT
// A convolution as a matrix product (implicit GEMM) on Hopper: x (images, H, W, C), filters (FILTERS, R, S, C) and
// y (images, P, Q, FILTERS), f16, sums in float. The product has a row for each position of the filter and sums over
// channels of each tap. Nothing builds its left matrix: TMA in im2col mode loads the rows of one tap where they lie.
//
//   block      a warpgroup; its first thread also issues the copies
//   tile       64 positions, which may go on in the next row and the next image, and 64 filters
//   ring       STAGES stages of 64 channels of one tap
//
// C and FILTERS must be multiples of 8: pixels of a tensor map begin at multiples of 16 bytes. Padding, and what of a
// tile has no position or no channel, arrives as zeros; what has no place in y is not stored.
#include <cuda.h>

#include "../attention/hopper/mbarrier.cuh"
#include "../attention/hopper/wgmma.cuh"
#include "../primitives/element.cuh"

#ifndef STAGES
#define STAGES 4
#endif

#if STAGES < 2
#error "STAGES must be at least 2: one is read while the next one arrives"
#endif

namespace {

using namespace assay::attention::hopper;

constexpr int kThreads = 128;
constexpr int kPositions = 64;
constexpr int kFilters = 64;
constexpr int kChannels = 64;                            // of a stage: rows of 128 bytes
constexpr int kTileBytes = kPositions * kPanelRowBytes;  // of positions, of filters and of y

struct alignas(1024) Shared {
  char positions[STAGES][kTileBytes];  // (positions, channels)
  char filters[STAGES][kTileBytes];    // (filters, channels)
  char y[kTileBytes];                  // (positions, filters)
  Mbarrier full[STAGES];
};

struct Params {
  const CUtensorMap& x;
  const CUtensorMap& filters;
  const CUtensorMap& y;
  int channels;
  int rows;  // of the filter
  int columns;
  int out_rows;
  int out_columns;
  int padding;
  int stride;
  int dilation;
};

// Where a tile begins: a pixel of an image.
struct Pixel {
  int image;
  int row;
  int column;
};

// The taps of the filter, and the channels of each, in the order of the sum.
struct Step {
  int channel = 0;
  int column = 0;
  int row = 0;

  __device__ void advance(const Params& params) {
    channel += kChannels;
    if (channel < params.channels) return;
    channel = 0;
    if (++column < params.columns) return;
    column = 0;
    ++row;
  }
};

// PTX ISA "cp.async.bulk.tensor", .im2col: pixels from `first` on, each moved by the offsets.
__device__ __forceinline__ void load_pixels(void* s_tile, const CUtensorMap& map, int channel, const Pixel& first,
                                            int column_offset, int row_offset, Mbarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(s_tile)),
      "l"(&map), "r"(channel), "r"(first.column), "r"(first.row), "r"(first.image), "r"(shared_address(&full)),
      "h"(static_cast<uint16_t>(column_offset)), "h"(static_cast<uint16_t>(row_offset))
      : "memory");
}

// PTX ISA "cp.async.bulk.tensor", .tile
__device__ __forceinline__ void load_filters(void* s_tile, const CUtensorMap& map, const Step& step, int filter,
                                             Mbarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(s_tile)),
      "l"(&map), "r"(step.channel), "r"(step.column), "r"(step.row), "r"(filter), "r"(shared_address(&full))
      : "memory");
}

// PTX ISA "cp.async.bulk.tensor", .im2col_no_offs: y is stored pixel by pixel, as x is loaded.
__device__ __forceinline__ void store_pixels(const CUtensorMap& map, int filter, const Pixel& first,
                                             const void* s_tile) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
      "r"(filter), "r"(first.column), "r"(first.row), "r"(first.image), "r"(shared_address(s_tile))
      : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

// PTX ISA "stmatrix": four 8 x 8 matrices, lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void store_matrices(uint32_t s_address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(s_address), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}

// One thread: both tiles of a stage.
__device__ __forceinline__ void load_stage(Shared& shared, const Params& params, int stage, const Step& step,
                                           const Pixel& first, int filter) {
  Mbarrier& full = shared.full[stage];
  full.expect_bytes(2 * kTileBytes);
  load_pixels(shared.positions[stage], params.x, step.channel, first, step.column * params.dilation,
              step.row * params.dilation, full);
  load_filters(shared.filters[stage], params.filters, step, filter, full);
}

// (positions, filters): the sum over all steps.
__device__ __forceinline__ void multiply(Shared& shared, const Params& params, const Pixel& first, int filter,
                                         float (&r_y)[kFilters / 2]) {
  const int steps = params.rows * params.columns * ((params.channels + kChannels - 1) / kChannels);
  Step next;  // to load
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES - 1 && stage < steps; ++stage, next.advance(params))
      load_stage(shared, params, stage, next, first, filter);
  }
  RingCursor<STAGES> cursor;
  for (int step = 0; step < steps; ++step, cursor.advance()) {
    // The stage before this one: all warps have read it.
    __syncthreads();
    if (threadIdx.x == 0 && step + STAGES - 1 < steps) {
      load_stage(shared, params, (cursor.stage + STAGES - 1) % STAGES, next, first, filter);
      next.advance(params);
    }
    const uint32_t positions = matrix_place(shared_address(shared.positions[cursor.stage]), 16);
    const uint32_t filters = matrix_place(shared_address(shared.filters[cursor.stage]), 16);
    shared.full[cursor.stage].wait(cursor.parity);
    pin(r_y);
    matrix_fence();
#pragma unroll
    for (int part = 0; part < kChannels / 16; ++part)
      multiply_shared<assay::f16>(r_y, matrix_descriptor(positions + part * (32 / 16)),
                                  matrix_descriptor(filters + part * (32 / 16)), step > 0 || part > 0);
    matrix_commit();
    pin(r_y);
    matrix_wait<0>();
  }
  pin(r_y);
}

// Through shared memory, swizzled as TMA expects it.
__device__ __forceinline__ void store(Shared& shared, const Params& params, int position, int filter,
                                      const float (&r_y)[kFilters / 2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = static_cast<int>(threadIdx.x) / 32 * 16 + lane % 16;
#pragma unroll
  for (int part = 0; part < kFilters / 16; ++part) {
    const int chunk = 2 * part + lane / 16;
    const float* y = r_y + 8 * part;
    store_matrices(shared_address(shared.y) + row * kPanelRowBytes + (chunk ^ (row % 8)) * 16,
                   assay::pack<assay::f16>(y[0], y[1]), assay::pack<assay::f16>(y[2], y[3]),
                   assay::pack<assay::f16>(y[4], y[5]), assay::pack<assay::f16>(y[6], y[7]));
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    const int row_of_images = position / params.out_columns;
    store_pixels(params.y, filter,
                 {row_of_images / params.out_rows, row_of_images % params.out_rows, position % params.out_columns},
                 shared.y);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kThreads)
    convolution(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap filters,
                const __grid_constant__ CUtensorMap y, int channels, int rows, int columns, int out_rows,
                int out_columns, int padding, int stride, int dilation) {
  extern __shared__ __align__(1024) uint8_t s_memory[];
  auto& shared = *reinterpret_cast<Shared*>(s_memory);
  const Params params{x, filters, y, channels, rows, columns, out_rows, out_columns, padding, stride, dilation};
  if (threadIdx.x == 0) {
    for (Mbarrier& full : shared.full) full.init(1);
    publish_mbarriers();
  }
  __syncthreads();
  const int position = static_cast<int>(blockIdx.x) * kPositions;
  const int filter = static_cast<int>(blockIdx.y) * kFilters;
  const int row_of_images = position / out_columns;
  const Pixel first{row_of_images / out_rows, row_of_images % out_rows * stride - padding,
                    position % out_columns * stride - padding};
  float r_y[kFilters / 2];
  multiply(shared, params, first, filter, r_y);
  store(shared, params, position, filter, r_y);
}
