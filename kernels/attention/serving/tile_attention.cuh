// SPDX-License-Identifier: MIT
// Attention for sequences of any length, windows, capped scores and paged keys, on the tensor cores of sm_80 and later
// (mma.sync). The walk is that of ../library/warp_attention.cuh: a block owns a tile of queries of one head, a warp
// owns whole rows, blocks of keys come from the last that some query sees to the first.
#pragma once

#include "../library/row_softmax.cuh"
#include "../library/strided_tiles.cuh"
#include "../library/warp_attention.cuh"
#include "../library/warp_rows.cuh"
#include "../primitives/key_value_pipeline.cuh"
#include "../primitives/tile_schedule.cuh"
#include "../primitives/warp_products.cuh"
#include "band.cuh"
#include "tile_copy.cuh"

namespace assay::attention::serving {

// What the calls of this folder need besides leaves less room for queries in registers.
template <typename ElementType, int kHeadDimension, int kRows, int kKeys, int kStageCount>
struct TileConfig : library::WarpConfig<ElementType, kHeadDimension, kRows, kKeys, kStageCount> {
  using Plain = library::WarpConfig<ElementType, kHeadDimension, kRows, kKeys, kStageCount>;
  static constexpr bool kQueryInRegisters = Plain::kRegisters <= 128;
};

template <typename Config>
class TileAttention {
  using Element = typename Config::Element;
  using Query = QueryOperand<Config::kSlabs, Config::kHeadDim, Config::kQueryInRegisters>;
  using QueryCopy = library::StridedCopy<Config::kQueryRows, Config::kRowBytes, Config::kThreads>;
  using Tiles = PagedTiles<Config::kKeyRows, Config::kRowBytes, Config::kThreads>;
  using Pipeline = KeyValuePipeline<Config::kStages, Tiles>;
  using Cursor = PatchCursor<Config::kRowBytes>;

 public:
  __device__ __forceinline__ TileAttention(const Params& params, const Sequence& sequence, char* s_memory, int head,
                                           int first_query)
      : params_(params),
        sequence_(sequence),
        first_query_(first_query),
        warp_row_(static_cast<int>(threadIdx.x) / 32 * Config::kRowsPerWarp),
        lane_(static_cast<int>(threadIdx.x) % 32),
        head_(head),
        seen_(sequence.seen_by_some(first_query, last_query())),
        s_query_(s_memory),
        s_tiles_(shared_address(s_memory) + QueryCopy::kTileBytes),
        query_(shared_address(s_memory) + warp_row_ * Config::kRowBytes, lane_),
        key_(Pipeline::first_key_tile(s_tiles_), lane_of_depth_first(lane_)),
        value_(Pipeline::first_value_tile(s_tiles_), lane_of_rows_first(lane_)),
        pipeline_(
            Tiles(PagedKeys(params, sequence, head / params.group), seen_.first / Config::kKeyRows, params.row_chunks),
            s_tiles_),
        softcap_(params),
        softmax_(Softcap::softmax_scale(params)) {}

  __device__ __forceinline__ void run() {
    const int first_block = seen_.first / Config::kKeyRows;
    const int blocks = seen_.end > seen_.first ? (seen_.end - 1) / Config::kKeyRows + 1 - first_block : 0;

    r_output_.clear();
    if (blocks > 0) {
      fetch_query();
      pipeline_.start(blocks - 1);
      wait_for_query();
    }
#pragma unroll 1
    for (int block = blocks - 1; block >= 0; --block) attend(block, (first_block + block) * Config::kKeyRows);

    softmax_.finish();
    scale_rows(r_output_, softmax_.normalizer());
    store();
  }

