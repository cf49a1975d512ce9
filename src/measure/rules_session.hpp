// SPDX-License-Identifier: MIT
// One case timed by the rules of another benchmark: each contender in a process of its own, one after the other, as
// those do it. Whether results are right and honest is a session's business, which goes before.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "check/oracle.hpp"
#include "measure/bench.hpp"
#include "measure/rules.hpp"

namespace assay::measure {

// What a benchmark with these rules would say of one contender.
struct RuledTime {
  std::string contender;
  std::vector<double> us;          // samples, in order
  double reported_us = 0;          // the figure that it reports
  std::optional<bool> accepted{};  // within its tolerance; nothing: it compares nothing, or the reference is not known
  double matched = 1;              // share of the elements within it
  bool cut = false;                // it ran out of our time before its own rules would have stopped
  size_t ungated = 0;              // samples that hold time to enqueue
  std::optional<Error> failure{};
};

struct RulesRequest {
  const Rules* rules = nullptr;
  const BenchRequest* bench = nullptr;  // contenders, device, model, instruments
  const ProblemCase* problem = nullptr;
  const check::Oracle* oracle = nullptr;
  uint64_t seed = 1;
  double most_seconds = 20;              // of sampling one contender
  std::vector<std::string> leave_out{};  // contenders that a guard objected to
};

Result<std::vector<RuledTime>> measure_by_rules(const RulesRequest& request);

// For work that was interrupted. Nothing where the text is none of ours.
nlohmann::json to_json(const std::vector<RuledTime>& times);
std::optional<std::vector<RuledTime>> ruled_times_from(const nlohmann::json& json);

}  // namespace assay::measure
