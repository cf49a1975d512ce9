// SPDX-License-Identifier: MIT
#include "ledger/ledger.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include "ledger/attempt_row.hpp"
#include "ledger/filter_sql.hpp"
#include "ledger/open_database.hpp"
#include "ledger/sqlite_guard.hpp"

namespace assay::ledger {
namespace {

using Behavior = SQLite::TransactionBehavior;

void remember_machine(SQLite::Database& database, const std::string& id) {
  SQLite::Statement statement(database, "INSERT OR IGNORE INTO machines (id, first_us, description) VALUES (?, ?, ?)");
  statement.bind(1, id);
  statement.bind(2, now_us());
  statement.bind(3, id == this_machine().id ? this_machine().description : "{}");
  statement.exec();
}

}  // namespace

Ledger::Ledger(std::filesystem::path file, std::unique_ptr<SQLite::Database> database)
    : file_(std::move(file)), database_(std::move(database)) {}
Ledger::~Ledger() = default;
Ledger::Ledger(Ledger&& other) noexcept = default;
Ledger& Ledger::operator=(Ledger&& other) noexcept = default;

Result<Ledger> Ledger::open(const std::filesystem::path& file, Mode mode) {
  ASSAY_TRY(auto database, mode == Mode::read ? open_for_reading(file) : open_for_writing(file));
  return Ledger(file, std::move(database));
}

Result<int64_t> Ledger::append(const Attempt& attempt, std::span<const Samples> samples,
                               std::span<const SourceFile> sources) {
  ASSAY_TRY(Attempt row, completed(attempt));
  if (row.machine.empty()) row.machine = this_machine().id;
  for (const Samples& each : samples) ASSAY_CHECK(validate(each));
  return guarded(file_, [&]() -> Result<int64_t> {
    SQLite::Transaction transaction(*database_, Behavior::IMMEDIATE);
    remember_machine(*database_, row.machine);
    const int64_t id = insert_attempt(*database_, row);
    for (const Samples& each : samples) insert_samples(*database_, id, each);
    insert_sources(*database_, id, sources);
    transaction.commit();
    return id;
  });
}

Result<void> Ledger::for_each_attempt(const Filter& filter, const std::function<Result<void>(const Attempt&)>& visit,
                                      const std::function<void(const Error&)>& damaged) {
  return guarded(file_, [&]() -> Result<void> {
    const std::string limit = filter.limit == 0 ? "" : fmt::format(" LIMIT {}", filter.limit);
    const std::string chosen =
        fmt::format("SELECT id FROM attempts a WHERE {} ORDER BY id DESC{}", filter_sql(filter), limit);
    SQLite::Statement query(*database_, fmt::format("SELECT {} FROM attempts WHERE id IN ({}) ORDER BY id {}",
                                                    kAttemptColumns, chosen, filter.oldest_first ? "ASC" : "DESC"));
    bind_filter(query, filter);
    while (query.executeStep()) {
      auto attempt = read_attempt(file_, query);
      if (attempt) {
        ASSAY_CHECK(visit(*attempt));
      } else if (damaged) {
        damaged(attempt.error());
      }
    }
    return {};
  });
}

Result<std::vector<Attempt>> Ledger::attempts(const Filter& filter, std::vector<Error>* damaged) {
  std::vector<Attempt> found;
  const auto keep = [&](const Attempt& attempt) -> Result<void> {
    found.push_back(attempt);
    return {};
  };
  const auto note = [&](const Error& error) {
    if (damaged != nullptr) damaged->push_back(error);
  };
  ASSAY_CHECK(for_each_attempt(filter, keep, note));
  return found;
}

Result<Attempt> Ledger::attempt(int64_t id) {
  return guarded(file_, [&]() -> Result<Attempt> {
    ASSAY_CHECK(require_attempt(file_, *database_, id));
    SQLite::Statement query(*database_, fmt::format("SELECT {} FROM attempts WHERE id = ?", kAttemptColumns));
    query.bind(1, id);
    query.executeStep();
    return read_attempt(file_, query);
  });
}

Result<std::vector<Samples>> Ledger::samples(int64_t attempt) {
  return guarded(file_, [&]() -> Result<std::vector<Samples>> {
    SQLite::Statement query(*database_,
                            fmt::format("SELECT {} FROM samples WHERE attempt = ? ORDER BY id", kSamplesColumns));
    query.bind(1, attempt);
    std::vector<Samples> found;
    while (query.executeStep()) {
      ASSAY_TRY(Samples samples, read_samples(file_, attempt, query));
      found.push_back(std::move(samples));
    }
    return found;
  });
}

Result<std::vector<LeaderboardRow>> Ledger::leaderboard(const Filter& filter) {
  return guarded(file_, [&]() -> Result<std::vector<LeaderboardRow>> {
    Filter correct_ones = filter;
    correct_ones.kind.reset();
    correct_ones.verdict.clear();
    // Samples of an attempt with one configuration leave it to the attempt. With min(), SQLite takes the other columns
    // from the row that has the smallest value.
    SQLite::Statement query(
        *database_,
        fmt::format(
            "SELECT a.kernel, s.shape, s.dtype, a.device, a.comparable, s.protocol, min(s.p50_us), "
            "a.id, a.time_us, CASE s.configuration WHEN '' THEN a.configuration ELSE s.configuration END, "
            "a.source_hash "
            "FROM samples s JOIN attempts a ON a.id = s.attempt "
            "WHERE a.correct = 1 AND a.kind != 'import' AND s.role = 'candidate' AND {} GROUP BY 1, 2, 3, 4, 5, 6 "
            "ORDER BY 1, 3, 4, 5, 6, min(s.p50_us)",
            filter_sql(correct_ones)));
    bind_filter(query, correct_ones);
    std::vector<LeaderboardRow> rows;
    while (query.executeStep()) {
      const auto text = [&](int column) { return query.getColumn(column).getString(); };
      rows.push_back({text(0), text(1), text(2), text(3), text(4), text(5), query.getColumn(6).getDouble(),
                      query.getColumn(7).getInt64(), query.getColumn(8).getInt64(), text(9), text(10)});
    }
    return rows;
  });
}

}  // namespace assay::ledger
