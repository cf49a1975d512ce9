// SPDX-License-Identifier: MIT
// Any bytes as a document with claims, as a table of results, and as an expression over a document.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "claims/document.hpp"
#include "claims/expression.hpp"
#include "claims/results_file.hpp"
#include "require.hpp"

using namespace assay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static const nlohmann::json rows = nlohmann::json::parse(
      R"([{"shape": "small", "us": 5.79, "list": [1, 2]}, {"shape": "large", "us": 24.15, "deep": {"a b": 1}}])");
  if (const auto found = claims::find_claims(text, "page.md")) {
    for (const claims::Claim& claim : *found) {
      const auto checked = claims::check_claim(claim, rows, "page.md");
      fuzz::require(checked.ok() || checked.error().place.line >= 1);
    }
  }
  if (const auto results = claims::read_results(text, "results.txt"))
    fuzz::require(results->rows.is_array() && results->facts.contains("device"));
  (void)claims::evaluate(text, rows).ok();
  (void)claims::numbers_at(text, rows).ok();
  return 0;
}
