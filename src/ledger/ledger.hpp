// SPDX-License-Identifier: MIT
// The record of every attempt: one SQLite file (write-ahead log). What append() has returned survives kill -9 and a
// power cut; several processes may write at once. One object per thread, and none is used across a fork.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/attempt.hpp"
#include "ledger/filter.hpp"
#include "ledger/leaderboard.hpp"
#include "ledger/machine.hpp"
#include "ledger/note.hpp"
#include "ledger/samples.hpp"
#include "ledger/source_file.hpp"

namespace SQLite {
class Database;
}

namespace assay::ledger {

struct Baseline {
  std::string name;
  int64_t attempt = 0;
  int64_t time_us = 0;  // when it was named
};

// A piece of long work that is done, or was begun.
struct WorkItem {
  std::string key;
  std::optional<int64_t> attempt;
  bool done = false;
  std::string payload{};  // what it found, where that is no attempt of its own

  bool operator==(const WorkItem&) const = default;
};

class Ledger {
 public:
  enum class Mode { write, read };  // read: the file must exist

  // Every error has ExitCode::environment and says what to do; a file that is not a ledger of ours is left as it is.
  static Result<Ledger> open(const std::filesystem::path& file, Mode mode = Mode::write);
  ~Ledger();
  Ledger(Ledger&& other) noexcept;
  Ledger& operator=(Ledger&& other) noexcept;

  const std::filesystem::path& file() const { return file_; }

  // --- attempts. The attempt, its samples and its sources are stored together or not at all.
  Result<int64_t> append(const Attempt& attempt, std::span<const Samples> samples = {},
                         std::span<const SourceFile> sources = {});
  // One after the other, however many there are. A row that makes no sense (somebody wrote into the file) goes to
  // `damaged` and passed over. `visit` may end the walk with an error, and ask this ledger for samples.
  Result<void> for_each_attempt(const Filter& filter, const std::function<Result<void>(const Attempt&)>& visit,
                                const std::function<void(const Error&)>& damaged = {});
  Result<std::vector<Attempt>> attempts(const Filter& filter = {}, std::vector<Error>* damaged = nullptr);
  Result<Attempt> attempt(int64_t id);  // an error if there is none
  Result<std::vector<Samples>> samples(int64_t attempt);
  Result<std::vector<SourceFile>> sources(int64_t attempt);  // ordered by path
  Result<std::vector<Machine>> machines();
  // One row for each kernel, shape, dtype, device, contract and protocol; the filter's kind, verdict and limit do not
  // count.
  Result<std::vector<LeaderboardRow>> leaderboard(const Filter& filter = {});

  // --- what people said, oldest first
  Result<int64_t> add_note(const Note& note);
  Result<std::vector<Note>> notes();

  // --- values by machine, for calibrations: JSON objects
  Result<void> set_machine_value(const std::string& machine, const std::string& key, const std::string& value);
  Result<std::optional<std::string>> machine_value(const std::string& machine, const std::string& key);

  // --- baselines by name
  Result<void> set_baseline(const std::string& name, int64_t attempt);
  Result<std::optional<Baseline>> baseline(const std::string& name);
  Result<std::vector<Baseline>> baselines();

  // --- long work that may be interrupted: `suite` is a hash of what is to be done
  Result<void> set_work_item(const std::string& suite, const WorkItem& item) {
    return set_work_items(suite, {&item, 1});
  }
  Result<void> set_work_items(const std::string& suite, std::span<const WorkItem> items);  // all or none
  Result<std::vector<WorkItem>> work_items(const std::string& suite);
  Result<void> forget_work_items(const std::string& suite);

 private:
  Ledger(std::filesystem::path file, std::unique_ptr<SQLite::Database> database);

  std::filesystem::path file_;
  std::unique_ptr<SQLite::Database> database_;
};

}  // namespace assay::ledger
