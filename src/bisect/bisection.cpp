// SPDX-License-Identifier: MIT
#include "bisect/bisection.hpp"

#include <bit>
#include <cassert>

namespace assay::bisect {

Bisection::Bisection(size_t count) : marks_(count, Mark::unknown), bad_(count - 1) {
  assert(count >= 2);
  marks_.front() = Mark::good;
  marks_.back() = Mark::bad;
}

std::optional<size_t> Bisection::next() const {
  const size_t middle = good_ + (bad_ - good_) / 2;
  for (size_t distance = 0; distance < bad_ - good_; ++distance) {
    if (middle >= good_ + 1 + distance && marks_[middle - distance] == Mark::unknown) return middle - distance;
    if (middle + distance < bad_ && middle + distance > good_ && marks_[middle + distance] == Mark::unknown)
      return middle + distance;
  }
  return std::nullopt;
}

void Bisection::mark(size_t commit, Mark mark) {
  marks_[commit] = mark;
  if (mark == Mark::good && commit > good_) good_ = commit;
  if (mark == Mark::bad && commit < bad_) bad_ = commit;
}

std::vector<size_t> Bisection::suspects() const {
  std::vector<size_t> found;
  for (size_t i = good_ + 1; i <= bad_; ++i) found.push_back(i);
  return found;
}

size_t Bisection::steps_left() const {
  size_t unknown = 0;
  for (size_t i = good_ + 1; i < bad_; ++i) unknown += marks_[i] == Mark::unknown ? 1 : 0;
  return static_cast<size_t>(std::bit_width(unknown));
}

}  // namespace assay::bisect
