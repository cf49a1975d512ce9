// SPDX-License-Identifier: MIT
#include "ledger/schema.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <array>
#include <fmt/format.h>
#include <map>

namespace assay::ledger {
namespace {

// Never edit a step that was released: add one.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE machines (
  id          TEXT PRIMARY KEY,
  first_us    INTEGER NOT NULL,
  description TEXT NOT NULL
) STRICT;
CREATE TABLE attempts (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  kind          TEXT NOT NULL,
  time_us       INTEGER NOT NULL,
  duration_s    REAL NOT NULL,
  machine       TEXT NOT NULL REFERENCES machines(id),
  assay         TEXT NOT NULL,
  kernel        TEXT NOT NULL,
  specification TEXT NOT NULL,
  configuration TEXT NOT NULL,
  shape         TEXT NOT NULL,
  dtype         TEXT NOT NULL,
  device        TEXT NOT NULL,
  seed          INTEGER NOT NULL,
  verdict       TEXT NOT NULL,
  correct       INTEGER,
  exit_code     INTEGER NOT NULL,
  contract      TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  comparable    TEXT NOT NULL,
  source_hash   TEXT NOT NULL,
  cubin_hash    TEXT NOT NULL,
  cost_per_hour REAL,
  cost          REAL,
  p50_us        REAL,
  details       TEXT NOT NULL
) STRICT;
CREATE INDEX attempts_by_kernel ON attempts(kernel, kind);
CREATE TABLE samples (
  id            INTEGER PRIMARY KEY,
  attempt       INTEGER NOT NULL REFERENCES attempts(id),
  contender     TEXT NOT NULL,
  role          TEXT NOT NULL,
  configuration TEXT NOT NULL,
  shape         TEXT NOT NULL,
  dtype         TEXT NOT NULL,
  protocol      TEXT NOT NULL,
  p50_us        REAL NOT NULL,
  times_us      BLOB NOT NULL,
  clocks_mhz    BLOB NOT NULL,
  throttle      BLOB NOT NULL
) STRICT;
CREATE INDEX samples_by_attempt ON samples(attempt);
CREATE TABLE machine_values (
  machine TEXT NOT NULL,
  key     TEXT NOT NULL,
  time_us INTEGER NOT NULL,
  value   TEXT NOT NULL,
  PRIMARY KEY (machine, key)
) STRICT;
CREATE TABLE baselines (
  name    TEXT PRIMARY KEY,
  attempt INTEGER NOT NULL REFERENCES attempts(id),
  time_us INTEGER NOT NULL
) STRICT;
CREATE TABLE work_items (
  suite   TEXT NOT NULL,
  item    TEXT NOT NULL,
  attempt INTEGER REFERENCES attempts(id),
  done    INTEGER NOT NULL,
  time_us INTEGER NOT NULL,
  PRIMARY KEY (suite, item)
) STRICT;
)sql";

// What a piece of work found: not every piece is an attempt.
constexpr const char* kVersion2 = "ALTER TABLE work_items ADD COLUMN payload TEXT NOT NULL DEFAULT '';";

// What attempts were made of, each content once, and what people said about them.
constexpr const char* kVersion3 = R"sql(
CREATE TABLE sources (
  hash    TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT;
CREATE TABLE attempt_sources (
  attempt INTEGER NOT NULL REFERENCES attempts(id),
  path    TEXT NOT NULL,
  hash    TEXT NOT NULL REFERENCES sources(hash),
  PRIMARY KEY (attempt, path)
) STRICT;
CREATE TABLE notes (
  id      INTEGER PRIMARY KEY AUTOINCREMENT,
  time_us INTEGER NOT NULL,
  attempt INTEGER REFERENCES attempts(id),
  kernel  TEXT NOT NULL,
  kind    TEXT NOT NULL,
  text    TEXT NOT NULL
) STRICT;
)sql";

constexpr std::array<const char*, 3> kSteps = {kVersion1, kVersion2, kVersion3};

using Entries = std::map<std::string, std::string>;  // "table attempts" -> the text that made it

Entries entries(SQLite::Database& database) {
  Entries found;
  SQLite::Statement query(database, "SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_schema");
  while (query.executeStep()) found[query.getColumn(0).getString()] = query.getColumn(1).getString();
  return found;
}

}  // namespace

std::span<const char* const> schema_steps() {
  return kSteps;
}

Stamp read_stamp(SQLite::Database& database) {
  return {database.execAndGet("PRAGMA application_id").getInt(), database.execAndGet("PRAGMA user_version").getInt()};
}

void migrate(SQLite::Database& database, std::span<const char* const> steps) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  const int version = read_stamp(database).version;  // only now: another process may have migrated meanwhile
  if (version < 0 || static_cast<size_t>(version) >= steps.size()) return;
  for (const char* step : steps.subspan(static_cast<size_t>(version))) database.exec(step);
  database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
  database.exec(fmt::format("PRAGMA user_version = {}", steps.size()));
  transaction.commit();
}

std::string schema_mistake(SQLite::Database& database, std::span<const char* const> steps) {
  SQLite::Database model(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  migrate(model, steps);
  const Entries expected = entries(model);
  const Entries found = entries(database);
  for (const auto& [name, text] : expected) {
    const auto entry = found.find(name);
    if (entry == found.end()) return fmt::format("it has no {}", name);
    if (entry->second != text) return fmt::format("its {} is not the one that Assay makes", name);
  }
  for (const auto& [name, text] : found) {
    if (name.starts_with("trigger ") || name.starts_with("view "))
      return "it holds triggers or views; a ledger has none";
  }
  return "";
}

}  // namespace assay::ledger
