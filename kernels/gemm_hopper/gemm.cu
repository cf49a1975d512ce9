// SPDX-License-Identifier: MIT
// C = A B on Hopper: A (M, K), B (K, N) and C (M, N) row-major, f16 or bf16, sums in float. TMA brings tiles into a
// ring of STAGES in shared memory, wgmma multiplies them there, TMA stores C. Blocks are persistent: each walks over
// tiles of C, and the tiles of the next one arrive while C is stored.
//
//   block      CONSUMERS warpgroups that multiply, and one that only issues TMA loads (warp specialization)
//   tile       (64 CONSUMERS, BLOCK_N) of C; each consumer has 64 rows of it in registers
//   cluster    CLUSTER blocks with tiles of the same columns: each loads a part of the columns of B for all (multicast)
//
// N and K must be multiples of 8: rows of a tensor map begin at multiples of 16 bytes. What sticks out of a matrix
// arrives as zeros and is not stored.
#include <cuda.h>

#include "../attention/hopper/mbarrier.cuh"
#include "../attention/hopper/wgmma.cuh"
#include "../primitives/element.cuh"

#ifndef CONSUMERS
#define CONSUMERS 2
#endif
#ifndef BLOCK_N
#define BLOCK_N 256
#endif
#ifndef BLOCK_K
#define BLOCK_K 64
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef CLUSTER
#define CLUSTER 1
#endif
#ifndef GROUP
#define GROUP 16
#endif

#if BLOCK_N % 64 != 0 || BLOCK_N > 256 || BLOCK_K % 64 != 0
#error "tiles are panels of 64 columns: BLOCK_N is 64, 128, 192 or 256, and BLOCK_K a multiple of 64"
#endif
#if BLOCK_N / 64 % CLUSTER != 0
#error "each block of a cluster loads the same number of panels of B"
#endif
#if STAGES < 2
#error "STAGES must be at least 2: one is read while the next one arrives"
#endif

namespace assay::gemm {
namespace {

using attention::hopper::kAtomBytes;
using attention::hopper::kPanelColumns;
using attention::hopper::kPanelRowBytes;
using attention::hopper::matrix_commit;
using attention::hopper::matrix_descriptor;
using attention::hopper::matrix_fence;
using attention::hopper::matrix_place;
using attention::hopper::matrix_wait;
using attention::hopper::Mbarrier;
using attention::hopper::multiply_shared_rows;
using attention::hopper::named_barrier_sync;
using attention::hopper::pin;
using attention::hopper::publish_mbarriers;
using attention::hopper::RingCursor;
using attention::hopper::shared_address;

constexpr int kWarpgroup = 128;
constexpr int kWarps = 4;  // of a warpgroup
constexpr int kRows = 64;  // of a consumer
constexpr int kBlockM = kRows * CONSUMERS;
constexpr int kThreads = kWarpgroup * (CONSUMERS + 1);
constexpr int kPanelsOfA = BLOCK_K / kPanelColumns;
constexpr int kPanelsOfB = BLOCK_N / kPanelColumns;
constexpr int kAPanelBytes = kBlockM * kPanelRowBytes;
constexpr int kBPanelBytes = BLOCK_K * kPanelRowBytes;
constexpr int kABytes = kPanelsOfA * kAPanelBytes;
constexpr int kBBytes = kPanelsOfB * kBPanelBytes;
constexpr int kCPanelBytes = kRows * kPanelRowBytes;
constexpr int kCBuffers = 2;  // panels of C that a consumer has on their way out

struct alignas(1024) Shared {
  char a[STAGES][kABytes];  // (block_m, 64) panels
  char b[STAGES][kBBytes];  // (block_k, 64) panels
  char c[CONSUMERS][kCBuffers][kCPanelBytes];
  Mbarrier full[STAGES];   // the tiles are there, in this block
  Mbarrier empty[STAGES];  // no consumer of the cluster reads them any more
};

struct Params {
  const CUtensorMap& a;
  const CUtensorMap& b;
  const CUtensorMap& c;
  int rows;
  int columns;
  int depth;
};

// --- what the processor offers ---------------------------------------------------------------------------------------

__device__ __forceinline__ uint32_t rank_in_cluster() {
  if constexpr (CLUSTER == 1) return 0;
  uint32_t rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

// PTX ISA "barrier.cluster"
__device__ __forceinline__ void sync_cluster() {
  if constexpr (CLUSTER == 1) {
    __syncthreads();
  } else {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
  }
}

// PTX ISA "mbarrier.arrive", in the shared memory of another block of the cluster
__device__ __forceinline__ void arrive_in(Mbarrier& barrier, uint32_t rank) {
  asm volatile(
      "{\n.reg .b32 remote;\n"
      "mapa.shared::cluster.u32 remote, %0, %1;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [remote];\n}\n" ::"r"(shared_address(&barrier)),
      "r"(rank)
      : "memory");
}

// PTX ISA "cp.async.bulk.tensor"
__device__ __forceinline__ void load_tile(void* s_tile, const CUtensorMap& map, int column, int row, Mbarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::
          "r"(shared_address(s_tile)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(&full))
      : "memory");
}
// The same to all blocks of the cluster, at the same place in each.
__device__ __forceinline__ void load_tile_for_all(void* s_tile, const CUtensorMap& map, int column, int row,
                                                  Mbarrier& full) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%0], "
      "[%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(s_tile)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(&full)), "h"(static_cast<uint16_t>((1 << CLUSTER) - 1))
      : "memory");
}
__device__ __forceinline__ void store_tile(const CUtensorMap& map, int column, int row, const void* s_tile) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(column), "r"(row), "r"(shared_address(s_tile))
               : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
