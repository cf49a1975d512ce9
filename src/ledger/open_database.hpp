// SPDX-License-Identifier: MIT
// Opens the file of a ledger such that nothing is ever lost: a new one appears whole or not at all, and one that is
// not ours, newer, or damaged is not touched.
#pragma once

#include <filesystem>
#include <memory>

#include "base/result.hpp"

namespace SQLite {
class Database;
}

namespace assay::ledger {

inline constexpr int kBusyTimeoutMs = 30'000;

// The file must exist.
Result<std::unique_ptr<SQLite::Database>> open_for_reading(const std::filesystem::path& file);
// Made if there is none; brought to the present version if it is older.
Result<std::unique_ptr<SQLite::Database>> open_for_writing(const std::filesystem::path& file);

}  // namespace assay::ledger
