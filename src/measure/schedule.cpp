// SPDX-License-Identifier: MIT
#include "measure/schedule.hpp"

#include <algorithm>
#include <numeric>

namespace assay::measure {

void Schedule::shuffle(std::vector<size_t>& list) {
  for (size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[random_.below(i)]);
}

std::vector<size_t> Schedule::next_round() {
  if (backwards_) {
    std::reverse(order_.begin(), order_.end());
  } else {
    std::iota(order_.begin(), order_.end(), size_t{0});
    shuffle(order_);
  }
  backwards_ = !backwards_;
  return order_;
}

std::vector<size_t> Schedule::sets(size_t count, size_t set_count) {
  std::vector<size_t> list(count);
  for (size_t i = 0; i < count; ++i) list[i] = i % set_count;
  shuffle(list);
  return list;
}

uint8_t Schedule::poison() {
  return static_cast<uint8_t>(random_.next() >> 32);
}

std::vector<uint8_t> Schedule::poisons(size_t count) {
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = poison();
  return bytes;
}

}  // namespace assay::measure
