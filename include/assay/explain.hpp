// SPDX-License-Identifier: MIT
// What the words in reports mean, and the recipe of the cookbook that belongs to each.
#pragma once

#include <string>
#include <vector>

#include "assay/result.hpp"

namespace assay::work {

struct ExplainRequest {
  std::string name;  // "misaligned", "bank conflicts", "5", ...; empty: list all
};

struct Explanation {
  std::string kind;     // "finding", "result", "check", "guard", "figure", "verdict", "exit code" or "recipe"
  std::string name;     // as reports print it, in small letters with underscores
  std::string summary;  // one line
  std::string meaning;  // what happens; may be empty
  std::string fix;      // what to do; may be empty
  std::string recipe;   // "misaligned_copy": docs/cookbook/misaligned_copy.md
};

struct ExplainReport {
  std::vector<Explanation> explanations;  // one, or all of them
  std::string recipe_text;                // the page, where one was asked for
};

Result<ExplainReport> explain(const ExplainRequest& request);
std::string to_json(const ExplainReport& report);

}  // namespace assay::work
