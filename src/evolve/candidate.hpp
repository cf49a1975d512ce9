// SPDX-License-Identifier: MIT
// A kernel of an evolution: the first one, or what a proposal made of another.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "evolve/answer.hpp"
#include "evolve/diff.hpp"
#include "evolve/file_rules.hpp"
#include "evolve/specification_text.hpp"

namespace assay::evolve {

struct Candidate {
  std::string id;  // a hash of all that follows but the configuration
  Files files;     // those that proposers may change or have made, as a whole
  std::vector<NewTunable> tunables;
  std::vector<std::string> constraints;
  std::string configuration;  // the one it is judged with; "" without tunables
};

std::string id_of(const Candidate& candidate);

// What the answer makes of its parent. An error says why it cannot be applied: text for the proposer.
Result<Candidate> apply_answer(const Candidate& parent, const Answer& answer, const FileRules& rules);

// The specification's text for this candidate, whose configuration is the default one of it.
Result<std::string> specification_of(const Candidate& candidate, const OriginalSpecification& original);

}  // namespace assay::evolve
