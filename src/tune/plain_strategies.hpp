// SPDX-License-Identifier: MIT
// The yardsticks: exhaustive and random search, simulated annealing, a genetic algorithm.
#pragma once

#include <memory>

#include "tune/strategy.hpp"

namespace assay::tune {

std::unique_ptr<Strategy> make_exhaustive(const Space& space);
std::unique_ptr<Strategy> make_random(const Space& space, uint64_t seed);
// Steps to a configuration that differs in one parameter; accepts a slower one with a probability that falls with the
// ratio of the times and over the budget. Restarts where it is stuck.
std::unique_ptr<Strategy> make_annealing(const Space& space, uint64_t seed, size_t budget);
// 20 individuals, uniform crossover, mutation of one parameter; the best of both generations survive.
std::unique_ptr<Strategy> make_genetic(const Space& space, uint64_t seed);

}  // namespace assay::tune
