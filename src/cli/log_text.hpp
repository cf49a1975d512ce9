// SPDX-License-Identifier: MIT
// Attempts for people. Text from a ledger may come from anywhere: control characters never reach the terminal.
#pragma once

#include <string>
#include <vector>

#include "ledger/ledger.hpp"

namespace assay::cli {

std::string attempts_text(const std::vector<ledger::Attempt>& attempts);
std::string attempt_text(const ledger::Attempt& attempt, const std::vector<ledger::Samples>& samples);
std::string leaderboard_text(const std::vector<ledger::LeaderboardRow>& rows);

}  // namespace assay::cli
