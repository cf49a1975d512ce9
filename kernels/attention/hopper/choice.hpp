// SPDX-License-Identifier: MIT
// Which kernel a shape takes. Measured on an H200 (README.md); costs are those of full tiles.
#pragma once

#include <cmath>
#include <cstdint>

#include "hopper_attention.h"

namespace assay::attention::hopper {

// Each exists for both element types, not each for both masks.
enum class Kernel {
  resident_1x4,
  resident_2x2,
  resident_4x1,
  resident_4x1_twice,
  streaming_2,
  streaming_3,
  streaming_4,
  pairs_64,
  pairs_128
};

constexpr int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

// Whether a causal call goes through its tiles in pairs: where not all of them find a multiprocessor.
inline bool in_pairs(const hopper_attention_call& call, int row_tiles, int multiprocessors) {
  return call.causal != 0 && row_tiles > 1 && int64_t{row_tiles} * call.query_heads * call.batch > multiprocessors;
}
// What the blocks of a streaming kernel share: tiles, or pairs of them.
inline int64_t grid_pieces(const hopper_attention_call& call, int row_tiles, int multiprocessors) {
  const int64_t tiles = int64_t{row_tiles} * call.query_heads * call.batch;
  return in_pairs(call, row_tiles, multiprocessors) ? (tiles + 1) / 2 : tiles;
}

// The streaming kernel whose grid takes the least time: rounds of one tile per multiprocessor, times what a tile costs.
// Causal tiles come in pairs, unless all fit into one round; a last round of pairs that is not full is shared out to
// all, which gains about 0.65 of what is idle in it. The unit is 128 keys of a tile of 128 rows.
inline Kernel choose_streaming(const hopper_attention_call& call, int multiprocessors) {
  constexpr struct {
    Kernel kernel;
    int rows;
    double per_128_keys;
    double per_tile;
    double per_causal_tile;
  } kCandidates[] = {{Kernel::streaming_2, 128, 1.0, 1.2, 1.8},
                     {Kernel::streaming_3, 192, 1.25, 1.2, 1.8},
                     {Kernel::streaming_4, 256, 1.82, 2.1, 2.1}};
  Kernel best = Kernel::streaming_2;
  double least = INFINITY;
  for (const auto& candidate : kCandidates) {
    const int tiles = ceil_div(call.query_rows, candidate.rows);
    const bool pairs = in_pairs(call, tiles, multiprocessors);
    const int64_t pieces = grid_pieces(call, tiles, multiprocessors);
    const double filled = static_cast<double>(pieces) / multiprocessors;
    double rounds = std::ceil(filled);
    if (pairs && rounds > 1) rounds -= 0.65 * (rounds - filled);
    const double keys = pairs ? call.key_rows + candidate.rows : call.key_rows;
    const double tile = call.causal ? candidate.per_causal_tile : candidate.per_tile;
    const double time = rounds * (keys / 128 * candidate.per_128_keys + (pairs ? 2 : 1) * tile);
    if (time < least) {
      least = time;
      best = candidate.kernel;
    }
  }
  return best;
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
inline Kernel choose_pairs(const hopper_attention_call& call) {
  return call.query_rows <= kMostShortPairRows && call.key_rows <= kMostShortPairRows ? Kernel::pairs_64
                                                                                      : Kernel::pairs_128;
}

// Without the kernels for many short sequences.
inline Kernel choose_long(const hopper_attention_call& call, int multiprocessors) {
  if (call.head_dim > 64) return Kernel::streaming_2;
  if (call.key_rows > 512 || call.head_dim < 64) return choose_streaming(call, multiprocessors);
  const int64_t tiles = int64_t{ceil_div(call.query_rows, 64)} * call.query_heads * call.batch;
  if (tiles <= multiprocessors) return Kernel::resident_1x4;
  if (tiles <= 2 * multiprocessors) {
    return call.causal ? Kernel::resident_2x2 : choose_streaming(call, multiprocessors);
  }
  // A resident block with four rows of warpgroups takes 256 query rows, twice 512. With fewer it would be idle.
  if (call.query_rows > 192 && tiles <= 4 * multiprocessors) return Kernel::resident_4x1;
  const bool twice = call.causal ? call.query_rows > 256 : call.query_rows > 384 && tiles <= 8 * multiprocessors;
  return twice ? Kernel::resident_4x1_twice : choose_streaming(call, multiprocessors);
}

inline Kernel choose(const hopper_attention_call& call, int multiprocessors) {
  return takes_pairs(call) ? choose_pairs(call) : choose_long(call, multiprocessors);
}

}  // namespace assay::attention::hopper
