// SPDX-License-Identifier: MIT
// Forward attention on the tensor cores of sm_80 and later: O = softmax(scale Q K^T) V, one block of threads per tile
// of BLOCK_M queries of one head, walking over the keys in blocks of BLOCK_N from the last to the first.
//
//   tensors   (B, H, S, D) contiguous, 16-byte aligned, f16 or bf16; accumulation and softmax in float
//   warps     each owns BLOCK_M / NUM_WARPS query rows, so that a row's softmax never leaves four lanes
//   shared    Q tile, then STAGES key tiles, then STAGES value tiles, all swizzled
#include "../../primitives/async_copy.cuh"
#include "../../primitives/element.cuh"
#include "../../primitives/swizzle.cuh"
#include "../primitives/key_value_pipeline.cuh"
#include "../primitives/mask.cuh"
#include "../primitives/online_softmax.cuh"
#include "../primitives/output_store.cuh"
#include "../primitives/tile_schedule.cuh"
#include "../primitives/warp_products.cuh"

#ifndef BLOCK_M
#define BLOCK_M 128
#endif
#ifndef BLOCK_N
#define BLOCK_N 64
#endif
#ifndef NUM_WARPS
#define NUM_WARPS 4
#endif
#ifndef STAGES
#define STAGES 2
#endif

#if BLOCK_M % (16 * NUM_WARPS) != 0
#error "BLOCK_M must be a multiple of 16 * NUM_WARPS: each warp owns whole slabs of 16 query rows"
#endif
#if BLOCK_N % 16 != 0
#error "BLOCK_N must be a multiple of 16: the depth of one tensor-core product"
#endif

namespace assay {
namespace {

template <typename ElementType, int kHeadDimension>
struct Configuration {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kQueryRows = BLOCK_M;
  static constexpr int kKeyRows = BLOCK_N;
  static constexpr int kThreads = 32 * NUM_WARPS;
  static constexpr int kRowsPerWarp = BLOCK_M / NUM_WARPS;
  static constexpr int kSlabs = kRowsPerWarp / kMmaRows;
  static constexpr int kRowBytes = kHeadDim * 2;

  // Registers per thread that the three register tiles take. Beyond this sum the queries stay in shared memory.
  static constexpr int kScoreRegisters = kSlabs * kKeyRows / 2;
  static constexpr int kOutputRegisters = kSlabs * kHeadDim / 2;
  static constexpr int kQueryRegisters = kSlabs * kHeadDim / 4;
  static constexpr bool kQueryInRegisters = kScoreRegisters + kOutputRegisters + kQueryRegisters <= 160;

  // Where the tiles leave room, registers are capped so that 16 warps instead of 8 share a multiprocessor.
  static constexpr int kWarpsPerProcessor = kScoreRegisters + kOutputRegisters + kQueryRegisters <= 80 ? 16 : 8;
  static constexpr int kBlocksPerProcessor = kWarpsPerProcessor / NUM_WARPS;
};

template <typename Element>
struct Params {
  const Element* query;  // all (batch * heads, sequence, head_dim)
  const Element* key;
  const Element* value;
  Element* output;
  int heads;  // of all batches
  int sequence;
  float scale;
  bool causal;
};

template <typename Config>
class Attention {
  using Element = typename Config::Element;
  using Query = QueryOperand<Config::kSlabs, Config::kHeadDim, Config::kQueryInRegisters>;
  using QueryCopy = TileCopy<Config::kQueryRows, Config::kRowBytes, Config::kThreads>;
  using Tiles = ContiguousTiles<Config::kKeyRows, Config::kRowBytes, Config::kThreads>;
  using Pipeline = KeyValuePipeline<STAGES, Tiles>;
  using Cursor = PatchCursor<Config::kRowBytes>;

 public:
  __device__ __forceinline__ Attention(const Params<Element>& params, char* s_memory, QueryTile tile)
      : params_(params),
        mask_{params.sequence, params.causal},
        first_query_(tile.block * Config::kQueryRows),
        warp_row_(static_cast<int>(threadIdx.x) / 32 * Config::kRowsPerWarp),
        lane_(static_cast<int>(threadIdx.x) % 32),
        head_offset_(static_cast<int64_t>(tile.head) * params.sequence * Config::kHeadDim),
        s_query_(s_memory),
        s_tiles_(shared_address(s_memory) + QueryCopy::kTileBytes),
        query_(shared_address(s_memory) + warp_row_ * Config::kRowBytes, lane_),
        key_(Pipeline::first_key_tile(s_tiles_), lane_of_depth_first(lane_)),
        value_(Pipeline::first_value_tile(s_tiles_), lane_of_rows_first(lane_)),
        pipeline_(Tiles(params.key + head_offset_, params.value + head_offset_, params.sequence), s_tiles_),
        softmax_(params.scale) {}