// Returns when all but the newest kPending stores of this thread have read their tiles.
template <int kPending>
__device__ __forceinline__ void wait_stores_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

// PTX ISA "stmatrix": four 8 x 8 matrices, lane l gives the address of row l % 8 of matrix l / 8.
__device__ __forceinline__ void store_matrices(uint32_t s_address, uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(s_address), "r"(a), "r"(b),
               "r"(c), "r"(d)
               : "memory");
}

// PTX ISA "setmaxnreg": the producer needs few registers and gives the others to the consumers. One consumer has
// enough.
__device__ __forceinline__ void give_registers() {
  if constexpr (CONSUMERS == 2) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
  if constexpr (CONSUMERS == 3) asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
}
__device__ __forceinline__ void take_registers() {
  if constexpr (CONSUMERS == 2) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  if constexpr (CONSUMERS == 3) asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
}

// --- the order of tiles ----------------------------------------------------------------------------------------------

// Clusters that run together work on the same few rows of A and columns of B: GROUP clusters below one another, then
// the next column tile. `row` and `column` are the first ones of this block's tile.
class TileWalk {
 public:
  __device__ TileWalk(const Params& params, uint32_t rank)
      : rank_(static_cast<int>(rank)),
        cluster_rows_((params.rows + kBlockM * CLUSTER - 1) / (kBlockM * CLUSTER)),
        column_tiles_((params.columns + BLOCK_N - 1) / BLOCK_N),
        index_(static_cast<int>(blockIdx.x) / CLUSTER) {}

  __device__ bool done() const { return index_ >= cluster_rows_ * column_tiles_; }
  __device__ void advance() { index_ += static_cast<int>(gridDim.x) / CLUSTER; }
  __device__ int row() const {
    const Position at = position();
    return ((at.group * GROUP + at.inside % at.members) * CLUSTER + rank_) * kBlockM;
  }
  __device__ int column() const {
    const Position at = position();
    return at.inside / at.members * BLOCK_N;
  }

