// SPDX-License-Identifier: MIT
#include "ledger/open_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/escape.hpp"
#include "base/file.hpp"
#include "ledger/schema.hpp"
#include "ledger/sqlite_guard.hpp"

namespace assay::ledger {
namespace {

namespace fs = std::filesystem;
using DatabasePointer = std::unique_ptr<SQLite::Database>;

constexpr uintmax_t kSmallestPageBytes = 512;
constexpr int kValueLimitBytes = 512 << 20;
// Looking at every page takes about a second per gigabyte; a larger file is checked where it is read.
constexpr uintmax_t kFullCheckLimitBytes = uintmax_t{64} << 20;

// The content of the file is not trusted: nothing in it may run code, and values have a limit.
void distrust(SQLite::Database& database) {
  sqlite3* handle = database.getHandle();
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, kValueLimitBytes);
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  database.exec("PRAGMA cell_size_check = ON");
}

// On a read-only disk the library cannot make its shared-memory file. Without a journal beside it, the file is complete
// and nobody writes: it may be read as it lies there.
DatabasePointer open_read_only(const fs::path& file) {
  try {
    auto database = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READONLY, kBusyTimeoutMs);
    distrust(*database);
    read_stamp(*database);
    return database;
  } catch (const SQLite::Exception& problem) {
    std::error_code ignored;
    const bool complete =
        !fs::exists(file.string() + "-wal", ignored) && !fs::exists(file.string() + "-journal", ignored);
    if ((problem.getErrorCode() & 0xff) != SQLITE_CANTOPEN || !complete) throw;
    auto database =
        std::make_unique<SQLite::Database>("file:" + escape_uri_path(fs::absolute(file).string()) + "?immutable=1",
                                           SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyTimeoutMs);
    distrust(*database);
    return database;
  }
}

Result<void> check_stamp(const fs::path& file, const Stamp& stamp) {
  if (stamp.application_id != kApplicationId || stamp.version < 1) {
    return error_at(file, "this SQLite database is not a ledger of Assay",
                    "it was left as it is; choose another file with --ledger FILE");
  }
  if (stamp.version > schema_version()) {
    return error_at(
        file,
        fmt::format("this ledger was written by a newer Assay: its version is {}, this program knows up to {}",
                    stamp.version, schema_version()),
        "it was left as it is; use the newer program, or choose another file with --ledger FILE");
  }
  return {};
}

// A value that its column does not admit: somebody wrote into the file. The others are as they were, and this row is
// reported where it is read.
bool about_one_row(const std::string& verdict) {
  return verdict.starts_with("non-") || verdict.starts_with("NULL value in ") ||
         verdict.starts_with("CHECK constraint failed in ") || verdict.find(" value in ") != std::string::npos;
}

Result<void> check_content(const fs::path& file, SQLite::Database& database, const Stamp& stamp) {
  std::error_code ignored;
  if (const uintmax_t bytes = fs::file_size(file, ignored); bytes <= kFullCheckLimitBytes) {
    SQLite::Statement check(database, "PRAGMA quick_check(100)");
    while (check.executeStep()) {
      const std::string verdict = check.getColumn(0).getString();
      if (verdict != "ok" && !about_one_row(verdict)) return damaged(file, verdict);
    }
  }
  const std::string mistake = schema_mistake(database, schema_steps().first(static_cast<size_t>(stamp.version)));
  if (!mistake.empty()) return damaged(file, mistake);
  return {};
}

Result<void> check_file(const fs::path& file) {
  std::error_code problem;
  const fs::file_status status = fs::status(file, problem);
  if (!fs::exists(status)) {
    return error_at(file, "there is no ledger here", "every build, check and measurement adds to it: run one first");
  }
  if (!fs::is_regular_file(status))
    return error_at(file, "a ledger must be a file", "choose another one with --ledger FILE");
  const uintmax_t bytes = fs::file_size(file, problem);
  if (!problem && bytes == 0) {
    return error_at(file, "this file is empty, not a ledger", "remove it, and a ledger is made in its place");
  }
  // The library takes a file that is shorter than any page for a new database.
  if (!problem && bytes < kSmallestPageBytes) throw SQLite::Exception("shorter than a page", SQLITE_NOTADB);
  return {};
}

// Opens without a way to write, and looks at everything. Returns the database and its version.
Result<std::pair<DatabasePointer, Stamp>> inspect(const fs::path& file) {
  ASSAY_CHECK(check_file(file));
  DatabasePointer database = open_read_only(file);
  const Stamp stamp = read_stamp(*database);
  ASSAY_CHECK(check_stamp(file, stamp));
  ASSAY_CHECK(check_content(file, *database, stamp));
  return std::pair{std::move(database), stamp};
}

void sync_folder(const fs::path& file) {
  const fs::path folder = file.parent_path().empty() ? fs::path(".") : file.parent_path();
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// The whole file of a new ledger. Made in memory, so that nothing is left if we are killed meanwhile.
std::string new_file() {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  migrate(database);
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> bytes(
      sqlite3_serialize(database.getHandle(), "main", &size, 0), sqlite3_free);
  if (!bytes) throw SQLite::Exception("no memory for a new database", SQLITE_NOMEM);
  std::string content(reinterpret_cast<const char*>(bytes.get()), static_cast<size_t>(size));
  // The versions of the format for writers and readers (SQLite's file format, 1.3.3): 2 is the write-ahead log.
  constexpr size_t kWriteVersion = 18, kReadVersion = 19;
  content[kWriteVersion] = content[kReadVersion] = 2;
  return content;
}

// Drafts of earlier versions of this program that were killed while they made a ledger.
void remove_abandoned_drafts(const fs::path& file) {
  const std::string prefix = file.filename().string() + ".new-";
  std::error_code failed;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (auto entry = fs::directory_iterator(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const pid_t owner = std::atoi(name.c_str() + prefix.size());
    std::error_code ignored;
    if (owner > 0 && ::kill(owner, 0) != 0 && errno == ESRCH) fs::remove(entry->path(), ignored);
  }
}

// Another process may be doing the same: the file of the first one counts.
Result<void> create(const fs::path& file) {
  remove_abandoned_drafts(file);
  if (auto created = create_file(file, new_file()); !created) {
    return error_at(file, fmt::format("the ledger cannot be made: {}", created.error().message), kElsewhere);
  }
  sync_folder(file);
  return {};
}

}  // namespace

Result<DatabasePointer> open_for_reading(const fs::path& file) {
  return guarded(file, [&]() -> Result<DatabasePointer> {
    ASSAY_TRY(auto inspected, inspect(file));
    if (inspected.second.version == schema_version()) return std::move(inspected.first);
    inspected.first.reset();
    return open_for_writing(file);  // an older one must be brought up to date before it can be asked
  });
}

Result<DatabasePointer> open_for_writing(const fs::path& file) {
  return guarded(file, [&]() -> Result<DatabasePointer> {
    std::error_code ignored;
    if (!fs::exists(file, ignored)) ASSAY_CHECK(create(file));
    ASSAY_CHECK(inspect(file));
    auto database = std::make_unique<SQLite::Database>(file.string(), SQLite::OPEN_READWRITE, kBusyTimeoutMs);
    distrust(*database);
    if (sqlite3_db_readonly(database->getHandle(), "main") != 0) {
      return error_at(file, "the ledger cannot be written", kElsewhere);
    }
    database->exec("PRAGMA synchronous = FULL");  // a commit is on the disk when it returns
    database->exec("PRAGMA foreign_keys = ON");
    migrate(*database);
    return database;
  });
}

}  // namespace assay::ledger
