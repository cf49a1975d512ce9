// SPDX-License-Identifier: MIT
#include "reference/row_sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace assay::reference {

std::vector<int64_t> RowSample::of_matrix(int64_t matrix, int64_t rows) const {
  std::vector<int64_t> all(static_cast<size_t>(std::max<int64_t>(0, rows)));
  std::iota(all.begin(), all.end(), 0);
  if (complete() || all.empty()) return all;
  const auto wanted = static_cast<size_t>(
      std::clamp<double>(std::round(share * static_cast<double>(all.size())), 1.0, static_cast<double>(all.size())));
  Random random(Random(seed).next() + static_cast<uint64_t>(matrix));
  for (size_t i = 0; i < wanted; ++i) std::swap(all[i], all[i + random.below(all.size() - i)]);
  all.resize(wanted);
  std::sort(all.begin(), all.end());
  return all;
}

}  // namespace assay::reference