 private:
  struct Position {
    int group;
    int members;  // clusters below one another in this group
    int inside;
  };
  __device__ Position position() const {
    const int group = index_ / (GROUP * column_tiles_);
    return {group, min(GROUP, cluster_rows_ - group * GROUP), index_ - group * GROUP * column_tiles_};
  }

  int rank_;
  int cluster_rows_;
  int column_tiles_;
  int index_;
};

// --- the two roles ---------------------------------------------------------------------------------------------------

// One thread: fills the ring, as far ahead as it has stages.
__device__ __forceinline__ void produce(Shared& shared, const Params& params, uint32_t rank) {
  constexpr int kOwnPanels = kPanelsOfB / CLUSTER;  // of B, that this block loads for all
  RingCursor<STAGES> cursor;
  for (TileWalk tile(params, rank); !tile.done(); tile.advance()) {
    const int row = tile.row();
    const int column = tile.column();
    for (int depth = 0; depth < params.depth; depth += BLOCK_K) {
      Mbarrier& full = shared.full[cursor.stage];
      shared.empty[cursor.stage].wait(cursor.parity ^ 1);
      full.expect_bytes(kABytes + kBBytes);
#pragma unroll
      for (int panel = 0; panel < kPanelsOfA; ++panel)
        load_tile(shared.a[cursor.stage] + panel * kAPanelBytes, params.a, depth + panel * kPanelColumns, row, full);
#pragma unroll
      for (int i = 0; i < kOwnPanels; ++i) {
        const int panel = static_cast<int>(rank) * kOwnPanels + i;
        char* s_panel = shared.b[cursor.stage] + panel * kBPanelBytes;
        if constexpr (CLUSTER == 1)
          load_tile(s_panel, params.b, column + panel * kPanelColumns, depth, full);
        else
          load_tile_for_all(s_panel, params.b, column + panel * kPanelColumns, depth, full);
      }
      cursor.advance();
    }
  }
  // The other blocks of the cluster may still arrive here: nobody leaves before all is read.
  if constexpr (CLUSTER > 1) {
    for (int stage = 0; stage < STAGES; ++stage) {
      shared.empty[cursor.stage].wait(cursor.parity ^ 1);
      cursor.advance();
    }
  }
}

template <class Element>
class Consumer {
 public:
  __device__ Consumer(Shared& shared, const Params& params, uint32_t rank, int warpgroup)
      : shared_(shared), params_(params), rank_(rank), warpgroup_(warpgroup) {}

  __device__ __forceinline__ void run() {
    for (TileWalk tile(params_, rank_); !tile.done(); tile.advance()) {
      float r_c[BLOCK_N / 2];  // (64, block_n)
      multiply(r_c);
      store(r_c, tile.row() + warpgroup_ * kRows, tile.column());
    }
    if (leads()) wait_stores_read<0>();
  }

 private:
  __device__ __forceinline__ bool leads() const { return threadIdx.x % kWarpgroup == 0; }

  // C = A B for the rows of this warpgroup. One group of products is always under way.
  __device__ __forceinline__ void multiply(float (&r_c)[BLOCK_N / 2]) {
    int before = 0;  // the stage that the products under way read
#pragma unroll 1
    for (int depth = 0; depth < params_.depth; depth += BLOCK_K) {
      const uint32_t s_a = shared_address(shared_.a[cursor_.stage]) + warpgroup_ * kRows * kPanelRowBytes;
      const uint32_t a = matrix_place(s_a, 16);                                                 // (64, block_k)
      const uint32_t b = matrix_place(shared_address(shared_.b[cursor_.stage]), kBPanelBytes);  // (block_k, block_n)
      shared_.full[cursor_.stage].wait(cursor_.parity);
      pin(r_c);
      matrix_fence();
#pragma unroll
      for (int step = 0; step < BLOCK_K / 16; ++step) {
        const int panel = step / 4;
        multiply_shared_rows<Element>(r_c, matrix_descriptor(a + panel * (kAPanelBytes / 16) + step % 4 * (32 / 16)),
                                      matrix_descriptor(b + step * (16 * kPanelRowBytes / 16)), depth > 0 || step > 0);
      }
      matrix_commit();
      pin(r_c);
      if (depth > 0) {
        matrix_wait<1>();
        release(before);
      }
      before = cursor_.stage;
      cursor_.advance();
    }
    matrix_wait<0>();
    pin(r_c);
    release(before);
  }

