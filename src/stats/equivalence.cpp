// SPDX-License-Identifier: MIT
#include "stats/equivalence.hpp"

#include <algorithm>
#include <cassert>

#include "stats/mann_whitney.hpp"

namespace assay::stats {

Equivalence equivalence(const Sample& first, const Sample& second, double margin) {
  assert(margin > 0 && first.positive() && second.positive());
  Equivalence result;
  result.p_too_high = mann_whitney(first, second.scaled(1.0 + margin), Alternative::less).p;
  result.p_too_low = mann_whitney(first, second.scaled(1.0 / (1.0 + margin)), Alternative::greater).p;
  result.p = std::max(result.p_too_high, result.p_too_low);
  return result;
}

}  // namespace assay::stats
