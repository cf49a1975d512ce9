// SPDX-License-Identifier: MIT
// The searcher: a Gaussian process on the clamped logarithm of time over the whole space, expected improvement times
// the probability of success, every second step among the neighbours of the three best, annealing beside it.
// Predictions from counters become the mean that the process starts from; how much of them to believe is learned.
#pragma once

#include <memory>

#include "tune/strategy.hpp"

namespace assay::tune {

struct ModelOptions {
  size_t first = 8;            // evaluations before the model has a say
  size_t first_predicted = 3;  // the same with predictions: drawn from the best 2 %
  double clamp = 1.1;          // slower than exp(clamp) times the best is equally bad
  size_t candidates = 20000;   // scored at each step; of a larger space a sample and all neighbours of the best
  double annealing = 0.03;     // share of the steps at first; then by success
};

std::unique_ptr<Strategy> make_model_search(const Space& space, const StrategyOptions& options,
                                            const ModelOptions& model = {});

}  // namespace assay::tune
