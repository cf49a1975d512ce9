// SPDX-License-Identifier: MIT
// A bench as text, JSON, CSV and Markdown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "measure/judged_case.hpp"
#include "report/terminal.hpp"

namespace assay::report {

using BenchCase = measure::JudgedCase;

nlohmann::json bench_case_document(const BenchCase& bench, bool with_samples);
std::string bench_case_text(const BenchCase& bench, const Terminal& terminal);

Colour colour_of(judge::Verdict verdict);  // of the candidate's verdict

struct BenchTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};
// One row for each contender of each case: the same columns in CSV and Markdown.
BenchTable bench_table(const std::vector<BenchCase>& cases);
std::string to_csv(const BenchTable& table);
std::string to_markdown(const BenchTable& table);

}  // namespace assay::report
