// SPDX-License-Identifier: MIT
// How a call is laid out over a Hopper GPU by the kernel of this folder, and when that kernel is the one to take. Knows
// no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>

namespace assay::attention::split_keys {

struct Shape {
  int batch;
  int key_heads;
  int group;  // query heads that share a key head
  int query_rows;
  int key_rows;
  int head_dim;
};

struct Plan {
  int slabs;    // of 16 packed rows in a tile
  int warps;    // of a block
  int cluster;  // blocks that share the keys of a head
};

constexpr int ceil_div(int64_t a, int64_t b) {
  return static_cast<int>((a + b - 1) / b);
}
constexpr int row_tiles(const Shape& shape, int slabs) {
  return ceil_div(int64_t{shape.group} * shape.query_rows, 16 * slabs);
}

constexpr int kLargestCluster = 16;  // more than 8 blocks is not portable: a GPU may refuse it
constexpr int kMostRows = 64;        // queries of a head; with more the kernels for long queries are not idle
constexpr int kLeastKeys = 256;      // with fewer there is little to split

constexpr bool suits(const Shape& shape) {
  return shape.query_rows <= kMostRows && shape.key_rows >= kLeastKeys;
}

// The cluster that takes the least time: rounds of blocks over the GPU, times what a block reads and what it costs
// besides. The unit is a key.
constexpr Plan plan(const Shape& shape, int multiprocessors, int largest_cluster = kLargestCluster) {
  constexpr int kBesideKeys = 160;
  Plan best{shape.head_dim > 128 || int64_t{shape.group} * shape.query_rows <= 16 ? 1 : 2, 8, 1};
  const int64_t work = int64_t{shape.batch} * shape.key_heads * row_tiles(shape, best.slabs);
  if (shape.head_dim > 128 || work >= 2 * multiprocessors) best.warps = 4;
  const int slots = multiprocessors * (best.warps == 4 && shape.head_dim <= 128 ? 2 : 1);
  const int tile_keys = shape.head_dim <= 64 ? 32 : 16;
  int64_t least = INT64_MAX;
  for (int cluster = 1; cluster <= largest_cluster; cluster *= 2) {
    // A cluster lies within one group of multiprocessors, of which a few are then left over.
    const int64_t usable = cluster < 4 ? slots : slots / 16 * 16;
    const int64_t keys =
        ceil_div(shape.key_rows, int64_t{cluster} * best.warps * tile_keys) * int64_t{best.warps} * tile_keys;
    const int64_t time = ceil_div(work * cluster, usable) * (keys + kBesideKeys);
    if (time < least) {
      least = time;
      best.cluster = cluster;
    }
  }
  return best;
}

}  // namespace assay::attention::split_keys
