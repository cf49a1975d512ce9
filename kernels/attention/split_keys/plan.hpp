// SPDX-License-Identifier: MIT
// How a call is laid out over a Hopper GPU by the kernel of this folder, and when that kernel is the one to take. Knows
// no CUDA.
#pragma once

#include <algorithm>
#include <cstdint>

#include "../primitives/cluster_slots.hpp"
#include "even_shares.hpp"
#include "plan_rates.hpp"

namespace assay::attention::split_keys {

struct Shape {
  int batch;
  int key_heads;
  int group;  // query heads that share a key head
  int query_rows;
  int key_rows;
  int head_dim;
};

// Whether warps work alone, each through heads of its own (solo_warps.cuh).
enum class Solo {
  no,      // the warps of a cluster share the keys of a head
  apart,   // what is left over after whole heads is shared by warps of one block
  shared,  // or of several
};

struct Plan {
  int slabs;             // of 16 packed rows in a tile
  int warps;             // of a block: 4 or 8; 7 where 8 do not fit
  int cluster;           // blocks of a cluster, which share its keys
  int sharers;           // clusters that share the keys of a head evenly; 1: each has a head of its own
  int clusters;          // that share the keys of all heads evenly; 0: as `sharers` says
  Solo solo = Solo::no;  // else `clusters` is the number of blocks

  constexpr bool exchanges() const { return solo == Solo::no ? sharers > 1 || clusters > 0 : solo == Solo::shared; }
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

// Of a row as the kernels compute it.
constexpr int columns_of(int head_dim) {
  return head_dim <= 64 ? 64 : head_dim <= 96 ? 96 : head_dim <= 128 ? 128 : 256;
}

// Keys of a tile, which one warp takes at a time.
constexpr int tile_keys(int head_dim) {
  return head_dim <= 64 ? 32 : 16;
}

// Of 16 packed rows in a tile.
constexpr int slabs_of(const Shape& shape) {
  return shape.head_dim > 128 || packed_rows(shape) <= 16 ? 1 : 2;
}

// Of a block whose warps work alone: as many as the shared memory of a multiprocessor holds.
constexpr int solo_warps(int slabs, int head_dim) {
  return head_dim > 128 ? 4 : slabs == 2 && head_dim > 96 ? 7 : 8;
}

// Keys and values are read once.
constexpr bool one_tile(const Shape& shape) {
  return row_tiles(shape, slabs_of(shape)) == 1;
}

// How many clusters a GPU holds at a time.
struct ClusterSlots {
  int of_8_warps[kLargestCluster + 1];  // by blocks of the cluster, from 1; blocks of which a multiprocessor holds one
  int of_4_warps[kLargestCluster + 1];  // two

  constexpr const int* of(int warps, int head_dim) const {
    return warps == 8 || head_dim > 128 ? of_8_warps : of_4_warps;
  }
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

// A head and a tile of its packed rows.
constexpr int64_t piece_count(const Shape& shape, int slabs) {
  return int64_t{shape.batch} * shape.key_heads * row_tiles(shape, slabs);
}
constexpr int64_t cluster_count(const Shape& shape, const Plan& plan) {
  return plan.clusters > 0 ? plan.clusters : piece_count(shape, plan.slabs) * plan.sharers;
}

// What clusters that share pieces leave for each other: twice the rows of a tile in float32, with origins and sums
// (exchange.cuh).
constexpr int64_t exchange_bytes(const Shape& shape, const Plan& plan) {
  return 2 * cluster_count(shape, plan) * (16 * plan.slabs * (columns_of(shape.head_dim) * 4 + kLargestCluster * 8));
}
constexpr int64_t kExchangeBytes = 6 << 20;  // that the library keeps for a stream
constexpr int kMostClusters = 1024;          // that its counts are for

// Whether there is memory for what the clusters leave for each other, and a tile of keys for each of their warps.
constexpr bool can_exchange(const Shape& shape, const Plan& plan) {
  const int64_t clusters = cluster_count(shape, plan);
  const int64_t tiles = piece_count(shape, plan.slabs) * ceil_div(shape.key_rows, tile_keys(shape.head_dim));
  return clusters <= kMostClusters && exchange_bytes(shape, plan) <= kExchangeBytes && tiles <= INT32_MAX &&
         tiles >= clusters * plan.cluster * plan.warps;
}

// Whether warps that work alone count their pieces and tiles in an int.
constexpr bool can_be_solo(const Shape& shape, int slabs) {
  return piece_count(shape, slabs) * ceil_div(shape.key_rows, tile_keys(shape.head_dim)) <= INT32_MAX;
}

constexpr int kClusters[] = {1, 2, 3, 4, 6, 8};  // that a plan takes

// Microseconds of a layout, by the rates of plan_rates.hpp: what one block computes by itself, and what
// memory, or the L2 cache where tiles of rows share keys, gives to all.
class LayoutTime {
 public:
  constexpr LayoutTime(const Shape& shape, const Plan& plan, int clusters_at_a_time)
      : shape_(shape), plan_(plan), at_a_time_(clusters_at_a_time), tiles_(row_tiles(shape, plan.slabs)) {}

