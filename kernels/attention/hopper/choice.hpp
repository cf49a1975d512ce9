// SPDX-License-Identifier: MIT
// Which kernel a shape takes: the one with the least estimated time, by costs that were fitted to an H200 (README.md).
#pragma once

#include <cmath>
#include <cstdint>

#include "choice_costs.hpp"

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
// The kernels for many short sequences are left out on request: what would be taken if there were none.
inline Kernel choose(const hopper_attention_call& call, int multiprocessors, bool with_pairs = true) {
  Kernel best = Kernel::streaming_2;
  double least = INFINITY;
  for (const KernelCosts& costs : kKernelCosts) {
    const bool of_pairs = costs.kernel == Kernel::pairs_64 || costs.kernel == Kernel::pairs_128;
    if ((of_pairs && !with_pairs) || !costs.computes(call)) continue;
    const double us = costs.estimate(call, multiprocessors);
    if (us < least) {
      least = us;
      best = costs.kernel;
    }
  }
  return best;
}
inline Kernel choose_long(const hopper_attention_call& call, int multiprocessors) {
  return choose(call, multiprocessors, false);
}

}  // namespace assay::attention::hopper
