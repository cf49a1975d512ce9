// SPDX-License-Identifier: MIT
// C = A B on the tensor cores of sm_80 and later: A (M, K), B (K, N) and C (M, N) row-major, f16 or bf16, sums in
// float. N and K must be multiples of 8, so that rows start at multiples of 16 bytes; M is free. Tiles that stick out
// of a matrix are filled with zeros, which add nothing.
//
//   block    a (BLOCK_M, BLOCK_N) tile of C, over K in steps of BLOCK_K
//   warps    WARPS_M x WARPS_N of them, each with a (BLOCK_M / WARPS_M, BLOCK_N / WARPS_N) part
//   shared   STAGES pairs of tiles, swizzled; the finished C tile takes their place for coalesced stores
#include "../primitives/async_copy.cuh"
#include "../primitives/element.cuh"
#include "../primitives/load_matrix.cuh"
#include "../primitives/matrix_multiply.cuh"
#include "../primitives/swizzle.cuh"
#include "../primitives/warp_tile.cuh"

#ifndef BLOCK_M
#define BLOCK_M 128
#endif
#ifndef BLOCK_N
#define BLOCK_N 128
#endif
#ifndef BLOCK_K
#define BLOCK_K 64
#endif
#ifndef WARPS_M
#define WARPS_M 2
#endif
#ifndef WARPS_N
#define WARPS_N 2
#endif
#ifndef STAGES
#define STAGES 3
#endif

#if BLOCK_M % (16 * WARPS_M) != 0 || BLOCK_N % (16 * WARPS_N) != 0
#error "each warp owns whole 16 x 16 patches: BLOCK_M and BLOCK_N must be multiples of 16 * WARPS_M and 16 * WARPS_N"
#endif
#if BLOCK_K % 64 != 0 || BLOCK_N % 64 != 0
#error "swizzled rows are multiples of 128 bytes: BLOCK_K and BLOCK_N must be multiples of 64"
#endif
#if STAGES < 2
#error "STAGES must be at least 2: one tile is read while the next one arrives"
#endif

namespace assay {
namespace {

constexpr int kThreads = 32 * WARPS_M * WARPS_N;
constexpr int kWarpRows = BLOCK_M / WARPS_M;
constexpr int kWarpColumns = BLOCK_N / WARPS_N;
constexpr int kSlabs = kWarpRows / kMmaRows;
constexpr int kPairs = kWarpColumns / (2 * kMmaColumns);  // pairs of C fragments: what one ldmatrix of B feeds
constexpr int kARowBytes = BLOCK_K * 2;
constexpr int kBRowBytes = BLOCK_N * 2;
constexpr int kABytes = BLOCK_M * kARowBytes;
constexpr int kBBytes = BLOCK_K * kBRowBytes;
constexpr int kStageBytes = kABytes + kBBytes;
static_assert(BLOCK_M * kBRowBytes <= STAGES * kStageBytes, "the C tile must fit where the A and B tiles were");

template <typename Element>
struct Params {
  const Element* a;  // (rows, depth)
  const Element* b;  // (depth, columns)
  Element* c;        // (rows, columns)
  int rows;
  int columns;
  int depth;
};

// A tile of a row-major matrix to shared memory, zero where it sticks out. `g_matrix` is the whole matrix.
template <int kTileRows, int kRowBytes, typename Element>
__device__ __forceinline__ void fetch_tile(uint32_t s_tile, const Element* g_matrix, int rows, int columns,
                                           int first_row, int first_column) {
  constexpr int kRowChunks = kRowBytes / kChunkBytes;
  constexpr int kChunkElements = kChunkBytes / static_cast<int>(sizeof(Element));
  static_assert(kTileRows * kRowChunks % kThreads == 0, "the threads of a block copy a tile in whole passes");
#pragma unroll
  for (int pass = 0; pass < kTileRows * kRowChunks / kThreads; ++pass) {
    const int index = pass * kThreads + static_cast<int>(threadIdx.x);
    const int row = index / kRowChunks;
    const int chunk = index % kRowChunks;
    const int column = first_column + chunk * kChunkElements;
    const bool inside = first_row + row < rows && column < columns;
    const int64_t offset = static_cast<int64_t>(first_row + row) * columns + column;
    copy_16_bytes_or_zero(s_tile + swizzled_offset<kRowBytes>(row, chunk), g_matrix + offset, inside);
  }
}

// Neighbouring blocks work on the same few rows of A and columns of B: eight row blocks, then the next column block.
struct TilePlace {
  int row;
  int column;
};

__device__ __forceinline__ TilePlace place_of_tile(int index, int row_blocks, int column_blocks) {
  constexpr int kGroupRows = 8;
  const int group = index / (kGroupRows * column_blocks);
  const int members = min(kGroupRows, row_blocks - group * kGroupRows);
  const int position = index - group * kGroupRows * column_blocks;
  return {(group * kGroupRows + position % members) * BLOCK_M, position / members * BLOCK_N};
}

template <typename Element>
class Product {
 public:
  __device__ __forceinline__ Product(const Params<Element>& params, char* s_memory, TilePlace tile)
      : params_(params),
        tile_(tile),
        s_memory_(s_memory),
        s_stages_(shared_address(s_memory)),
        lane_(static_cast<int>(threadIdx.x) % 32),
        warp_row_(static_cast<int>(threadIdx.x) / 32 / WARPS_N * kWarpRows),
        warp_column_(static_cast<int>(threadIdx.x) / 32 % WARPS_N * kWarpColumns) {}