  constexpr double us() const {
    if (plan_.solo != Solo::no) return us_of_solo();
    return plan_.clusters > 0 ? us_of_shares() : us_of_rounds();
  }

 private:
  static constexpr double kL2Share = 1.2;  // of the rate of memory, where tiles of rows share keys
  // Of the rate of memory, by blocks of a cluster.
  static constexpr double memory_share(int warps, int cluster) {
    return (warps == 8 ? rates::kMemoryOf8Warps : rates::kMemoryOf4Warps)[cluster];
  }
  constexpr double block_gb_per_s() const {
    const bool solo = plan_.solo != Solo::no;
    if (shape_.head_dim > 128) return solo ? rates::kSoloBlockD256 : rates::kBlockD256;
    if (plan_.slabs == 2) return solo ? rates::kSoloBlock2x16 : rates::kBlock2x16;
    if (solo) return rates::kSoloBlock;
    return plan_.warps == 8 ? rates::kBlock8 : rates::kBlock4;
  }
  // Memory sees the columns that there are, a block those that it computes.
  constexpr double bytes_us(double keys, int64_t blocks) const {
    const double own_share = plan_.solo != Solo::no ? rates::kSoloMemory : memory_share(plan_.warps, plan_.cluster);
    const bool from_l2 = tiles_ > 1 && plan_.clusters == 0;  // tiles of rows meet their keys at the same time
    const double memory_gb_per_s = rates::kMemory * (from_l2 ? kL2Share : 1.0) * own_share;
    const double share = memory_gb_per_s / (static_cast<double>(blocks) + rates::kHalfOccupied);
    return 4e-3 * keys * std::max(columns_of(shape_.head_dim) / block_gb_per_s(), shape_.head_dim / share);
  }
  constexpr double round_us(int64_t running) const {
    const double keys = ceil_div(shape_.key_rows, int64_t{plan_.cluster} * plan_.sharers);
    return rates::kRound + rates::kPerBlock * plan_.cluster +
           (plan_.sharers > 1 ? rates::kExchange + rates::kPerSharer * plan_.sharers : 0.0) +
           bytes_us(keys, running * plan_.cluster);
  }
  // The last round may leave multiprocessors idle.
  constexpr double us_of_rounds() const {
    const int64_t clusters = cluster_count(shape_, plan_);
    const int64_t rest = clusters % at_a_time_;
    return rates::kLaunch + static_cast<double>(clusters / at_a_time_) * round_us(at_a_time_) +
           (rest > 0 ? round_us(rest) : 0.0);
  }
  // All clusters at once, each with some whole pieces and at most two parts, one after the other.
  constexpr double us_of_shares() const {
    const double pieces = static_cast<double>(piece_count(shape_, plan_.slabs));
    const int64_t blocks = int64_t{plan_.clusters} * plan_.cluster;
    return rates::kLaunch + rates::kExchange + rates::kPerSharer * plan_.clusters / pieces + rates::kRound +
           rates::kPerBlock * plan_.cluster + (pieces > 1 ? rates::kBoundary * (1 + pieces / plan_.clusters) : 0.0) +
           bytes_us(shape_.key_rows * pieces / static_cast<double>(blocks), blocks);
  }

