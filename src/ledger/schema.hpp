// SPDX-License-Identifier: MIT
// The tables of a ledger, and the steps from each version of them to the next.
#pragma once

#include <span>
#include <string>

namespace SQLite {
class Database;
}

namespace assay::ledger {

inline constexpr int kApplicationId = 0x41535359;  // "ASSY"

// steps[0] makes version 1 of an empty database, steps[1] makes version 2 of version 1, and so on.
std::span<const char* const> schema_steps();
inline int schema_version() {
  return static_cast<int>(schema_steps().size());
}

// What a file says about itself.
struct Stamp {
  int application_id = 0;
  int version = 0;
};
Stamp read_stamp(SQLite::Database& database);

// Brings the database to the last version, all in one transaction or not at all. Another process may be doing the same.
void migrate(SQLite::Database& database, std::span<const char* const> steps = schema_steps());

// What is wrong with the tables, or "": they are ours to the letter, and nothing in the file acts by itself (triggers,
// views). Needs a database of the version that `steps` lead to.
std::string schema_mistake(SQLite::Database& database, std::span<const char* const> steps = schema_steps());

}  // namespace assay::ledger
