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

// What people said about an attempt, and the names of the files that it was made of.
std::string notes_text(const std::vector<ledger::Note>& notes, const std::vector<ledger::SourceFile>& sources);

}  // namespace assay::cli
