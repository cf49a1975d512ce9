// SPDX-License-Identifier: MIT
#include "stats/sample.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace assay::stats {

Result<Sample> Sample::make(std::vector<double> values, std::string_view name) {
  if (values.empty()) return Error{.message = fmt::format("{}: there is no value", name)};
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return Error{.message = fmt::format("{}: value {} of {} is {}", name, i + 1, values.size(), values[i])};
    }
  }
  return Sample(std::move(values));
}

Sample::Sample(std::vector<double> values) : values_(std::move(values)), sorted_(values_) {
  std::sort(sorted_.begin(), sorted_.end());
}

Sample Sample::scaled(double factor) const {
  Sample result = *this;
  for (double& value : result.values_) value *= factor;
  for (double& value : result.sorted_) value *= factor;
  return result;
}

}  // namespace assay::stats
