// SPDX-License-Identifier: MIT
#include "ledger/attempt_row.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cmath>
#include <fmt/format.h>

#include "ledger/json_text.hpp"
#include "ledger/sqlite_guard.hpp"

namespace assay::ledger {
namespace {

// Binds one value after the other.
class Binder {
 public:
  explicit Binder(SQLite::Statement& statement) : statement_(statement) {}

  Binder& add(const std::string& value) { return statement_.bind(next_++, value), *this; }
  Binder& add(std::string_view value) { return add(std::string(value)); }
  Binder& add(int64_t value) { return statement_.bind(next_++, value), *this; }
  Binder& add(double value) { return statement_.bind(next_++, value), *this; }
  Binder& add(const std::optional<double>& value) { return value ? add(*value) : skip(); }
  Binder& skip() { return statement_.bind(next_++), *this; }
  Binder& add_bytes(const std::string& bytes) {
    return statement_.bind(next_++, bytes.data(), static_cast<int>(bytes.size())), *this;
  }

 private:
  SQLite::Statement& statement_;
  int next_ = 1;
};

// Reads one value after the other.
class Row {
 public:
  explicit Row(const SQLite::Statement& statement) : statement_(statement) {}

  std::string text() { return statement_.getColumn(next_++).getString(); }
  int64_t integer() { return statement_.getColumn(next_++).getInt64(); }
  double real() { return statement_.getColumn(next_++).getDouble(); }
  std::optional<double> optional_real() {
    const SQLite::Column column = statement_.getColumn(next_++);
    return column.isNull() ? std::nullopt : std::optional(column.getDouble());
  }
  std::optional<int64_t> optional_integer() {
    const SQLite::Column column = statement_.getColumn(next_++);
    return column.isNull() ? std::nullopt : std::optional(column.getInt64());
  }

 private:
  const SQLite::Statement& statement_;
  int next_ = 0;
};

bool sensible(double value) {
  return std::isfinite(value) && value >= 0;
}

bool sensible(const std::optional<double>& value) {
  return !value || sensible(*value);
}

bool object_or_empty(const std::string& text) {
  return text.empty() || is_object(text);
}

}  // namespace

Result<void> require_attempt(const std::filesystem::path& file, SQLite::Database& database, int64_t id) {
  SQLite::Statement query(database, "SELECT 1 FROM attempts WHERE id = ?");
  query.bind(1, id);
  if (query.executeStep()) return {};
  return Error{fmt::format("there is no attempt {}", id), Place{file.string()}, "assay log lists them"};
}

int64_t insert_attempt(SQLite::Database& database, const Attempt& attempt) {
  SQLite::Statement statement(
      database, fmt::format("INSERT INTO attempts ({}) VALUES (NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
                            kAttemptColumns));
  Binder binder(statement);
  binder.add(to_string(attempt.kind)).add(attempt.time_us).add(attempt.duration_s).add(attempt.machine);
  binder.add(attempt.assay).add(attempt.kernel).add(attempt.specification).add(attempt.configuration);
  binder.add(attempt.shape).add(attempt.dtype).add(attempt.device).add(static_cast<int64_t>(attempt.seed));
  binder.add(attempt.verdict);
  attempt.correct ? binder.add(static_cast<int64_t>(*attempt.correct)) : binder.skip();
  binder.add(static_cast<int64_t>(attempt.exit_code)).add(attempt.contract).add(attempt.contract_hash);
  binder.add(attempt.comparable).add(attempt.source_hash).add(attempt.cubin_hash).add(attempt.cost_per_hour);
  binder.add(attempt.cost).add(attempt.p50_us).add(attempt.details);
  statement.exec();
  return database.getLastInsertRowid();
}

Result<Attempt> read_attempt(const std::filesystem::path& file, const SQLite::Statement& row) {
  Row next(row);
  Attempt attempt;
  attempt.id = next.integer();
  const auto wrong = [&](const char* what) {
    return damaged(file, fmt::format("attempt {} has {}", attempt.id, what));
  };
  const std::optional<Kind> kind = kind_from_name(next.text());
  if (!kind) return wrong("a kind that does not exist");
  attempt.kind = *kind;
  attempt.time_us = next.integer();
  attempt.duration_s = next.real();
  attempt.machine = next.text();
  attempt.assay = next.text();
  attempt.kernel = next.text();
  attempt.specification = next.text();
  attempt.configuration = next.text();
  attempt.shape = next.text();
  attempt.dtype = next.text();
  attempt.device = next.text();
  attempt.seed = static_cast<uint64_t>(next.integer());
  attempt.verdict = next.text();
  if (const auto correct = next.optional_integer()) attempt.correct = *correct != 0;
  const int64_t exit_code = next.integer();
  attempt.contract = next.text();
  attempt.contract_hash = next.text();
  attempt.comparable = next.text();
  attempt.source_hash = next.text();
  attempt.cubin_hash = next.text();
  attempt.cost_per_hour = next.optional_real();
  attempt.cost = next.optional_real();
  attempt.p50_us = next.optional_real();
  attempt.details = next.text();
  if (attempt.time_us < 0) return wrong("a time before 1970");
  if (exit_code < 0 || exit_code > 255) return wrong("an exit code outside 0 ... 255");
  attempt.exit_code = static_cast<int>(exit_code);
  if (!sensible(attempt.duration_s) || !sensible(attempt.cost_per_hour) || !sensible(attempt.cost) ||
      !sensible(attempt.p50_us)) {
    return wrong("a duration, cost or p50 that is negative or not a number");
  }
  if (!object_or_empty(attempt.contract) || !object_or_empty(attempt.details)) {
    return wrong("a contract or details that are no JSON object");
  }
  return attempt;
}

void insert_samples(SQLite::Database& database, int64_t attempt, const Samples& samples) {
  SQLite::Statement statement(
      database, fmt::format("INSERT INTO samples (attempt, {}) VALUES (?,?,?,?,?,?,?,?,?,?,?)", kSamplesColumns));
  Binder binder(statement);
  binder.add(attempt).add(samples.contender).add(to_string(samples.role)).add(samples.configuration);
  binder.add(samples.shape).add(samples.dtype).add(samples.protocol);
  binder.add(samples.p50_us ? *samples.p50_us : summarize(samples).p50_us);
  binder.add_bytes(encode(samples.times_us)).add_bytes(encode(samples.clocks_mhz)).add_bytes(encode(samples.throttle));
  statement.exec();
}

Result<Samples> read_samples(const std::filesystem::path& file, int64_t attempt, const SQLite::Statement& row) {
  Row next(row);
  Samples samples;
  const auto wrong = [&](const std::string& what) {
    return damaged(file, fmt::format("samples of attempt {}: {}", attempt, what));
  };
  samples.contender = next.text();
  const std::optional<Role> role = role_from_name(next.text());
  if (!role) return wrong("a role that does not exist");
  samples.role = *role;
  samples.configuration = next.text();
  samples.shape = next.text();
  samples.dtype = next.text();
  samples.protocol = next.text();
  samples.p50_us = next.real();
  auto times = decode_doubles(next.text());
  auto clocks = decode_doubles(next.text());
  auto throttle = decode_words(next.text());
  if (!times || !clocks || !throttle) return wrong("an array of a broken length");
  samples.times_us = std::move(*times);
  samples.clocks_mhz = std::move(*clocks);
  samples.throttle = std::move(*throttle);
  if (const auto valid = validate(samples); !valid) return wrong(valid.error().message);
  return samples;
}

}  // namespace assay::ledger
