// SPDX-License-Identifier: MIT
// Claims in a Markdown document: small comments that say where a figure comes from. Readers do not see them.
//
//   took 5.79 us<!--claim attention.txt: [shape=small,mask=full].ours-->      the figure before it
//   <!--claim attempt 12: p50_us-->                                           of the ledger
//   <!--claim table attention.txt: {shape} {mask} | {ours} | {cudnn/ours}-->  every row of the table below it, and
//   every
//                                                                             recorded row is in the table
//   <!--claim rows attention.txt: ...-->                                      the same, but the table may show a part
//   <!--claim numbers steps.json: steps.*.before_us-->                        the paragraph or table below it holds
//   each
//                                                                             of these numbers
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "claims/figure.hpp"

namespace assay::claims {

struct Claim {
  enum class Kind { figure, table, rows, numbers };

  Kind kind = Kind::figure;
  int line = 0;            // of the comment, from 1
  std::string source;      // "attention.txt", "attempt 12"
  std::string expression;  // or, of a table, the row
  Figure figure{};         // of a figure
  struct Row {
    int line = 0;
    std::vector<std::string> cells;
  };
  std::vector<Row> rows{};  // of a table
  std::string below{};      // of numbers: the text that holds them
};

// Comments in code are none. A comment that claims something of nothing is an error with its place.
Result<std::vector<Claim>> find_claims(std::string_view text, const std::string& file);

struct Disagreement {
  int line = 0;
  std::string figure;    // as the document has it
  std::string recorded;  // what it should be, in words
};

struct CheckedClaim {
  size_t figures = 0;  // that were compared
  std::vector<Disagreement> disagreements;
};

// Against what was recorded. An error: the claim itself cannot be understood.
Result<CheckedClaim> check_claim(const Claim& claim, const nlohmann::json& recorded, const std::string& file);

}  // namespace assay::claims
