// SPDX-License-Identifier: MIT
// The part of a ledger that is overwritten: machines, their values, named baselines, work of suites.
#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "ledger/attempt_row.hpp"
#include "ledger/json_text.hpp"
#include "ledger/ledger.hpp"
#include "ledger/sqlite_guard.hpp"

namespace assay::ledger {
namespace {

// One statement in a transaction of its own: on the disk when it returns.
void execute(SQLite::Database& database, SQLite::Statement& statement) {
  SQLite::Transaction transaction(database, SQLite::TransactionBehavior::IMMEDIATE);
  statement.exec();
  transaction.commit();
}

Baseline read_baseline(const SQLite::Statement& row) {
  return {row.getColumn(0).getString(), row.getColumn(1).getInt64(), row.getColumn(2).getInt64()};
}

}  // namespace

Result<std::vector<Machine>> Ledger::machines() {
  return guarded(file_, [&]() -> Result<std::vector<Machine>> {
    SQLite::Statement query(*database_, "SELECT id, description FROM machines ORDER BY first_us, id");
    std::vector<Machine> found;
    while (query.executeStep()) {
      Machine machine{query.getColumn(0).getString(), query.getColumn(1).getString()};
      if (!is_object(machine.description)) return damaged(file_, "a machine's description is no JSON object");
      found.push_back(std::move(machine));
    }
    return found;
  });
}

Result<void> Ledger::set_machine_value(const std::string& machine, const std::string& key, const std::string& value) {
  ASSAY_TRY(const std::string object, sorted_object(key, value));
  return guarded(file_, [&]() -> Result<void> {
    SQLite::Statement statement(*database_,
                                "INSERT INTO machine_values (machine, key, time_us, value) VALUES (?, ?, ?, ?) "
                                "ON CONFLICT (machine, key) DO UPDATE SET time_us = excluded.time_us, "
                                "value = excluded.value");
    statement.bind(1, machine);
    statement.bind(2, key);
    statement.bind(3, now_us());
    statement.bind(4, object);
    execute(*database_, statement);
    return {};
  });
}

Result<std::optional<std::string>> Ledger::machine_value(const std::string& machine, const std::string& key) {
  return guarded(file_, [&]() -> Result<std::optional<std::string>> {
    SQLite::Statement query(*database_, "SELECT value FROM machine_values WHERE machine = ? AND key = ?");
    query.bind(1, machine);
    query.bind(2, key);
    if (!query.executeStep()) return std::optional<std::string>();
    std::string value = query.getColumn(0).getString();
    if (!is_object(value)) return damaged(file_, fmt::format("the value '{}' of a machine is no JSON object", key));
    return std::optional(std::move(value));
  });
}

Result<void> Ledger::set_baseline(const std::string& name, int64_t attempt) {
  if (name.empty()) return Error{"a baseline needs a name"};
  return guarded(file_, [&]() -> Result<void> {
    ASSAY_CHECK(require_attempt(file_, *database_, attempt));
    SQLite::Statement kind(*database_, "SELECT 1 FROM attempts WHERE id = ? AND kind = 'import'");
    kind.bind(1, attempt);
    if (kind.executeStep())
      return Error{fmt::format("attempt {} was imported: what others measured is no baseline", attempt),
                   Place{file_.string()}, "assay bench --save NAME measures one"};
    SQLite::Statement statement(*database_,
                                "INSERT INTO baselines (name, attempt, time_us) VALUES (?, ?, ?) "
                                "ON CONFLICT (name) DO UPDATE SET attempt = excluded.attempt, "
                                "time_us = excluded.time_us");
    statement.bind(1, name);
    statement.bind(2, attempt);
    statement.bind(3, now_us());
    execute(*database_, statement);
    return {};
  });
}

Result<std::optional<Baseline>> Ledger::baseline(const std::string& name) {
  return guarded(file_, [&]() -> Result<std::optional<Baseline>> {
    SQLite::Statement query(*database_, "SELECT name, attempt, time_us FROM baselines WHERE name = ?");
    query.bind(1, name);
    return query.executeStep() ? std::optional(read_baseline(query)) : std::nullopt;
  });
}

Result<std::vector<Baseline>> Ledger::baselines() {
  return guarded(file_, [&]() -> Result<std::vector<Baseline>> {
    SQLite::Statement query(*database_, "SELECT name, attempt, time_us FROM baselines ORDER BY name");
    std::vector<Baseline> found;
    while (query.executeStep()) found.push_back(read_baseline(query));
    return found;
  });
}

Result<void> Ledger::set_work_items(const std::string& suite, std::span<const WorkItem> items) {
  return guarded(file_, [&]() -> Result<void> {
    SQLite::Transaction transaction(*database_, SQLite::TransactionBehavior::IMMEDIATE);
    SQLite::Statement statement(*database_,
                                "INSERT INTO work_items (suite, item, attempt, done, time_us, payload) "
                                "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (suite, item) DO UPDATE SET "
                                "attempt = excluded.attempt, done = excluded.done, time_us = excluded.time_us, "
                                "payload = excluded.payload");
    for (const WorkItem& item : items) {
      if (item.attempt) ASSAY_CHECK(require_attempt(file_, *database_, *item.attempt));
      statement.reset();
      statement.bind(1, suite);
      statement.bind(2, item.key);
      item.attempt ? statement.bind(3, *item.attempt) : statement.bind(3);
      statement.bind(4, static_cast<int64_t>(item.done));
      statement.bind(5, now_us());
      statement.bind(6, item.payload);
      statement.exec();
    }
    transaction.commit();
    return {};
  });
}

Result<void> Ledger::forget_work_items(const std::string& suite) {
  return guarded(file_, [&]() -> Result<void> {
    SQLite::Statement statement(*database_, "DELETE FROM work_items WHERE suite = ?");
    statement.bind(1, suite);
    execute(*database_, statement);
    return {};
  });
}

Result<std::vector<WorkItem>> Ledger::work_items(const std::string& suite) {
  return guarded(file_, [&]() -> Result<std::vector<WorkItem>> {
    SQLite::Statement query(*database_,
                            "SELECT item, attempt, done, payload FROM work_items WHERE suite = ? ORDER BY item");
    query.bind(1, suite);
    std::vector<WorkItem> found;
    while (query.executeStep()) {
      const SQLite::Column attempt = query.getColumn(1);
      found.push_back({query.getColumn(0).getString(),
                       attempt.isNull() ? std::nullopt : std::optional(attempt.getInt64()),
                       query.getColumn(2).getInt64() != 0, query.getColumn(3).getString()});
    }
    return found;
  });
}

}  // namespace assay::ledger