  __device__ __forceinline__ void run() {
    const int end_block = mask_.template end_block<Config::kKeyRows>(first_query_, Config::kQueryRows);
    const int first_masked_block = mask_.template first_masked_block<Config::kKeyRows>(first_query_);

    fetch_query();
    pipeline_.start(end_block - 1);
    r_output_.clear();
    wait_for_query();

    int block = end_block - 1;
#pragma unroll 1
    for (; block >= first_masked_block; --block) attend<true>(block);
#pragma unroll 1
    for (; block >= 0; --block) attend<false>(block);

    scale_rows(r_output_, softmax_.normalizer());
    store_output();
  }

 private:
  // One block of keys and values. kMasked: some query does not see some key of it.
  template <bool kMasked>
  __device__ __forceinline__ void attend(int block) {
    const int first_key = block * Config::kKeyRows;
    const int first_row = first_query_ + warp_row_;
    const bool hidden = kMasked && mask_.hides(first_key, first_row + Config::kRowsPerWarp - 1);  // from this warp
    const uint32_t s_shift = pipeline_.stage_shift();
    WarpTile<Config::kSlabs, Config::kKeyRows> r_scores;

    pipeline_.template wait_for_keys<kMasked>(block);
    if (!hidden) {
      multiply_transposed<Element>(r_scores, query_, key_, s_shift);  // (rows, key_rows)  S = Q K^T
      if (kMasked) mask_.apply(r_scores, first_row, first_key, lane_);
    }
    pipeline_.wait_for_values(block);
    if (!hidden) {
      const auto shrink = softmax_.template absorb<kMasked>(r_scores);  // S -> P
      scale_rows(r_output_, shrink);
      accumulate<Element>(r_output_, r_scores, value_, s_shift);  // (rows, head_dim)  O += P V
    }
    pipeline_.release();
  }

  __device__ __forceinline__ void fetch_query() {
    const auto* g_tile = reinterpret_cast<const char*>(params_.query + head_offset_) +
                         static_cast<int64_t>(first_query_) * Config::kRowBytes;
    const int thread = static_cast<int>(threadIdx.x);
    QueryCopy::ragged(shared_address(s_query_) + QueryCopy::offset(thread), g_tile + thread * kChunkBytes,
                      params_.sequence - first_query_, thread);
  }

  __device__ __forceinline__ void wait_for_query() {
    if constexpr (Config::kQueryInRegisters) {
      wait_for_copies<0>();
      __syncthreads();
      query_.load();
    }
  }

  __device__ __forceinline__ void store_output() {
    const int first_row = first_query_ + warp_row_;
    Element* g_rows = params_.output + head_offset_ + static_cast<int64_t>(first_row) * Config::kHeadDim;
    __syncwarp();  // the warp's own query rows are read for the last time above, and become the output's
    store_rows<Element>(g_rows, s_query_ + warp_row_ * Config::kRowBytes, r_output_, params_.sequence - first_row,
                        lane_);
  }

  const Params<Element>& params_;
  Mask mask_;
  int first_query_;
  int warp_row_;
  int lane_;
  int64_t head_offset_;
  char* s_query_;     // (query_rows, head_dim)
  uint32_t s_tiles_;  // (2 * stages, key_rows, head_dim)
  Query query_;
  Cursor key_;
  Cursor value_;
  Pipeline pipeline_;
  OnlineSoftmax<Config::kSlabs> softmax_;
  WarpTile<Config::kSlabs, Config::kHeadDim> r_output_;
};

template <typename Config>
__device__ __forceinline__ void attention_forward(const Params<typename Config::Element>& params) {
  extern __shared__ __align__(1024) char s_memory[];
  const TileSchedule schedule{(params.sequence + Config::kQueryRows - 1) / Config::kQueryRows, params.heads,
                              int64_t{2} * params.sequence * Config::kRowBytes};
  const int index = static_cast<int>(blockIdx.x);
  Attention<Config>(params, s_memory, params.causal ? schedule.longest_first(index) : schedule.in_order(index)).run();
}

}  // namespace
}  // namespace assay

#define ATTENTION_ENTRY(dtype, head_dim)                                                                              \
  extern "C" __global__ void __launch_bounds__(32 * NUM_WARPS,                                                        \
                                               assay::Configuration<assay::dtype, head_dim>::kBlocksPerProcessor)     \
      attention_##dtype##_d##head_dim(const assay::dtype* __restrict__ q, const assay::dtype* __restrict__ k,         \
                                      const assay::dtype* __restrict__ v, assay::dtype* __restrict__ o, int B, int H, \
                                      int S, float scale, int causal) {                                               \
    assay::attention_forward<assay::Configuration<assay::dtype, head_dim>>(                                           \
        {q, k, v, o, B * H, S, scale, causal != 0});                                                                  \
  }

ATTENTION_ENTRY(f16, 64)
ATTENTION_ENTRY(f16, 128)
ATTENTION_ENTRY(bf16, 64)
ATTENTION_ENTRY(bf16, 128)