  __device__ __forceinline__ void run() {
    const int steps = (params_.depth + BLOCK_K - 1) / BLOCK_K;
    r_c_.clear();
#pragma unroll
    for (int step = 0; step < STAGES - 1; ++step) fetch(step, steps, step);

    int stage = 0;
    for (int step = 0; step < steps; ++step) {
      wait_for_copies<STAGES - 2>();
      __syncthreads();  // this step's tiles are there, and nobody reads the previous step's any more
      fetch(step + STAGES - 1, steps, stage == 0 ? STAGES - 1 : stage - 1);
      multiply(s_stages_ + stage * kStageBytes);
      stage = stage + 1 == STAGES ? 0 : stage + 1;
    }

    wait_for_copies<0>();
    __syncthreads();
    store();
  }

 private:
  // Commits a group even if there is nothing left to fetch: the count of groups is what wait_for_copies relies on.
  __device__ __forceinline__ void fetch(int step, int steps, int stage) const {
    if (step < steps) {
      const uint32_t s_a = s_stages_ + stage * kStageBytes;
      fetch_tile<BLOCK_M, kARowBytes>(s_a, params_.a, params_.rows, params_.depth, tile_.row, step * BLOCK_K);
      fetch_tile<BLOCK_K, kBRowBytes>(s_a + kABytes, params_.b, params_.depth, params_.columns, step * BLOCK_K,
                                      tile_.column);
    }
    commit_copies();
  }

  __device__ __forceinline__ void multiply(uint32_t s_stage) {
    const PatchCursor<kARowBytes> a(s_stage + warp_row_ * kARowBytes, lane_of_rows_first(lane_));
    // The warp's first column may lie in the middle of a swizzled span, so that B's chunks are counted from the tile's
    // first column.
    const PatchCursor<kBRowBytes> b(s_stage + kABytes, lane_of_rows_first(lane_));
#pragma unroll
    for (int step = 0; step < BLOCK_K / kMmaDepth; ++step) {
      AFragment r_a[kSlabs];
#pragma unroll
      for (int slab = 0; slab < kSlabs; ++slab) load_matrices(r_a[slab], a.at(slab, step));
#pragma unroll
      for (int pair = 0; pair < kPairs; ++pair) {
        uint32_t r_b[4];
        load_matrices_transposed(r_b, b.at(step, warp_column_ / (2 * kMmaColumns) + pair));
#pragma unroll
        for (int slab = 0; slab < kSlabs; ++slab) {
          multiply_accumulate<Element>(r_c_.fragment[slab][2 * pair], r_a[slab], r_b[0], r_b[1]);
          multiply_accumulate<Element>(r_c_.fragment[slab][2 * pair + 1], r_a[slab], r_b[2], r_b[3]);
        }
      }
    }
  }

  // Through shared memory: fragments hold two neighbours per lane, global memory wants 16 bytes per lane.
  __device__ __forceinline__ void store() const {
#pragma unroll
    for (int slab = 0; slab < kSlabs; ++slab)
#pragma unroll
      for (int half = 0; half < 2; ++half)
#pragma unroll
        for (int column = 0; column < 2 * kPairs; ++column) {  // eight 16-bit columns are one chunk
          const int row = warp_row_ + slab * kMmaRows + half * 8 + lane_ / 4;
          const int chunk = warp_column_ / kMmaColumns + column;
          const CFragment& value = r_c_.fragment[slab][column];
          *reinterpret_cast<uint32_t*>(s_memory_ + swizzled_offset<kBRowBytes>(row, chunk) + lane_ % 4 * 4) =
              pack<Element>(value[2 * half], value[2 * half + 1]);
        }
    __syncthreads();

    constexpr int kRowChunks = kBRowBytes / kChunkBytes;
#pragma unroll
    for (int pass = 0; pass < BLOCK_M * kRowChunks / kThreads; ++pass) {
      const int index = pass * kThreads + static_cast<int>(threadIdx.x);
      const int row = index / kRowChunks;
      const int chunk = index % kRowChunks;
      const int column = tile_.column + chunk * kMmaColumns;
      if (tile_.row + row < params_.rows && column < params_.columns) {
        Element* g_chunk = params_.c + static_cast<int64_t>(tile_.row + row) * params_.columns + column;
        *reinterpret_cast<uint4*>(g_chunk) =
            *reinterpret_cast<const uint4*>(s_memory_ + swizzled_offset<kBRowBytes>(row, chunk));
      }
    }
  }

  const Params<Element>& params_;
  TilePlace tile_;
  char* s_memory_;
  uint32_t s_stages_;  // (stages, A tile then B tile)
  int lane_;
  int warp_row_;
  int warp_column_;
  WarpTile<kSlabs, kWarpColumns> r_c_;
};

template <typename Element>
__device__ __forceinline__ void gemm(const Params<Element>& params) {
  extern __shared__ __align__(1024) char s_memory[];
  const int row_blocks = (params.rows + BLOCK_M - 1) / BLOCK_M;
  const int column_blocks = (params.columns + BLOCK_N - 1) / BLOCK_N;
  Product<Element>(params, s_memory, place_of_tile(static_cast<int>(blockIdx.x), row_blocks, column_blocks)).run();
}

}  // namespace
}  // namespace assay

#define GEMM_ENTRY(dtype)                                                                  \
  extern "C" __global__ void __launch_bounds__(assay::kThreads)                            \
      gemm_##dtype(const assay::dtype* __restrict__ a, const assay::dtype* __restrict__ b, \
                   assay::dtype* __restrict__ c, int M, int N, int K) {                    \
    assay::gemm<assay::dtype>({a, b, c, M, N, K});                                         \
  }

GEMM_ENTRY(f16)
GEMM_ENTRY(bf16)