 private:
  // Block `block` of those that the tile sees, whose first key is first_key.
  __device__ __forceinline__ void attend(int block, int first_key) {
    const int first_row = first_query_ + warp_row_;
    const int last_row = min(first_row + Config::kRowsPerWarp, sequence_.queries) - 1;
    const KeyRange some = sequence_.seen_by_some(first_row, last_row);  // of this warp's rows
    const KeyRange all = sequence_.seen_by_all(first_row, last_row);
    const bool hidden = first_key >= some.end || first_key + Config::kKeyRows <= some.first;
    const bool whole = first_key >= all.first && first_key + Config::kKeyRows <= all.end;
    const auto mask = [this, whole, first_row, first_key](WarpTile<Config::kSlabs, Config::kKeyRows>& r_scores) {
      softcap_.apply(r_scores);
      if (!whole) hide(r_scores, first_row, first_key);
    };
    library::attend_keys<true, Element, Config::kKeyRows>(block, hidden, query_, key_, value_, pipeline_, softmax_,
                                                          r_output_, mask);
  }

  __device__ __forceinline__ void hide(WarpTile<Config::kSlabs, Config::kKeyRows>& r_scores, int first_row,
                                       int first_key) const {
    hide_outside(r_scores, first_key, lane_, [&](int row) {
      return KeyRange{sequence_.first_visible(first_row + row), sequence_.visible_end(first_row + row)};
    });
  }

  __device__ __forceinline__ int last_query() const {
    return min(first_query_ + Config::kQueryRows, sequence_.queries) - 1;
  }

  __device__ __forceinline__ library::StridedRows rows_of(const void* g_tensor, const int64_t (&strides)[3]) const {
    const int64_t offset = sequence_.query_offset(params_, strides, head_, 0);
    return {static_cast<char*>(const_cast<void*>(g_tensor)) + offset * int64_t{sizeof(Element)},
            strides[2] * int64_t{sizeof(Element)}, sequence_.queries};
  }

  __device__ __forceinline__ void fetch_query() {
    QueryCopy(params_.row_chunks)
        .template fetch<true>(shared_address(s_query_), rows_of(params_.query, params_.query_strides), first_query_);
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
    __syncwarp();  // the warp's own query rows are read for the last time above, and become the output's
    library::store_strided_rows<Element>(rows_of(params_.output, params_.output_strides), first_row, params_.row_chunks,
                                         s_query_ + warp_row_ * Config::kRowBytes, r_output_, lane_);
    if (params_.log_sum_exp == nullptr) return;
    float* g_head = params_.log_sum_exp + sequence_.log_sum_exp_index(params_, head_, 0);
    library::store_log_sum_exp(g_head, first_row, sequence_.queries, softmax_, lane_);
  }

  const Params& params_;
  Sequence sequence_;
  int first_query_;
  int warp_row_;
  int lane_;
  int head_;
  KeyRange seen_;     // by some query of the tile
  char* s_query_;     // (query_rows, head_dim)
  uint32_t s_tiles_;  // (2 * stages, key_rows, head_dim)
  Query query_;
  Cursor key_;
  Cursor value_;
  Pipeline pipeline_;
  Softcap softcap_;
  library::RowSoftmax<Config::kSlabs> softmax_;
  WarpTile<Config::kSlabs, Config::kHeadDim> r_output_;
};

// Grid: a block for each tile of queries of the longest sequence, head and batch. Tiles that a sequence does not have
// end at once.
template <typename Config>
__device__ __forceinline__ void run_tiles(const Params& params) {
  extern __shared__ __align__(1024) char s_memory[];
  const int heads = params.key_heads * params.group;
  const TileSchedule schedule{params.row_tiles, heads * params.batch,
                              int64_t{2} * max(params.key_rows, 1) * Config::kRowBytes};
  const int index = static_cast<int>(blockIdx.x);
  const QueryTile tile = params.window_right < kUnlimited ? schedule.longest_first(index) : schedule.in_order(index);
  const Sequence sequence(params, tile.head / heads);
  const int first_query = tile.block * Config::kQueryRows;
  if (first_query >= sequence.queries) return;
  TileAttention<Config>(params, sequence, s_memory, tile.head % heads, first_query).run();
}

template <typename Config>
__global__ void __launch_bounds__(Config::kThreads, Config::kBlocksPerProcessor)
    tile_attention(const __grid_constant__ Params params) {
  run_tiles<Config>(params);
}

}  // namespace assay::attention::serving
