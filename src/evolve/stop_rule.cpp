// SPDX-License-Identifier: MIT
#include "evolve/stop_rule.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace assay::evolve {

std::string reason_to_stop(const StopRules& rules, const Standing& now) {
  if (rules.target && now.speedup >= *rules.target)
    return fmt::format("the target is reached: {:.3f} times as fast as at the beginning", now.speedup);
  if (now.above_floor <= 1 + rules.margin)
    return fmt::format("the floor is reached: no shape takes more than {:.1f} % above it", 100 * (now.above_floor - 1));
  if (now.proposals >= rules.proposals)
    return fmt::format("the limit of {} is reached", counted(rules.proposals, "proposal"));
  if (rules.seconds && now.seconds >= *rules.seconds)
    return fmt::format("the time of {:.0f} s is over", *rules.seconds);
  if (rules.gpu_seconds && now.gpu_seconds >= *rules.gpu_seconds)
    return fmt::format("the GPU's {:.0f} s are spent", *rules.gpu_seconds);
  if (rules.money && now.money >= *rules.money) return fmt::format("the money is spent: {:.2f}", now.money);
  if (now.passes >= rules.passes) return "the proposer has nothing more to propose";
  if (now.since_accepted >= rules.patience)
    return fmt::format("{} in a row brought nothing", counted(now.since_accepted, "proposal"));
  return "";
}

}  // namespace assay::evolve
