// SPDX-License-Identifier: MIT
// Files that are not good ledgers: each gets its own clear error and stays as it is, to the byte.
#include "ledger/open_database.hpp"

#include <SQLiteCpp/SQLiteCpp.h>
#include <algorithm>
#include <csignal>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "ledger/schema.hpp"
#include "sample_attempt.hpp"

namespace assay::ledger {
namespace {

namespace fs = std::filesystem;

constexpr int kFilled = 10;

// A ledger with enough in it to have many pages, closed.
fs::path filled_ledger(const TemporaryFolder& folder) {
  const fs::path file = folder.path() / "ledger.sqlite";
  Ledger ledger = opened(file);
  for (int i = 0; i < kFilled; ++i) {
    const std::vector<Samples> samples = {sample_times("S=1", std::vector<double>(2000, 1.0 + i))};
    EXPECT_TRUE(ledger.append(sample_attempt(), samples).ok());
  }
  return file;
}

void expect_refused(const fs::path& file, const std::string& message) {
  const std::string before = *read_file(file);
  for (const Ledger::Mode mode : {Ledger::Mode::write, Ledger::Mode::read}) {
    const auto ledger = Ledger::open(file, mode);
    ASSERT_FALSE(ledger.ok());
    EXPECT_EQ(ledger.error().exit_code, ExitCode::environment);
    EXPECT_NE(ledger.error().message.find(message), std::string::npos) << ledger.error().message;
    EXPECT_EQ(ledger.error().place.file, file.string());
    EXPECT_FALSE(ledger.error().hint.empty());
  }
  EXPECT_TRUE(*read_file(file) == before) << "the file was changed";
}

TEST(OpenDatabase, a_new_ledger_appears_whole_and_alone) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "ledger.sqlite";
  {
    const Ledger ledger = opened(file);
  }
  EXPECT_EQ(folder.count(), 1u);
  SQLite::Database database(file.string());
  EXPECT_EQ(database.execAndGet("PRAGMA journal_mode").getString(), "wal");
  EXPECT_EQ(read_stamp(database).application_id, kApplicationId);
}

TEST(OpenDatabase, writing_is_durable_and_references_are_checked) {
  const TemporaryFolder folder;
  const auto database = open_for_writing(folder.path() / "ledger.sqlite");
  ASSERT_TRUE(database.ok());
  EXPECT_EQ((*database)->execAndGet("PRAGMA synchronous").getInt(), 2);
  EXPECT_EQ((*database)->execAndGet("PRAGMA foreign_keys").getInt(), 1);
  EXPECT_EQ((*database)->execAndGet("PRAGMA busy_timeout").getInt(), kBusyTimeoutMs);
}

TEST(OpenDatabase, reading_makes_no_file) {
  const TemporaryFolder folder;
  const auto ledger = Ledger::open(folder.path() / "ledger.sqlite", Ledger::Mode::read);
  ASSERT_FALSE(ledger.ok());
  EXPECT_NE(ledger.error().message.find("no ledger here"), std::string::npos);
  EXPECT_EQ(folder.count(), 0u);
}

TEST(OpenDatabase, other_files_are_refused_and_left_alone) {
  const TemporaryFolder folder;
  expect_refused(folder.write("text", std::string(5000, 'x')), "no SQLite database");
  expect_refused(folder.write("short", "x"), "no SQLite database");
  expect_refused(folder.write("empty", ""), "empty");
  EXPECT_FALSE(Ledger::open(folder.path()).ok());  // a folder
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_FALSE(Ledger::open(pipe).ok());  // must not wait for someone who writes into it
}

TEST(OpenDatabase, a_database_of_someone_else_is_refused_and_left_alone) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "other.sqlite";
  {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec("CREATE TABLE t (a)");
  }
  expect_refused(file, "not a ledger of Assay");
}

TEST(OpenDatabase, a_newer_ledger_is_refused_and_left_alone) {
  const TemporaryFolder folder;
  const fs::path file = filled_ledger(folder);
  {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 2000");
  }
  expect_refused(file, "newer Assay: its version is 2000");
}

