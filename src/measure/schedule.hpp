// SPDX-License-Identifier: MIT
// Whose turn it is: rounds in which every contender has one block of samples, in an order that is drawn anew, and each
// second round is the first one backwards, so that a drift of the GPU's clock hits all of them alike.
#pragma once

#include <cstddef>
#include <vector>

#include "base/random.hpp"

namespace assay::measure {

class Schedule {
 public:
  Schedule(size_t contenders, uint64_t seed) : random_(seed), order_(contenders) {}

  std::vector<size_t> next_round();
  // Which input set each of `count` samples takes: all sets equally often, in random order.
  std::vector<size_t> sets(size_t count, size_t set_count);
  uint8_t poison();  // any byte, anew for each sample: what cannot be foreseen cannot be waited for
  std::vector<uint8_t> poisons(size_t count);

 private:
  void shuffle(std::vector<size_t>& list);

  Random random_;
  std::vector<size_t> order_;
  bool backwards_ = false;
};

}  // namespace assay::measure
