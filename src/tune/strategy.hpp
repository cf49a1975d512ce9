// SPDX-License-Identifier: MIT
// What every search strategy is: it proposes configurations that were not evaluated yet and hears how they came out.
// Strategies are pure and seeded: the same seed and the same outcomes give the same sequence.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tune/prediction.hpp"
#include "tune/space.hpp"

namespace assay::tune {

// Of one evaluation. Without a time it failed: it did not build, did not run, or was incorrect.
struct Outcome {
  std::optional<double> milliseconds;
};

class Strategy {
 public:
  virtual ~Strategy() = default;

  // Up to `count` different configurations that were neither proposed nor measured before; none: the space is
  // exhausted.
  virtual std::vector<size_t> propose(size_t count) = 0;
  virtual void tell(size_t configuration, const Outcome& outcome) = 0;
  // Predicted times as in StrategyOptions, instead of those before; a strategy that makes no use of them ignores them.
  virtual void expect(const std::vector<double>& predicted) { (void)predicted; }
};

struct StrategyOptions {
  uint64_t seed = 1;
  size_t budget = 200;
  // The predicted time of each configuration up to a constant factor; empty: nothing is predicted. NaN: not this one.
  std::vector<double> predicted{};
  // What each configuration asks of a GPU, for each kind of GPU: a prediction whose rates can be learned. Instead of
  // `predicted`.
  std::vector<std::vector<Demand>> demands{};
};

const std::vector<std::string>& strategy_names();  // "model", "annealing", "genetic", "random", "exhaustive"
Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const Space& space,
                                                const StrategyOptions& options);

}  // namespace assay::tune
