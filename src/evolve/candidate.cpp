// SPDX-License-Identifier: MIT
#include "evolve/candidate.hpp"

#include <nlohmann/json.hpp>

#include "base/hash.hpp"
#include "evolve/specification_text.hpp"

namespace assay::evolve {

std::string id_of(const Candidate& candidate) {
  Hasher hasher;
  for (const auto& [path, content] : candidate.files) hasher.add(path).add(content);
  Answer shape;
  shape.tunables = candidate.tunables;
  shape.constraints = candidate.constraints;
  hasher.add(to_json(shape).dump());
  return hasher.hex().substr(0, 12);
}

Result<Candidate> apply_answer(const Candidate& parent, const Answer& answer, const FileRules& rules) {
  Candidate child = parent;
  Files changed = answer.files;
  if (!answer.diff.empty()) {
    ASSAY_TRY(const std::vector<std::string> paths, paths_of_diff(answer.diff));
    Files touched;
    for (const std::string& path : paths) touched[path];
    ASSAY_CHECK(check_files(rules, touched));
    ASSAY_TRY(changed, apply_diff(parent.files, answer.diff));
  }
  ASSAY_CHECK(check_files(rules, changed));
  for (auto& [path, content] : changed) child.files[path] = content;
  ASSAY_CHECK(check_words(rules, child.files));  // one half of a name may stand in a file from before
  child.tunables.insert(child.tunables.end(), answer.tunables.begin(), answer.tunables.end());
  child.constraints.insert(child.constraints.end(), answer.constraints.begin(), answer.constraints.end());
  child.id = id_of(child);
  return child;
}

Result<std::string> specification_of(const Candidate& candidate, const OriginalSpecification& original) {
  ASSAY_TRY(const std::string text, with_tunables(original, candidate.tunables, candidate.constraints));
  if (candidate.tunables.empty() && candidate.configuration == original.configuration) return text;
  return with_defaults(text, candidate.configuration);
}

}  // namespace assay::evolve
