// SPDX-License-Identifier: MIT
// Which kernel a shape takes: the one with the least estimated time, by costs that were fitted to an H200 (README.md).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "choice_costs.hpp"
#include "split_plan.hpp"

namespace assay::attention::hopper {

// Whether a causal call goes through its tiles in pairs: where not all of them find a multiprocessor.
inline bool in_pairs(const hopper_attention_call& call, int row_tiles, int multiprocessors) {
  return call.causal != 0 && row_tiles > 1 && int64_t{row_tiles} * call.query_heads * call.batch > multiprocessors;
}
// What the blocks of a streaming kernel share: tiles, or pairs of them.
inline int64_t grid_pieces(const hopper_attention_call& call, int row_tiles, int multiprocessors) {
  const int64_t tiles = int64_t{row_tiles} * call.query_heads * call.batch;
  return in_pairs(call, row_tiles, multiprocessors) ? (tiles + 1) / 2 : tiles;
}

// The kernels for many short sequences, where they can be taken. Measured on 571 shapes, each with and without them
// (../pairs/README.md): few pairs leave teams of a block idle, least where a team is one warpgroup.
constexpr int kMostPairRows = 128;  // queries, and keys
constexpr int kMostShortPairRows = 64;
constexpr int kLeastPairColumns = 64;
constexpr int kMostPairColumns = 128;
constexpr int64_t kLeastPairs = 128;             // of batches and heads
constexpr int64_t kLeastShortPairs = 32;         // of short queries and short keys
constexpr int64_t kLeastPairsOfShortKeys = 256;  // and longer queries

inline int64_t least_pairs(int query_rows, int key_rows) {
  if (key_rows > kMostShortPairRows) return kLeastPairs;
  return query_rows <= kMostShortPairRows ? kLeastShortPairs : kLeastPairsOfShortKeys;
}
inline bool takes_pairs(const hopper_attention_call& call) {
  return call.query_rows <= kMostPairRows && call.key_rows <= kMostPairRows && call.head_dim >= kLeastPairColumns &&
         call.head_dim <= kMostPairColumns &&
         int64_t{call.batch} * call.query_heads >= least_pairs(call.query_rows, call.key_rows);
}
inline SplitPlan plan_split(const hopper_attention_call& call, const SplitSlots& slots, double least = INFINITY) {
  for (const SplitCosts& costs : kSplitCosts) {
    if (costs.computes(call)) return plan_split(costs, kTrees[kSplitTrees], call, slots, least);
  }
  return {0, least};
}

// A kernel and its estimated time.
struct Choice {
  Kernel kernel;
  double us;
};

// Infinite where it cannot be less than `least`.
inline double estimated_us(const KernelCosts& costs, const hopper_attention_call& call, int multiprocessors,
                           double least = INFINITY) {
  const std::array<double, kCostTerms> terms = costs.terms(call, multiprocessors);
  const Trees& trees = kTrees[costs.trees];
  const double sum = costs.sum(terms);
  if (sum * trees.least >= least) return INFINITY;
  return sum * trees.factor(features_of(terms, call, std::array<double, 0>{}));
}

inline Choice least_estimate(const hopper_attention_call& call, int multiprocessors, bool with_pairs) {
  Choice best{Kernel::streaming_2, INFINITY};
  for (const KernelCosts& costs : kKernelCosts) {
    const bool of_pairs = costs.kernel == Kernel::pairs_64 || costs.kernel == Kernel::pairs_128;
    if ((of_pairs && !with_pairs) || !costs.computes(call)) continue;
    const double us = estimated_us(costs, call, multiprocessors, best.us);
    if (us < best.us) best = {costs.kernel, us};
  }
  const SplitPlan split = plan_split(call, usual_split_slots(multiprocessors), best.us);
  if (split.cluster == 0) return best;
  return {in_halves(call) ? Kernel::split_halves : Kernel::split_streaming, split.us};
}

// The kernels for many short sequences are left out on request: what would be taken if there were none. A model calls
// one shape again and again, so that a thread keeps its last choice.
inline Choice choose_with_time(const hopper_attention_call& call, int multiprocessors, bool with_pairs = true) {
  struct Last {
    std::array<int, 8> sizes;
    Choice choice;
  };
  static thread_local Last kept[2] = {};
  Last& last = kept[with_pairs ? 1 : 0];
  const std::array<int, 8> sizes = {call.batch,    call.query_heads, call.key_heads, call.query_rows,
                                    call.key_rows, call.head_dim,    call.causal,    multiprocessors};
  if (last.sizes != sizes) last = {sizes, least_estimate(call, multiprocessors, with_pairs)};
  return last.choice;
}
inline Kernel choose(const hopper_attention_call& call, int multiprocessors, bool with_pairs = true) {
  return choose_with_time(call, multiprocessors, with_pairs).kernel;
}
inline Kernel choose_long(const hopper_attention_call& call, int multiprocessors) {
  return choose(call, multiprocessors, false);
}

// Whether few queries go to ../split_keys: where it reads keys and values once, which was faster than all kernels here
// at 130 of 135 shapes that were measured (../split_streaming/README.md); else where its estimated time is less.
inline bool takes_split_keys(const hopper_attention_call& call, int multiprocessors) {
  const split_keys::Shape shape{call.batch,      call.key_heads, call.query_heads / call.key_heads,
                                call.query_rows, call.key_rows,  call.head_dim};
  if (!split_keys::few_queries(shape)) return false;
  if (split_keys::one_tile(shape)) return true;
  for (const split_keys::Costs& costs : kSplitKeysCosts) {
    if (costs.slabs != split_keys::slabs_of(shape) || shape.head_dim < costs.least_head_dim ||
        shape.head_dim > costs.most_head_dim) {
      continue;
    }
    const Features features = features_of(costs.terms(shape, multiprocessors), call, std::array<double, 0>{});
    const double us = costs.estimate(shape, multiprocessors) * kTrees[kSplitKeysTrees].factor(features);
    return us < choose_with_time(call, multiprocessors, false).us;
  }
  return false;
}

}  // namespace assay::attention::hopper
