// SPDX-License-Identifier: MIT
// How a call is laid out over a Hopper GPU by the kernel of this folder, and when that kernel is the one to take. Knows
// no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../primitives/cluster_slots.hpp"

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
  int warps;    // of a block: 4 or 8
  int cluster;  // blocks that share the keys of a head
};

constexpr int ceil_div(int64_t a, int64_t b) {
  return static_cast<int>((a + b - 1) / b);
}
constexpr int64_t packed_rows(const Shape& shape) {
  return int64_t{shape.group} * shape.query_rows;
}
constexpr int row_tiles(const Shape& shape, int slabs) {
  return ceil_div(packed_rows(shape), 16 * slabs);
}

// Of 16 packed rows in a tile.
constexpr int slabs_of(const Shape& shape) {
  return shape.head_dim > 128 || packed_rows(shape) <= 16 ? 1 : 2;
}

// Keys and values are read once.
constexpr bool one_tile(const Shape& shape) {
  return row_tiles(shape, slabs_of(shape)) == 1;
}

// How many clusters a GPU holds at a time.
struct ClusterSlots {
  int of_8_warps[kLargestCluster + 1];  // by blocks of the cluster, from 1; blocks of which a multiprocessor holds one
  int of_4_warps[kLargestCluster + 1];  // two
};

constexpr ClusterSlots usual_slots(int multiprocessors) {
  ClusterSlots slots{};
  for (int cluster = 1; cluster <= kLargestCluster; ++cluster) {
    slots.of_8_warps[cluster] = usual_clusters(multiprocessors, cluster, 1);
    slots.of_4_warps[cluster] = usual_clusters(multiprocessors, cluster, 2);
  }
  return slots;
}

// What this kernel is for.
constexpr bool few_queries(const Shape& shape) {
  constexpr int kMostRows = 64;
  constexpr int kLeastKeys = 256;
  return shape.query_rows <= kMostRows && shape.key_rows >= kLeastKeys;
}

// Few queries and many keys. Where the packed rows are more than a tile, keys and values are read again for each, and
// the kernels for long queries are better as soon as their tiles of 128 rows fill the GPU.
constexpr bool suits(const Shape& shape, int multiprocessors) {
  if (!few_queries(shape)) return false;
  const int64_t long_tiles = int64_t{shape.batch} * shape.key_heads * shape.group;
  return one_tile(shape) || long_tiles < multiprocessors;
}

// Microseconds of a layout, by rates that were measured on an H200 (README.md): what one block reads by itself, and
// what memory, or the L2 cache where tiles of rows share keys, gives to all.
constexpr double estimate_us(const Shape& shape, const Plan& plan, int clusters_at_a_time) {
  constexpr double kLaunch = 4.0;
  constexpr double kRound = 1.5;       // a block's first loads and its merge
  constexpr double kPerBlock = 0.03;   // what it sends to another
  constexpr double kHalfOccupied = 5;  // blocks that reach half of the rate of memory
  const int tiles = row_tiles(shape, plan.slabs);
  const double all_gb_per_s = tiles == 1 ? 4550 : 5500;
  const double block_gb_per_s = plan.slabs == 2 ? (plan.warps == 8 ? 62 : 50) : (plan.warps == 8 ? 104 : 52);
  const int64_t clusters = int64_t{shape.batch} * shape.key_heads * tiles;
  const double bytes = 4.0 * shape.head_dim * ceil_div(shape.key_rows, plan.cluster);
  const auto round_us = [&](int64_t running) {
    const double share = all_gb_per_s / (static_cast<double>(running * plan.cluster) + kHalfOccupied);
    return kRound + kPerBlock * plan.cluster + bytes / std::min(block_gb_per_s, share) * 1e-3;
  };
  const int64_t rest = clusters % clusters_at_a_time;
  return kLaunch + static_cast<double>(clusters / clusters_at_a_time) * round_us(clusters_at_a_time) +
         (rest > 0 ? round_us(rest) : 0.0);
}

constexpr Plan plan(const Shape& shape, const ClusterSlots& slots) {
  const int slabs = slabs_of(shape);
  Plan best{};
  double least = 0;
  for (int warps : {8, 4}) {
    if (warps == 8 && shape.head_dim > 128) continue;
    if (warps == 4 && slabs == 2) continue;  // a multiprocessor would hold no more than one block of them either
    for (int cluster = 1; cluster <= kLargestCluster; ++cluster) {
      const bool alone = warps == 8 || shape.head_dim > 128;  // on its multiprocessor
      const int clusters = (alone ? slots.of_8_warps : slots.of_4_warps)[cluster];
      if (clusters < 1) continue;
      const Plan candidate{slabs, warps, cluster};
      const bool power_of_two = (cluster & (cluster - 1)) == 0;  // others were a few per cent slower than estimated
      const double time = estimate_us(shape, candidate, clusters) * (power_of_two ? 1.0 : 1.06);
      if (least == 0 || time < 0.995 * least) {
        least = time;
        best = candidate;
      }
    }
  }
  return best;
}

}  // namespace assay::attention::split_keys
