// SPDX-License-Identifier: MIT
#include "tune/strategy.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "tune/model_search.hpp"
#include "tune/plain_strategies.hpp"

namespace assay::tune {

const std::vector<std::string>& strategy_names() {
  static const std::vector<std::string> names{"model", "annealing", "genetic", "random", "exhaustive"};
  return names;
}

Result<std::unique_ptr<Strategy>> make_strategy(std::string_view name, const Space& space,
                                                const StrategyOptions& options) {
  if (name == "model") return make_model_search(space, options);
  if (name == "annealing") return make_annealing(space, options.seed, options.budget);
  if (name == "genetic") return make_genetic(space, options.seed);
  if (name == "random") return make_random(space, options.seed);
  if (name == "exhaustive") return make_exhaustive(space);
  return Error{fmt::format("there is no strategy '{}'", name), {}, "strategies: " + join(strategy_names(), ", ")};
}

}  // namespace assay::tune
