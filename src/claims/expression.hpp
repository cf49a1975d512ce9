// SPDX-License-Identifier: MIT
// What a claim says of a recorded document: numbers in it, and what follows from them.
//
//   p50_us                                          a member
//   [shape=small,mask=full].ours                    that of the one entry of a list that is like that
//   cases."B=1,H=8".p50_us                          names with other characters stand in quotes
//   min([mask=causal].x)   max   median   mean   sum   count     over all that a path finds; * is every member
//   [a=1].t / [a=2].t * 100 - 100                   arithmetic
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::claims {

// One number, or an error that says which part of the expression finds nothing, or too much.
Result<double> evaluate(std::string_view expression, const nlohmann::json& document);

// All numbers that a path finds, or several paths with commas between them.
Result<std::vector<double>> numbers_at(std::string_view paths, const nlohmann::json& document);

}  // namespace assay::claims
