// SPDX-License-Identifier: MIT
// The formula of prediction.hpp with rates that are learned from what was measured: how fast each pipe is, how many
// warps hide latency, what a partial wave costs, how sharply the busiest pipe decides, and which kind of GPU it is.
// Few measurements change little, because every rate has a prior around the fixed formula's.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tune/prediction.hpp"

namespace assay::tune {

class FittedFormula {
 public:
  // One list of demands for each kind of GPU, all of the same configurations.
  explicit FittedFormula(std::vector<std::vector<Demand>> by_kind);

  size_t size() const { return by_kind_.front().size(); }

  struct Measured {
    size_t configuration;
    double log_time;
  };
  // Rates that explain the measurements best, beginning at the present ones. Slower ones than `best` say less.
  void fit(std::span<const Measured> measured, double best);

  // The logarithm of the predicted time, up to a constant; NaN where nothing was counted.
  double log_time(size_t configuration) const;

  // How that changes with each rate that is not known exactly, by its standard deviation, for all configurations.
  std::vector<std::vector<float>> slopes() const;

 private:
  static constexpr size_t kRates = kPipes + 3;  // and latency, tail, sharpness
  struct Rates {
    std::array<double, kRates> values{};  // deviations from the prior's middle, in its standard deviations
    double loss = 0;
  };

  double log_time(const Demand& demand, const std::array<double, kRates>& values) const;
  std::vector<size_t> free_rates() const;
  Rates fit(std::span<const Measured> measured, double best, const std::vector<Demand>& demands, Rates start) const;

  std::vector<std::vector<Demand>> by_kind_;
  std::vector<Rates> rates_;
  size_t kind_ = 0;
  std::vector<size_t> used_;  // pipes that some configuration needs
};

}  // namespace assay::tune
