// SPDX-License-Identifier: MIT
// Which kernel a shape takes: the one with the least estimated time, by costs that were fitted to an H200 (README.md).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "../split_keys/plan.hpp"
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

// Whether a kernel may be taken: own_tiles was hardly measured where pairs computes.
inline bool may_take(Kernel kernel, const hopper_attention_call& call, bool with_pairs) {
  if (kernel == Kernel::pairs_64 || kernel == Kernel::pairs_128) return with_pairs;
  return (kernel != Kernel::own_tiles && kernel != Kernel::own_tiles_long) || !takes_pairs(call);
}

inline Choice least_estimate(const hopper_attention_call& call, int multiprocessors, bool with_pairs) {
  Choice best{Kernel::streaming_2, INFINITY};
  for (const KernelCosts& costs : kKernelCosts) {
    if (!costs.computes(call) || !may_take(costs.kernel, call, with_pairs)) continue;
    const double us = estimated_us(costs, call, multiprocessors, best.us);
    if (us < best.us) best = {costs.kernel, us};
  }
  const SplitPlan split = plan_split(call, usual_split_slots(multiprocessors), best.us);
  if (split.cluster == 0) return best;
  return {in_halves(call) ? Kernel::split_halves : Kernel::split_streaming, split.us};
}

// All that a choice depends on.
using ChoiceSizes = std::array<int, 8>;
inline ChoiceSizes sizes_of(const hopper_attention_call& call, int multiprocessors) {
  return {call.batch,    call.query_heads, call.key_heads, call.query_rows,
          call.key_rows, call.head_dim,    call.causal,    multiprocessors};
}

// What was found for the sizes of a call. A model calls a few shapes again and again, and has one of these per thread.
template <class Found>
class Remembered {
 public:
  template <class Find>
  const Found& at(const ChoiceSizes& sizes, Find find) {
    unsigned mixed = 0;
    for (int size : sizes) mixed = (mixed ^ static_cast<unsigned>(size)) * 0x9e3779b1u;
    Entry& entry = entries_[mixed >> 25];
    if (entry.sizes != sizes) entry = {sizes, find()};
    return entry.found;
  }

 private:
  struct Entry {
    ChoiceSizes sizes;  // no batches until it is used
    Found found;
  };
  std::array<Entry, 128> entries_{};
};

// The kernels for many short sequences are left out on request: what would be taken if there were none.
inline Choice choose_with_time(const hopper_attention_call& call, int multiprocessors, bool with_pairs = true) {
  static thread_local Remembered<Choice> kept[2];
  return kept[with_pairs ? 1 : 0].at(sizes_of(call, multiprocessors),
                                     [&] { return least_estimate(call, multiprocessors, with_pairs); });
}
inline Kernel choose(const hopper_attention_call& call, int multiprocessors, bool with_pairs = true) {
  return choose_with_time(call, multiprocessors, with_pairs).kernel;
}
inline Kernel choose_long(const hopper_attention_call& call, int multiprocessors) {
  return choose(call, multiprocessors, false);
}

// As split_keys_terms() in choice_sweep.py: what the plan of ../split_keys expects, and what that may not see well.
inline Features split_keys_features(const hopper_attention_call& call, const split_keys::Shape& shape,
                                    int multiprocessors) {
  const auto [plan, us] = split_keys::timed_plan(shape, split_keys::usual_slots(multiprocessors), true);
  const double heads = static_cast<double>(shape.batch) * shape.key_heads;
  const double row_tiles = split_keys::row_tiles(shape, plan.slabs);
  const double bytes_us = 4.0 * shape.head_dim * shape.key_rows * heads / 4.2e6;
  const double cluster = plan.solo == split_keys::Solo::no ? plan.cluster : 0;
  const std::array<double, 8> terms = {us,
                                       cluster,
                                       plan.exchanges() ? 1.0 : 0.0,
                                       static_cast<double>(plan.slabs),
                                       bytes_us,
                                       bytes_us / us,
                                       row_tiles,
                                       heads * row_tiles / multiprocessors};
  return features_of(terms, call, std::array<double, 0>{});
}

// Another kernel must be estimated to be so much faster than ../split_keys, which was measured at more shapes of few
// queries: on shapes that were not in the fit this loses less than the least estimate alone.
inline constexpr double kSplitKeysMargin = 1.03;

// Whether few queries go to ../split_keys. Remembered as choices are.
inline bool takes_split_keys(const hopper_attention_call& call, int multiprocessors) {
  const split_keys::Shape shape{call.batch,      call.key_heads, call.query_heads / call.key_heads,
                                call.query_rows, call.key_rows,  call.head_dim};
  if (!split_keys::few_queries(shape)) return false;
  static thread_local Remembered<bool> kept;
  return kept.at(sizes_of(call, multiprocessors), [&] {
    const Features features = split_keys_features(call, shape, multiprocessors);
    const double us = features[0] * kTrees[kSplitKeysTrees].factor(features);
    return us < kSplitKeysMargin * choose_with_time(call, multiprocessors, false).us;
  });
}

}  // namespace assay::attention::hopper
