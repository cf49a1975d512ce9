// SPDX-License-Identifier: MIT
// Whose turn it is: rounds in which every contender has one batch of samples, in an order that is drawn anew, and each
// second round is the first one backwards, so that a drift of the GPU's clock hits all of them alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace assay::measure {

// The samples of one batch: which input set each takes, and the byte that its outputs hold before.
struct BatchPlan {
  std::vector<size_t> sets;
  std::vector<uint8_t> poisons;
  size_t lead_in = 0;  // samples at the beginning that do not count
};

// All contenders of a round follow the same plan, so that what depends on the input set or its place is no difference.
struct Round {
  std::vector<size_t> contenders;
  BatchPlan plan;
};

class Schedule {
 public:
  Schedule(size_t contenders, uint64_t seed) : random_(seed), order_(contenders) {}

  Round next_round(size_t samples, size_t set_count);
  // Calls cycle through the sets in random order, so that each was used equally long ago: what of it is still in a
  // cache is then the same for every sample that counts. The lead-in is one turn of each (at most `samples`), after
  // which nothing of the other contenders is in the way.
  BatchPlan plan(size_t samples, size_t set_count);
  // Any bytes, anew for each sample: what cannot be foreseen cannot be waited for.
  std::vector<uint8_t> poisons(size_t count);

 private:
  void shuffle(std::vector<size_t>& list);

  Random random_;
  std::vector<size_t> order_;
  bool backwards_ = false;
};

}  // namespace assay::measure
