// SPDX-License-Identifier: MIT
// An attempt as a row of the table. What comes back from a file is checked before anyone uses it.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/result.hpp"
#include "ledger/attempt.hpp"
#include "ledger/samples.hpp"
#include "ledger/source_file.hpp"

namespace SQLite {
class Database;
class Statement;
}  // namespace SQLite

namespace assay::ledger {

// Columns in the order that read_attempt expects.
inline constexpr const char* kAttemptColumns =
    "id, kind, time_us, duration_s, machine, assay, kernel, specification, configuration, shape, dtype, device, seed, "
    "verdict, correct, exit_code, contract, contract_hash, comparable, source_hash, cubin_hash, cost_per_hour, cost, "
    "p50_us, details";
inline constexpr const char* kSamplesColumns =
    "contender, role, configuration, shape, dtype, protocol, p50_us, times_us, clocks_mhz, throttle";

// An error unless the table has this attempt.
Result<void> require_attempt(const std::filesystem::path& file, SQLite::Database& database, int64_t id);
int64_t insert_attempt(SQLite::Database& database, const Attempt& attempt);
Result<Attempt> read_attempt(const std::filesystem::path& file, const SQLite::Statement& row);

void insert_sources(SQLite::Database& database, int64_t attempt, std::span<const SourceFile> sources);
void insert_samples(SQLite::Database& database, int64_t attempt, const Samples& samples);
Result<Samples> read_samples(const std::filesystem::path& file, int64_t attempt, const SQLite::Statement& row);

}  // namespace assay::ledger
