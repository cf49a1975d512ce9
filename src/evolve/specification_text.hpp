// SPDX-License-Identifier: MIT
// The text of a kernel.toml with further tunables: the one change of a specification that a proposer can bring about,
// and it is made here, not by the proposer.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "evolve/answer.hpp"

namespace assay::evolve {

struct OriginalSpecification {
  std::string text;
  std::set<std::string> tunables;
  std::set<std::string> other_names;  // dimensions and names of [let]
  std::string configuration;          // the default one
};

// An error if a name means something already, or a constraint is no expression, or names more than tunables: one that
// names dimensions would take shapes out of reach of the checks.
Result<std::string> with_tunables(const OriginalSpecification& original, const std::vector<NewTunable>& tunables,
                                  const std::vector<std::string>& constraints);

// With this configuration ("NAME=value,...") as the default one.
std::string with_defaults(const std::string& text, const std::string& configuration);

}  // namespace assay::evolve
