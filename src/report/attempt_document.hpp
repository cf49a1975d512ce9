// SPDX-License-Identifier: MIT
// Attempts as JSON and as CSV.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"

namespace assay::report {

nlohmann::json attempt_document(const ledger::Attempt& attempt);
nlohmann::json samples_document(const ledger::Samples& samples, bool raw);  // a summary, and every sample if raw
nlohmann::json leaderboard_document(const std::vector<ledger::LeaderboardRow>& rows);

std::string attempts_csv_header();
std::string attempt_csv(const ledger::Attempt& attempt);  // one line
std::string samples_csv_header();
std::string samples_csv(const ledger::Attempt& attempt, const ledger::Samples& samples);  // a line for each sample

}  // namespace assay::report
