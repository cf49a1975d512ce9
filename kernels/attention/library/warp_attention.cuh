// SPDX-License-Identifier: MIT
// Forward attention on the tensor cores of sm_80 and later (mma.sync), for any head size up to kHeadDim, any strides,
// grouped heads, and query and key lengths that differ. The tile walk is that of ../tensor_core/attention.cu: a block
// of threads owns kQueryRows queries of one head, a warp owns whole rows, keys come from the last block to the first.
#pragma once

#include "../../primitives/element.cuh"
#include "../primitives/key_value_pipeline.cuh"
#include "../primitives/mask.cuh"
#include "../primitives/tile_schedule.cuh"
#include "../primitives/warp_products.cuh"
#include "row_softmax.cuh"
#include "strided_tiles.cuh"
#include "warp_params.hpp"
#include "warp_rows.cuh"

namespace assay::attention::library {

template <typename ElementType, int kHeadDimension, int kRows, int kKeys, int kStageCount>
struct WarpConfig {
  using Element = ElementType;
  static constexpr int kHeadDim = kHeadDimension;
  static constexpr int kQueryRows = kRows;
  static constexpr int kKeyRows = kKeys;
  static constexpr int kStages = kStageCount;
  static constexpr int kWarps = 4;
  static constexpr int kThreads = 32 * kWarps;
  static constexpr int kRowsPerWarp = kQueryRows / kWarps;
  static constexpr int kSlabs = kRowsPerWarp / kMmaRows;
  static constexpr int kRowBytes = kHeadDim * 2;
  static constexpr int kSharedBytes = (kQueryRows + 2 * kStages * kKeyRows) * kRowBytes;

  // Registers per thread of the three register tiles. Beyond this sum the queries stay in shared memory.
  static constexpr int kRegisters = kSlabs * (kKeyRows / 2 + kHeadDim / 2 + kHeadDim / 4);
  static constexpr bool kQueryInRegisters = kRegisters <= 160;
  static constexpr int kBlocksPerProcessor = kRegisters <= 80 ? 3 : 2;
};

template <typename Config>
class WarpAttention {
  using Element = typename Config::Element;
  using Query = QueryOperand<Config::kSlabs, Config::kHeadDim, Config::kQueryInRegisters>;
  using QueryCopy = StridedCopy<Config::kQueryRows, Config::kRowBytes, Config::kThreads>;
  using Tiles = StridedTiles<Config::kKeyRows, Config::kRowBytes, Config::kThreads>;
  using Pipeline = KeyValuePipeline<Config::kStages, Tiles>;
  using Cursor = PatchCursor<Config::kRowBytes>;

 public:
  __device__ __forceinline__ WarpAttention(const WarpParams& params, char* s_memory, QueryTile tile)
      : params_(params),
        mask_{params.key_rows, params.causal},
        first_query_(tile.block * Config::kQueryRows),
        warp_row_(static_cast<int>(threadIdx.x) / 32 * Config::kRowsPerWarp),
        lane_(static_cast<int>(threadIdx.x) % 32),
        batch_(tile.head / params.query_heads),
        head_(tile.head % params.query_heads),
        s_query_(s_memory),
        s_tiles_(shared_address(s_memory) + QueryCopy::kTileBytes),
        query_(shared_address(s_memory) + warp_row_ * Config::kRowBytes, lane_),
        key_(Pipeline::first_key_tile(s_tiles_), lane_of_depth_first(lane_)),
        value_(Pipeline::first_value_tile(s_tiles_), lane_of_rows_first(lane_)),
        pipeline_(Tiles(keys_of(params.key, params.key_strides), keys_of(params.value, params.value_strides),
                        params.row_chunks),
                  s_tiles_),
        softmax_(params.scale) {}

  __device__ __forceinline__ void run() {
    // Query i of the mask is the one beside key i: the last query is beside the last key. It may be negative.
    const int beside = first_query_ + params_.key_rows - params_.query_rows;
    const int end_block = max(0, mask_.template end_block<Config::kKeyRows>(beside, Config::kQueryRows));
    const int first_masked_block = max(0, mask_.template first_masked_block<Config::kKeyRows>(beside));

    r_output_.clear();
    if (end_block > 0) {
      fetch_query();
      pipeline_.start(end_block - 1);
      wait_for_query();
    }
    int block = end_block - 1;
#pragma unroll 1
    for (; block >= first_masked_block; --block) attend<true>(block, beside);
#pragma unroll 1
    for (; block >= 0; --block) attend<false>(block, beside);

    softmax_.finish();
    scale_rows(r_output_, softmax_.normalizer());
    store();
  }

