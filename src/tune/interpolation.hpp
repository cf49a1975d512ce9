// SPDX-License-Identifier: MIT
// Amounts (counters, registers) of configurations that nobody counted, from those of their neighbours. Amounts grow
// with powers of the parameters, so their logarithms are interpolated: a straight line in every feature, and a process
// around it that passes through what is known. All amounts share one covariance, and its length is chosen by leaving
// one configuration out at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "tune/features.hpp"

namespace assay::tune {

class Interpolation {
 public:
  explicit Interpolation(const Features& features);
  ~Interpolation();
  Interpolation(Interpolation&&) noexcept;
  Interpolation& operator=(Interpolation&&) noexcept;

  // One list of amounts for each of the configurations, all equally long, none negative. At least two.
  void learn(std::span<const size_t> configurations, const std::vector<std::vector<double>>& amounts);

  std::vector<double> at(size_t configuration) const;
  // How far the logarithms are off where the configuration itself is left out: root mean square over all amounts.
  double error() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assay::tune
