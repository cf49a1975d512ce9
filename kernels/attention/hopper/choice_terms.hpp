// SPDX-License-Identifier: MIT
// What a call costs by each kernel, as choice_sweep.py fits it: a sum of terms of the call's sizes, each with a cost,
// times what trees make of the rest (choice_trees.hpp).
#pragma once

#include <algorithm>
#include <array>
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
  streaming_wide,  // one buffer of queries, more keys in a block
  pairs_64,
  pairs_128,
  own_tiles,
  own_tiles_long,
  split_streaming,  // keys shared out over a cluster; costs of its own (split_plan.hpp)
  split_halves,     // the same where rows fill half a tile: both warpgroups have them, and other keys
  streaming_heads   // up to 64 queries: each warpgroup has a head of its own
};

constexpr int ceil_div(int a, int b) {
  return (a + b - 1) / b;
}

constexpr int kCostTerms = 8;

struct KernelCosts {
  Kernel kernel;
  int least_head_dim;
  int most_head_dim;
  bool causal;
  int rows;          // of a tile of queries
  int keys;          // of a block of them
  int tiles;         // that a thread block takes one after the other
  int most_queries;  // 0: any
  int most_keys;     // 0: any
  std::array<double, kCostTerms> us;
  int trees;  // in kTrees

  bool computes(const hopper_attention_call& call) const {
    return causal == (call.causal != 0) && call.head_dim >= least_head_dim && call.head_dim <= most_head_dim &&
           (most_queries == 0 || call.query_rows <= most_queries) && (most_keys == 0 || call.key_rows <= most_keys);
  }

  // As terms() in choice_sweep.py: one for the launch, what the busiest multiprocessor does, what they do on average,
  // and bytes, at 4.2 TB/s.
  std::array<double, kCostTerms> terms(const hopper_attention_call& call, int multiprocessors) const {
    const int64_t heads = int64_t{call.batch} * call.query_heads;
    const int row_tiles = ceil_div(call.query_rows, rows);
    const int in_block = std::min(tiles, row_tiles);
    const int64_t at_once = kernel == Kernel::streaming_heads ? 2 : 1;
    const int64_t blocks = ceil_div(row_tiles, tiles) * ((heads + at_once - 1) / at_once);
    const int first_seen =
        causal ? std::min(call.key_rows, std::max(1, rows + call.key_rows - call.query_rows)) : call.key_rows;
    const double longest = ceil_div(call.key_rows, keys);
    const double everyone = multiprocessors;
    const double shared =
        (ceil_div(first_seen, keys) + longest) / 2 * static_cast<double>(row_tiles * heads) / everyone;
    const auto rounds = static_cast<double>((blocks + multiprocessors - 1) / multiprocessors);
    const double scores = static_cast<double>(call.query_rows * heads) * (double{1} * first_seen + call.key_rows) / 2;
    const double bytes =
        4.0 * call.head_dim *
        static_cast<double>(call.query_rows * heads + int64_t{call.key_rows} * call.batch * call.key_heads);
    return {1.0,
            rounds * in_block * longest,
            std::max(in_block * longest, shared),
            shared,
            rounds,
            static_cast<double>(blocks) / everyone,
            scores / (everyone * rows * keys),
            bytes / 4.2e6};
  }

  double sum(const std::array<double, kCostTerms>& terms) const {
    double total = 0;
    for (int i = 0; i < kCostTerms; ++i) total += terms[i] * us[i];
    return total;
  }
};

}  // namespace assay::attention::hopper
