// SPDX-License-Identifier: MIT
// A suite's result as text, JSON, CSV and Markdown.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/terminal.hpp"
#include "suite/plan.hpp"
#include "suite/row.hpp"
#include "suite/summary.hpp"

namespace assay::suite {

// "suite", "rows" with every case as assay bench prints it, "summary". The command adds what it knows of the machine.
nlohmann::json suite_document(const Plan& plan, const std::vector<Row>& rows, const Summary& summary);
nlohmann::json plan_document(const Plan& plan);  // what would be measured

std::string plan_text(const Plan& plan, const report::Terminal& terminal);
std::string row_text(const Row& row);  // one item as soon as it is known: no verdict yet, which waits for all of them
std::string suite_text(const std::vector<Row>& rows, const Summary& summary, const report::Terminal& terminal);
std::string suite_csv(const std::vector<Row>& rows);  // one line for each item and baseline
std::string suite_markdown(const Plan& plan, const std::vector<Row>& rows, const Summary& summary);

}  // namespace assay::suite
