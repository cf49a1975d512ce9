// SPDX-License-Identifier: MIT
#include "ledger/open_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "ledger/attempt.hpp"
#include "ledger/schema.hpp"
#include "ledger/sqlite_guard.hpp"

namespace assay::ledger {
namespace {

namespace fs = std::filesystem;
using DatabasePointer = std::unique_ptr<SQLite::Database>;

constexpr const char* kElsewhere = "choose another file with --ledger FILE, or record nothing with --ledger none";
constexpr uintmax_t kSmallestPageBytes = 512;
constexpr int kValueLimitBytes = 512 << 20;
// Looking at every page takes about a second per gigabyte; a larger file is checked where it is read.
constexpr uintmax_t kFullCheckLimitBytes = uintmax_t{64} << 20;

Error error_at(const fs::path& file, std::string message, std::string hint) {
  return Error{std::move(message), Place{file.string()}, std::move(hint), ExitCode::environment};
}

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

std::string percent_encoded(const std::string& path) {
  std::string text;
  for (const char c : path) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("/._-", c) != nullptr;
    text += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return text;
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
        std::make_unique<SQLite::Database>("file:" + percent_encoded(fs::absolute(file).string()) + "?immutable=1",
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

Result<void> check_content(const fs::path& file, SQLite::Database& database, const Stamp& stamp) {
  std::error_code ignored;
  if (const uintmax_t bytes = fs::file_size(file, ignored); bytes <= kFullCheckLimitBytes) {
    const std::string verdict = database.execAndGet("PRAGMA quick_check(1)").getString();
    if (verdict != "ok") return damaged(file, verdict);
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

// Puts a finished file in its place unless there is one already: then the other process was first, and its file counts.
bool put_in_place(const fs::path& made, const fs::path& file) {
  if (::link(made.c_str(), file.c_str()) == 0 || errno == EEXIST) return true;
  // Some file systems know no links.
  return ::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, file.c_str(), RENAME_NOREPLACE) == 0 || errno == EEXIST;
}

// A file that is removed again, with its journals, however the work ends.
struct Draft {
  std::string file;

  explicit Draft(std::string name) : file(std::move(name)) {}
  ~Draft() {
    std::error_code ignored;
    for (const char* ending : {"", "-journal", "-wal", "-shm"}) fs::remove(file + ending, ignored);
  }
  Draft(const Draft&) = delete;
  Draft& operator=(const Draft&) = delete;
};

Result<void> create(const fs::path& file) {
  const Draft draft(fmt::format("{}.new-{}-{}", file.string(), ::getpid(), now_us()));
  {
    SQLite::Database database(draft.file, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyTimeoutMs);
    database.exec("PRAGMA synchronous = FULL");
    migrate(database);
    database.execAndGet("PRAGMA journal_mode = WAL");  // stays with the file
  }
  if (!put_in_place(draft.file, file)) {
    return error_at(file, fmt::format("the ledger cannot be made: {}", std::strerror(errno)), kElsewhere);
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
