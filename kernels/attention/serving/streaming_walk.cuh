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
template <class Config>
class TileWalk {
 public:
  __device__ __forceinline__ explicit TileWalk(const Params& params)
      : params_(params), piece_(static_cast<int>(blockIdx.x)) {}

  __device__ __forceinline__ bool next(TileWork& work) {
    const int heads = params_.key_heads * params_.group;
    const int tiles = params_.row_tiles;
    const int pieces = params_.in_pairs != 0 ? (tiles + 1) / 2 : tiles;  // of a head
    for (;;) {
      const int head = piece_ / pieces;
      if (head >= heads * params_.batch) break;
      const int position = piece_ - head * pieces;
      const bool first = params_.in_pairs != 0 && !second_;
      const int tile = first ? tiles - 1 - position : position;
      second_ = first && tile != position;
      if (!second_) piece_ += static_cast<int>(gridDim.x);
      const Sequence sequence(params_, head / heads);
      if (tile * Config::kRows >= sequence.queries) continue;
      describe(work, sequence, tile, head % heads);
      return true;
    }
    work.tile = -1;
    return false;
  }

 private:
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
  bool second_ = false;  // of a pair
};

// The sequence that a tile belongs to, again.
__device__ __forceinline__ Sequence sequence_of(const Params& params, const TileWork& work) {
  return Sequence(params, work.batch, work.first_query, work.queries, work.keys);
}

}  // namespace assay::attention::serving::streaming
