// SPDX-License-Identifier: MIT
// A sample: at least one number, all finite. Checked once here, trusted everywhere else in stats/.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::stats {

class Sample {
 public:
  // `name` is what an error calls the sample ("the candidate's times").
  static Result<Sample> make(std::vector<double> values, std::string_view name = "the sample");

  std::span<const double> values() const { return values_; }  // in the order of arrival
  std::span<const double> sorted() const { return sorted_; }
  size_t size() const { return values_.size(); }
  bool positive() const { return sorted_.front() > 0; }

  // Every value times `factor`, which is finite and above 0.
  Sample scaled(double factor) const;

 private:
  explicit Sample(std::vector<double> values);

  std::vector<double> values_;
  std::vector<double> sorted_;
};

}  // namespace assay::stats