TEST(OpenDatabase, a_ledger_with_something_that_acts_by_itself_is_refused) {
  const TemporaryFolder folder;
  const fs::path file = filled_ledger(folder);
  {
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
        .exec("CREATE TRIGGER t AFTER INSERT ON attempts BEGIN DELETE FROM attempts; END");
  }
  expect_refused(file, "triggers or views");
}

TEST(OpenDatabase, a_ledger_that_was_cut_is_refused_and_left_alone) {
  const TemporaryFolder folder;
  const fs::path file = filled_ledger(folder);
  const auto size = fs::file_size(file);
  fs::resize_file(file, size / 2 / 4096 * 4096);
  expect_refused(file, "damaged");
  fs::resize_file(file, 4096);
  expect_refused(file, "damaged");
  fs::resize_file(file, 600);
  expect_refused(file, "");
}

TEST(OpenDatabase, overwritten_pages_never_crash_and_never_change_the_file_on_refusal) {
  constexpr uint64_t kSeed = 11;
  Random random(kSeed);
  const TemporaryFolder folder;
  const fs::path file = filled_ledger(folder);
  const std::string good = *read_file(file);
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    std::string bad = good;
    const size_t page = static_cast<size_t>(random.below(good.size() / 4096)) * 4096;
    const size_t length = 1 + static_cast<size_t>(random.below(200));
    for (size_t i = 0; i < length; ++i) bad[page + random.below(4096)] = static_cast<char>(random.next());
    for (const char* ending : {"-wal", "-shm"}) fs::remove(file.string() + ending);
    folder.write("ledger.sqlite", bad);
    auto ledger = Ledger::open(file);
    if (!ledger) {
      ++refused;
      EXPECT_TRUE(*read_file(file) == bad) << "seed " << kSeed << " round " << round;
      continue;
    }
    // Values may have changed within a sound structure: reading gives an answer or an error.
    const auto attempts = ledger->attempts();
    if (!attempts) continue;
    for (const Attempt& attempt : *attempts) (void)ledger->samples(attempt.id).ok();
  }
  EXPECT_GT(refused, 5) << "seed " << kSeed;
}

TEST(OpenDatabase, a_folder_that_does_not_exist_is_an_error) {
  for (const char* file : {"/proc/no-such-folder/ledger.sqlite", "/dev/null/ledger.sqlite"}) {
    const auto ledger = Ledger::open(file);
    ASSERT_FALSE(ledger.ok());
    EXPECT_EQ(ledger.error().exit_code, ExitCode::environment);
  }
}

TEST(OpenDatabase, names_with_odd_characters_work) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "a b%20?mode=memory#ü'\".sqlite";
  {
    EXPECT_TRUE(opened(file).append(sample_attempt()).ok());
  }
  EXPECT_TRUE(fs::exists(file));
  EXPECT_EQ(opened(file, Ledger::Mode::read).attempts()->size(), 1u);
}

TEST(OpenDatabase, a_relative_name_without_folder_works) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  EXPECT_TRUE(Ledger::open("plain.sqlite").ok());
  EXPECT_TRUE(fs::exists("plain.sqlite"));
  fs::current_path(before);
}

// In a child, so that the limit on file sizes ends with it: what a full disk does.
TEST(OpenDatabase, when_the_file_cannot_grow_append_says_so_and_keeps_what_was_there) {
  const TemporaryFolder folder;
  const fs::path file = filled_ledger(folder);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::signal(SIGXFSZ, SIG_IGN);
    auto ledger = Ledger::open(file);
    if (!ledger) ::_exit(10);
    const rlimit limit{8192, 8192};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    const std::vector<Samples> samples = {sample_times("S=1", std::vector<double>(100'000, 1.0))};
    const auto id = ledger->append(sample_attempt(), samples);
    if (id) ::_exit(11);
    ::_exit(id.error().exit_code == ExitCode::environment && !id.error().hint.empty() ? 0 : 12);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(opened(file).attempts()->size(), static_cast<size_t>(kFilled));
}

}  // namespace
}  // namespace assay::ledger
