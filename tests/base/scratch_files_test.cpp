// SPDX-License-Identifier: MIT
#include "base/scratch_files.hpp"

#include <csignal>
#include <cstdlib>
#include <gtest/gtest.h>
#include <limits>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "../support/marked_processes.hpp"
#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/process.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTooMuch = std::numeric_limits<uint64_t>::max();  // for memory

class ScratchFilesIn : public ::testing::TestWithParam<uint64_t> {};

TEST_P(ScratchFilesIn, are_read_and_written_by_other_processes) {
  ScratchFiles files(GetParam());
  EXPECT_EQ(files.in_memory(), GetParam() != kTooMuch);
  const auto path = files.file("set0/x");
  ASSERT_TRUE(path.ok()) << to_string(path.error());
  ASSERT_TRUE(write_scratch_file(*path, "from here").ok());
  Command command;
  command.arguments = {"/bin/sh", "-c", "cat \"$1\"; printf 'from there' > \"$1\"", "sh", path->string()};
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->output, "from here") << outcome->errors;
  EXPECT_EQ(*read_file(*path), "from there");
  EXPECT_EQ(fs::file_size(*path), 10u);
  ASSERT_TRUE(empty_file(*path).ok());
  EXPECT_EQ(fs::file_size(*path), 0u);
}

TEST_P(ScratchFilesIn, keep_a_name_of_their_own_and_no_other) {
  const TemporaryFolder place;
  const char* before = std::getenv("TMPDIR");
  const std::string old = before != nullptr ? before : "";
  ::setenv("TMPDIR", place.path().c_str(), 1);
  {
    ScratchFiles files(GetParam());
    const auto x = files.file("x"), y = files.file("y"), again = files.file("x");
    ASSERT_TRUE(x.ok() && y.ok() && again.ok());
    EXPECT_EQ(*x, *again);
    EXPECT_NE(*x, *y);
    ASSERT_TRUE(write_scratch_file(*x, std::string(1000, 'x')).ok());
    EXPECT_TRUE(fs::is_empty(place.path())) << "nothing to be left behind";
  }
  old.empty() ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", old.c_str(), 1);
}

INSTANTIATE_TEST_SUITE_P(Both, ScratchFilesIn, ::testing::Values(uint64_t{1000}, kTooMuch));

TEST(ScratchFiles, leave_nothing_when_their_owner_is_killed) {
  const fs::space_info before = fs::space("/dev/shm");
  const TemporaryFolder folder;
  const pid_t owner = ::fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    ScratchFiles files(1000);
    const auto path = files.file("large");
    if (path) [[maybe_unused]]
      const auto written = write_scratch_file(*path, std::string(32 << 20, 'x'));
    std::ofstream(folder.path() / "ready") << "ready";
    while (true) ::pause();
  }
  for (int i = 0; i < 4000 && !fs::exists(folder.path() / "ready"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  size_t names = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator("/dev/shm"))
    names += entry.path().filename().string().find("large") != std::string::npos;
  EXPECT_EQ(names, 0u);
  ::kill(owner, SIGKILL);
  ::waitpid(owner, nullptr, 0);
  EXPECT_GE(fs::space("/dev/shm").capacity, before.capacity);
}

TEST(ScratchFiles, are_as_many_as_wanted_from_many_threads) {
  ScratchFiles files(1000);
  std::vector<std::thread> threads;
  std::mutex mutex;
  std::set<std::string> paths;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 400; ++i) {
        const auto path = files.file(std::to_string(t) + "." + std::to_string(i));
        ASSERT_TRUE(path.ok()) << to_string(path.error());
        const std::lock_guard lock(mutex);
        paths.insert(path->string());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(paths.size(), 1600u);
}

}  // namespace
}  // namespace assay
