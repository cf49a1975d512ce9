// SPDX-License-Identifier: MIT
// The samples of scipy_golden.hpp as the type the functions take.
#pragma once

#include <vector>

#include "scipy_golden.hpp"
#include "stats/sample.hpp"

namespace assay::stats {

inline Sample sample(const std::vector<double>& values) {
  return Sample::make(values).value();
}

}  // namespace assay::stats
