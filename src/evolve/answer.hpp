// SPDX-License-Identifier: MIT
// What a proposer answers: a change, what it is hoped to bring, and what it has cost.
// docs/schemas/evolve_answer.v1.json
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "evolve/diff.hpp"

namespace assay::evolve {

struct NewTunable {
  std::string name;
  std::vector<std::variant<int64_t, bool>> values;

  bool operator==(const NewTunable&) const = default;
};

struct Hypothesis {
  std::string text;
  std::string counter;    // "": none is named
  std::string direction;  // "down", "up", "same"; "": none is said

  bool operator==(const Hypothesis&) const = default;
};

struct ProposerCosts {
  double tokens_in = 0;
  double tokens_out = 0;
  double money = 0;
  double seconds = 0;  // as the proposer says; what we measure is kept beside it
};

struct Answer {
  std::string diff;  // a diff, or files
  Files files;
  std::vector<NewTunable> tunables;
  std::vector<std::string> constraints;
  Hypothesis hypothesis;
  ProposerCosts costs;

  bool passes() const { return diff.empty() && files.empty() && tunables.empty() && constraints.empty(); }
};

// From all that the proposer wrote. Nothing, or {}, is a pass. An error says which member is wrong.
Result<Answer> read_answer(const std::string& text, size_t proposal);
nlohmann::json to_json(const Answer& answer);

}  // namespace assay::evolve