  // Each warp says, to every block of the cluster, that it has read the stage: its tiles of B lie in all of them.
  __device__ __forceinline__ void release(int stage) {
    const uint32_t lane = threadIdx.x % 32;
    if constexpr (CLUSTER == 1) {
      if (lane == 0) shared_.empty[stage].arrive();
    } else {
      __syncwarp();  // the lane that arrives speaks for all
      if (lane < CLUSTER) arrive_in(shared_.empty[stage], lane);
    }
  }

  // Panel by panel through shared memory, swizzled as TMA expects it; two are under way at a time.
  __device__ __forceinline__ void store(const float (&r_c)[BLOCK_N / 2], int row, int column) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int tile_row = static_cast<int>(threadIdx.x) % kWarpgroup / 32 * 16 + lane % 16;
#pragma unroll
    for (int panel = 0; panel < kPanelsOfB; ++panel) {
      char* s_panel = shared_.c[warpgroup_][panel % kCBuffers];
      if (leads()) wait_stores_read<kCBuffers - 1>();
      sync_warpgroup();  // nobody overwrites what a store still reads
#pragma unroll
      for (int step = 0; step < kPanelColumns / 16; ++step) {
        const int chunk = 2 * step + lane / 16;
        const float* c = r_c + panel * (kPanelColumns / 2) + 8 * step;
        store_matrices(shared_address(s_panel) + tile_row * kPanelRowBytes + (chunk ^ (tile_row % 8)) * 16,
                       pack<Element>(c[0], c[1]), pack<Element>(c[2], c[3]), pack<Element>(c[4], c[5]),
                       pack<Element>(c[6], c[7]));
      }
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
      sync_warpgroup();
      if (leads()) store_tile(params_.c, column + panel * kPanelColumns, row, s_panel);
    }
  }

  __device__ __forceinline__ void sync_warpgroup() const { named_barrier_sync(1 + warpgroup_, kWarpgroup); }

  Shared& shared_;
  const Params& params_;
  uint32_t rank_;
  int warpgroup_;
  RingCursor<STAGES> cursor_;
};

// `params` refers to parameters of the kernel: TMA reads the tensor maps where they lie.
template <class Element>
__device__ __forceinline__ void gemm(const Params& params) {
  extern __shared__ __align__(1024) uint8_t s_memory[];
  auto& shared = *reinterpret_cast<Shared*>(s_memory);
  const uint32_t rank = rank_in_cluster();
  const int warpgroup = __shfl_sync(~0u, static_cast<int>(threadIdx.x) / kWarpgroup, 0);
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      shared.full[stage].init(1);
      shared.empty[stage].init(CONSUMERS * kWarps * CLUSTER);
    }
    publish_mbarriers();
  }
  sync_cluster();
  if (warpgroup == CONSUMERS) {
    give_registers();
    if (threadIdx.x == CONSUMERS * kWarpgroup) produce(shared, params, rank);
  } else {
    take_registers();
    Consumer<Element>(shared, params, rank, warpgroup).run();
  }
}

}  // namespace
}  // namespace assay::gemm

#define GEMM_ENTRY(dtype)                                                                               \
  extern "C" __global__ void __launch_bounds__(assay::gemm::kThreads, 1)                                \
      gemm_hopper_##dtype(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, \
                          const __grid_constant__ CUtensorMap c, int M, int N, int K) {                 \
    assay::gemm::gemm<assay::dtype>({a, b, c, M, N, K});                                                \
  }

GEMM_ENTRY(f16)
GEMM_ENTRY(bf16)
