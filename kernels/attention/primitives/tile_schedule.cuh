// SPDX-License-Identifier: MIT
// Which query tile of which head a block works on. The grid is one-dimensional, since y and z end at 65,535.
#pragma once

#include <cstdint>
#include <cuda_runtime.h>

namespace assay {

struct QueryTile {
  int block;  // of queries, within the head
  int head;   // of all batches' heads
};

struct TileSchedule {
  int query_blocks;
  int heads;
  int64_t head_bytes;  // keys and values of one head

  // Neighbouring blocks share a head, hence its keys and values in the L2 cache.
  __device__ __forceinline__ QueryTile in_order(int index) const {
    return {index % query_blocks, index / query_blocks};
  }

  // Causal tiles differ in length: the last queries see most keys. Longest first, over as many heads as stay in the
  // L2 cache together, so that the short ones fill the gaps at the end.
  __device__ __forceinline__ QueryTile longest_first(int index) const {
    constexpr int64_t kCacheBytes = 16 << 20;  // of the 40 to 50 MB that L4, A100 and H100 have
    const int group = max(1, static_cast<int>(kCacheBytes / head_bytes));
    const int first_head = static_cast<int>(index / (static_cast<int64_t>(group) * query_blocks)) * group;
    const int members = min(group, heads - first_head);
    const int position = index - first_head * query_blocks;
    return {query_blocks - 1 - position / members, first_head + position % members};
  }
};

}  // namespace assay