  // Rounds of pieces, of which loads know nothing; or all blocks the same, with what they leave for each other.
  constexpr double us_of_solo() const {
    const int64_t pieces = piece_count(shape_, plan_.slabs);
    const int64_t rest = pieces % plan_.clusters;
    const double each = static_cast<double>(pieces) / plan_.clusters;
    double us = rates::kLaunch + rates::kSoloEnds + rates::kSoloPiece * each;
    if (plan_.solo == Solo::shared)
      return us + rates::kSoloExchange + rates::kSoloPerSharer / each +
             bytes_us(shape_.key_rows * each, plan_.clusters);
    us += static_cast<double>(pieces / plan_.clusters) * bytes_us(shape_.key_rows, plan_.clusters);
    return us + (rest > 0 ? bytes_us(shape_.key_rows, rest) : 0.0);
  }

  Shape shape_;
  Plan plan_;
  int at_a_time_;
  int tiles_;
};

// A plan and the microseconds that it is expected to take.
struct TimedPlan {
  Plan plan;
  double us;
};

// `exchanging`: whether clusters may share pieces, and warps work alone; else as the kernels of ../serving can.
constexpr TimedPlan timed_plan(const Shape& shape, const ClusterSlots& slots, bool exchanging) {
  const int slabs = slabs_of(shape);
  const int64_t pieces = piece_count(shape, slabs);
  Plan best{};
  double least = 0;
  const auto consider = [&](const Plan& candidate, int clusters_at_a_time) {
    if (candidate.exchanges() && !(exchanging && can_exchange(shape, candidate))) return;
    const double time = LayoutTime(shape, candidate, clusters_at_a_time).us();
    if (least != 0 && time >= least) return;
    least = time;
    best = candidate;
  };
  for (int warps : {8, 4}) {
    if (warps == 8 && shape.head_dim > 128) continue;
    if (warps == 4 && slabs == 2) continue;  // a multiprocessor would hold no more than one block of them either
    for (int cluster : kClusters) {
      const int clusters = slots.of(warps, shape.head_dim)[cluster];
      if (clusters < 1) continue;
      const int filling = static_cast<int>(clusters / pieces);
      for (int sharers : {1, 2, 4}) consider({slabs, warps, cluster, sharers, 0}, clusters);
      if (filling > 1) consider({slabs, warps, cluster, filling, 0}, clusters);
      consider({slabs, warps, cluster, 1, clusters}, clusters);
    }
  }
  if (exchanging && one_tile(shape) && can_be_solo(shape, slabs)) {
    const int blocks = slots.of_8_warps[1];
    for (Solo solo : {Solo::apart, Solo::shared})
      consider({slabs, solo_warps(slabs, shape.head_dim), 1, 1, blocks, solo}, blocks);
  }
  return {best, least};
}
constexpr Plan plan(const Shape& shape, const ClusterSlots& slots, bool exchanging) {
  return timed_plan(shape, slots, exchanging).plan;
}

// How the kernel shares out the tiles.
constexpr EvenShares shares_of(const Shape& shape, const Plan& plan) {
  const int piece_tiles = ceil_div(shape.key_rows, tile_keys(shape.head_dim));
  if (plan.solo != Solo::no || plan.clusters == 0) return EvenShares::of_one_piece(piece_tiles, plan.sharers);
  return EvenShares::of_all_pieces(piece_tiles, static_cast<int>(piece_count(shape, plan.slabs)), plan.clusters);
}

}  // namespace assay::attention::split_keys
