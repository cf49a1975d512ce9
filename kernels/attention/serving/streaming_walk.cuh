// SPDX-License-Identifier: MIT
// The list of tiles that a block of the streaming kernel works through. All of its warps that need to know walk it for
// themselves.
#pragma once

#include "sequence.cuh"

namespace assay::attention::serving::streaming {

// One tile of queries and the blocks of keys that it looks at, from last_block down to first_block.
struct TileWork {
  int tile;  // -1: none
  int head;
  int batch;
  int first_query;  // where the sequence begins in the packed tensor
  int queries;      // of the sequence
  int keys;
  int first_block;
  int last_block;
};

// Tiles of one head follow each other, so that what runs at a time shares keys in the L2 cache. With a causal mask a
// piece of work is a pair of tiles, the last and the first of those left: pieces of a sequence then are of equal
// length.
//
// Only tiles that a sequence has are counted, so that all blocks have equally many, however lengths differ. Where the
// tiles of a sequence begin in that count is a prefix sum over the sequences, 32 at a time, one in each lane: all lanes
// of a warp walk together.
template <class Config>
class TileWalk {
 public:
  __device__ __forceinline__ explicit TileWalk(const Params& params)
      : params_(params), piece_(static_cast<int>(blockIdx.x)) {
    look_at(0);
  }

  __device__ __forceinline__ bool next(TileWork& work) {
    for (int ahead = __shfl_sync(~0u, end_, 31); piece_ - before_ >= ahead; ahead = __shfl_sync(~0u, end_, 31)) {
      if (first_ + 32 >= params_.batch) {
        work.tile = -1;
        return false;
      }
      before_ += ahead;
      look_at(first_ + 32);
    }
    const int inside = piece_ - before_;
    const int lane = __popc(__ballot_sync(~0u, end_ <= inside));  // of the sequence
    const int end_before = __shfl_sync(~0u, end_, max(lane - 1, 0));
    const Sequence sequence(params_, first_ + lane);
    const int tiles = tiles_of(sequence.queries);
    const int pieces = pieces_of(tiles);
    const int piece = inside - (lane > 0 ? end_before : 0);  // of the sequence
    const int head = piece / pieces;
    const int position = piece - head * pieces;
    const bool first = params_.in_pairs != 0 && !second_;
    const int tile = first ? tiles - 1 - position : position;
    second_ = first && tile != position;
    if (!second_) piece_ += static_cast<int>(gridDim.x);
    describe(work, sequence, tile, head);
    return true;
  }

 private:
  __device__ __forceinline__ static int tiles_of(int queries) {
    return (max(queries, 0) + Config::kRows - 1) / Config::kRows;
  }
  __device__ __forceinline__ int pieces_of(int tiles) const { return params_.in_pairs != 0 ? (tiles + 1) / 2 : tiles; }

  // The sequences from `first` on, as far as there are lanes.
  __device__ __forceinline__ void look_at(int first) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    first_ = first;
    end_ = 0;
    if (first + lane < params_.batch) {
      const int queries = Sequence(params_, first + lane).queries;
      end_ = params_.key_heads * params_.group * pieces_of(tiles_of(queries));
    }
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const int below = __shfl_up_sync(~0u, end_, distance);
      if (lane >= distance) end_ += below;
    }
  }

  __device__ __forceinline__ static void describe(TileWork& work, const Sequence& sequence, int tile, int head) {
    const int first_row = tile * Config::kRows;
    const int last_row = min(first_row + Config::kRows, sequence.queries) - 1;
    const KeyRange seen = sequence.seen_by_some(first_row, last_row);
    const bool any =
        seen.end > seen.first;  // rows that see no key still take part in one block, in which all is hidden
    work = {tile,
            head,
            sequence.batch,
            sequence.first_query,
            sequence.queries,
            sequence.keys,
            any ? seen.first / Config::kKeyBlock : 0,
            any ? (seen.end - 1) / Config::kKeyBlock : 0};
  }

  const Params& params_;
  int piece_;
  int first_ = 0;        // sequence of lane 0
  int before_ = 0;       // pieces of the sequences before it
  int end_ = 0;          // pieces of the sequences from lane 0's up to this lane's
  bool second_ = false;  // of a pair
};

// The sequence that a tile belongs to, again.
__device__ __forceinline__ Sequence sequence_of(const Params& params, const TileWork& work) {
  return Sequence(params, work.batch, work.first_query, work.queries, work.keys);
}

}  // namespace assay::attention::serving::streaming