 private:
  // One block of keys and values. kMasked: some query does not see some key of it.
  template <bool kMasked>
  __device__ __forceinline__ void attend(int block, int beside) {
    const int first_key = block * Config::kKeyRows;
    const int first_row = beside + warp_row_;
    const bool hidden = kMasked && mask_.hides(first_key, first_row + Config::kRowsPerWarp - 1);  // from this warp
    const auto mask = [&](WarpTile<Config::kSlabs, Config::kKeyRows>& r_scores) {
      if (kMasked) mask_.apply(r_scores, first_row, first_key, lane_);
    };
    attend_keys<kMasked, Element, Config::kKeyRows>(block, hidden, query_, key_, value_, pipeline_, softmax_, r_output_,
                                                    mask);
  }

  __device__ __forceinline__ static StridedRows rows_of(const void* g_tensor, const int64_t (&strides)[3], int batch,
                                                        int head, int rows) {
    const int64_t offset = batch * strides[0] + head * strides[1];
    return {static_cast<char*>(const_cast<void*>(g_tensor)) + offset * int64_t{sizeof(Element)},
            strides[2] * int64_t{sizeof(Element)}, rows};
  }
  __device__ __forceinline__ StridedRows keys_of(const void* g_tensor, const int64_t (&strides)[3]) const {
    return rows_of(g_tensor, strides, batch_, head_ / params_.heads_per_key_head, params_.key_rows);
  }

  __device__ __forceinline__ void fetch_query() {
    const auto rows = rows_of(params_.query, params_.query_strides, batch_, head_, params_.query_rows);
    QueryCopy(params_.row_chunks).template fetch<true>(shared_address(s_query_), rows, first_query_);
  }

  __device__ __forceinline__ void wait_for_query() {
    if constexpr (Config::kQueryInRegisters) {
      wait_for_copies<0>();
      __syncthreads();
      query_.load();
    }
  }

  __device__ __forceinline__ void store() {
    const int first_row = first_query_ + warp_row_;
    const auto rows = rows_of(params_.output, params_.output_strides, batch_, head_, params_.query_rows);
    __syncwarp();  // the warp's own query rows are read for the last time above, and become the output's
    store_strided_rows<Element>(rows, first_row, params_.row_chunks, s_query_ + warp_row_ * Config::kRowBytes,
                                r_output_, lane_);
    if (params_.log_sum_exp == nullptr) return;
    float* g_head = params_.log_sum_exp + (int64_t{batch_} * params_.query_heads + head_) * params_.query_rows;
    store_log_sum_exp(g_head, first_row, params_.query_rows, softmax_, lane_);
  }

  const WarpParams& params_;
  Mask mask_;
  int first_query_;
  int warp_row_;
  int lane_;
  int batch_;
  int head_;
  char* s_query_;     // (query_rows, head_dim)
  uint32_t s_tiles_;  // (2 * stages, key_rows, head_dim)
  Query query_;
  Cursor key_;
  Cursor value_;
  Pipeline pipeline_;
  RowSoftmax<Config::kSlabs> softmax_;
  WarpTile<Config::kSlabs, Config::kHeadDim> r_output_;
};

// Grid: a block for each tile of queries of every head and batch.
template <typename Config>
__device__ __forceinline__ void run_warp(const WarpParams& params) {
  extern __shared__ __align__(1024) char s_memory[];
  const TileSchedule schedule{(params.query_rows + Config::kQueryRows - 1) / Config::kQueryRows,
                              params.query_heads * params.batch, int64_t{2} * params.key_rows * Config::kRowBytes};
  const int index = static_cast<int>(blockIdx.x);
  WarpAttention<Config>(params, s_memory, params.causal ? schedule.longest_first(index) : schedule.in_order(index))
      .run();
}

template <typename Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerProcessor)
    warp_attention(const __grid_constant__ WarpParams params) {
  run_warp<Config>(params);
}

}  // namespace assay::attention::library
