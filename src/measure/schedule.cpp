// SPDX-License-Identifier: MIT
#include "measure/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace assay::measure {

void Schedule::shuffle(std::vector<size_t>& list) {
  for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random_.below(i)]);
}

Round Schedule::next_round(size_t samples, size_t set_count) {
  if (backwards_) {
    std::reverse(order_.begin(), order_.end());
  } else {
    std::iota(order_.begin(), order_.end(), size_t{0});
    shuffle(order_);
  }
  backwards_ = !backwards_;
  return {order_, plan(samples, set_count)};
}

BatchPlan Schedule::plan(size_t samples, size_t set_count) {
  std::vector<size_t> turns(set_count);
  std::iota(turns.begin(), turns.end(), size_t{0});
  shuffle(turns);
  BatchPlan plan;
  plan.lead_in = std::min(set_count, samples);
  plan.sets.resize(plan.lead_in + samples);
  for (size_t i = 0; i < plan.sets.size(); ++i) plan.sets[i] = turns[i % set_count];
  plan.poisons = poisons(plan.sets.size());
  return plan;
}

std::vector<uint8_t> Schedule::poisons(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random_.next() >> 32);
  return bytes;
}

}  // namespace assay::measure
