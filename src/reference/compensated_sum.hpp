// SPDX-License-Identifier: MIT
// A sum whose rounding error does not grow with the number of terms (Neumaier's variant of Kahan's algorithm).
#pragma once

#include <cmath>

namespace assay::reference {

class CompensatedSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    // The smaller operand loses low bits; they are recovered exactly and kept aside.
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }
  // With infinities or NaN the correction is meaningless (infinity minus infinity), and the plain sum is right.
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

}  // namespace assay::reference
