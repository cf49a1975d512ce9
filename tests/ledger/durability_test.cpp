// SPDX-License-Identifier: MIT
// Several processes at once, and processes that are killed: nothing that was reported is lost.
#include <csignal>
#include <map>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

#include "base/random.hpp"
#include "sample_attempt.hpp"

namespace assay::ledger {
namespace {

namespace fs = std::filesystem;

// Runs `work` in a child process; its return value is the exit status. No ledger may be open across the fork.
template <class Work>
pid_t in_child(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    int status = 99;
    try {
      status = work();
    } catch (...) {
      status = 98;
    }
    ::_exit(status);
  }
  return child;
}

int exit_status(pid_t child) {
  int status = -1;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Durability, processes_that_write_at_once_lose_nothing) {
  constexpr int kWriters = 6;
  constexpr int kAppends = 40;
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "ledger.sqlite";  // not there yet: they also race to make it
  std::vector<pid_t> children;
  for (int writer = 0; writer < kWriters; ++writer) {
    children.push_back(in_child([&] {
      auto ledger = Ledger::open(file);
      if (!ledger) return 1;
      for (int i = 0; i < kAppends; ++i) {
        const auto id = ledger->append(sample_attempt("writer-" + std::to_string(writer)),
                                       std::vector{sample_times("S=1", {1.0 * i})});
        if (!id) return 2;
      }
      return 0;
    }));
  }
  for (const pid_t child : children) EXPECT_EQ(exit_status(child), 0);
  Ledger ledger = opened(file);
  const auto attempts = ledger.attempts();
  ASSERT_TRUE(attempts.ok()) << to_string(attempts.error());
  EXPECT_EQ(attempts->size(), static_cast<size_t>(kWriters * kAppends));
  std::map<std::string, int> by_writer;
  for (const Attempt& attempt : *attempts) {
    ++by_writer[attempt.kernel];
    EXPECT_EQ(ledger.samples(attempt.id)->size(), 1u);
  }
  for (const auto& [writer, count] : by_writer) EXPECT_EQ(count, kAppends) << writer;
}

TEST(Durability, readers_see_whole_attempts_while_others_write) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "ledger.sqlite";
  {
    opened(file);
  }
  const pid_t writer = in_child([&] {
    auto ledger = Ledger::open(file);
    for (int i = 0; ledger.ok() && i < 60; ++i) {
      if (!ledger->append(sample_attempt(), std::vector{sample_times("S=1", {1}), sample_times("S=2", {2})})) return 1;
    }
    return ledger.ok() ? 0 : 2;
  });
  size_t seen = 0;
  while (seen < 60) {
    Ledger ledger = opened(file, Ledger::Mode::read);
    const auto attempts = ledger.attempts();
    ASSERT_TRUE(attempts.ok()) << to_string(attempts.error());
    ASSERT_GE(attempts->size(), seen);
    seen = attempts->size();
    if (seen > 0) {
      ASSERT_EQ(ledger.samples(attempts->front().id)->size(), 2u);
    }
    int status = 0;
    if (::waitpid(writer, &status, WNOHANG) == writer) {
      ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
      EXPECT_EQ(opened(file, Ledger::Mode::read).attempts()->size(), 60u);
      return;
    }
  }
  EXPECT_EQ(exit_status(writer), 0);
}

// The child reports every number that append() returned through a pipe and is killed after a random number of reports,
// at a random moment after that.
TEST(Durability, what_was_reported_survives_kill) {
  constexpr uint64_t kSeed = 7;
  constexpr int kRounds = 40;
  Random random(kSeed);
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "ledger.sqlite";
  std::set<int64_t> reported;
  for (int round = 0; round < kRounds; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(::pipe(pipe_ends), 0);
    const pid_t child = in_child([&] {
      ::close(pipe_ends[0]);
      auto ledger = Ledger::open(file);
      if (!ledger) return 1;
      while (true) {
        const auto id =
            ledger->append(sample_attempt(), std::vector{sample_times("S=1", std::vector<double>(300, 1.0))});
        if (!id) return 2;
        if (::write(pipe_ends[1], &*id, sizeof(int64_t)) != sizeof(int64_t)) return 3;
      }
    });
    ::close(pipe_ends[1]);
    const uint64_t wanted = random.below(6);  // with 0 it may die while it makes or opens the file
    for (uint64_t i = 0; i < wanted; ++i) {
      int64_t id = 0;
      ASSERT_EQ(::read(pipe_ends[0], &id, sizeof id), static_cast<ssize_t>(sizeof id)) << "round " << round;
      reported.insert(id);
    }
    ::usleep(static_cast<useconds_t>(random.below(8000)));
    ::kill(child, SIGKILL);
    for (int64_t id = 0; ::read(pipe_ends[0], &id, sizeof id) == static_cast<ssize_t>(sizeof id);) reported.insert(id);
    ::close(pipe_ends[0]);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "round " << round << ": the child ended by itself with " << WEXITSTATUS(status);
    if (!fs::exists(file)) continue;
    Ledger ledger = opened(file, round % 2 == 0 ? Ledger::Mode::read : Ledger::Mode::write);
    const auto attempts = ledger.attempts();
    ASSERT_TRUE(attempts.ok()) << to_string(attempts.error()) << " seed " << kSeed << " round " << round;
    std::set<int64_t> stored;
    for (const Attempt& attempt : *attempts) {
      stored.insert(attempt.id);
      ASSERT_EQ(ledger.samples(attempt.id)->size(), 1u);
    }
    for (const int64_t id : reported) {
      ASSERT_TRUE(stored.contains(id)) << "attempt " << id << " is lost; seed " << kSeed << " round " << round;
    }
  }
  EXPECT_GT(reported.size(), 40u);
}

}  // namespace
}  // namespace assay::ledger
