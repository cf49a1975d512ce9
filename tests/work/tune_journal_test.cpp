// SPDX-License-Identifier: MIT
#include "work/tune_journal.hpp"

#include <csignal>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.hpp"
#include "base/random.hpp"
#include "base/scratch_folder.hpp"

namespace assay::work {
namespace {

const TuneDependencies kWork{{"source", "abc"}, {"device", "vgpu:h200"}};

TunedConfiguration result(int number) {
  TunedConfiguration each;
  each.configuration = "BLOCK=" + std::to_string(number);
  each.value = number + 0.5;
  each.by_shape = {1.0 * number};
  each.samples = {{1.0, 2.0}};
  each.registers = 32;
  return each;
}

class Journal : public testing::Test {
 protected:
  std::filesystem::path folder_ = ASSAY_BINARY_DIR "/tune-journal-test";
  std::filesystem::path file_ = folder_ / "journal.jsonl";
  void SetUp() override { std::filesystem::remove_all(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(Journal, KeepsWhatWasRemembered) {
  {
    auto journal = TuneJournal::open(file_, kWork, true);
    ASSERT_TRUE(journal.ok()) << to_string(journal.error());
    ASSERT_TRUE(journal->remember(result(1)).ok());
    TunedConfiguration failed;
    failed.configuration = "BLOCK=2";
    failed.failure = "incorrect";
    failed.message = "a \"finding\"\nof two lines";
    ASSERT_TRUE(journal->remember(failed).ok());
  }
  const auto journal = TuneJournal::open(file_, kWork, true);
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ(journal->started_anew(), "");
  ASSERT_EQ(journal->known().size(), 2u);
  EXPECT_EQ(journal->known()[0].configuration, "BLOCK=1");
  EXPECT_EQ(journal->known()[0].value, 1.5);
  EXPECT_TRUE(journal->known()[0].recalled);
  EXPECT_EQ(journal->known()[1].configuration, "BLOCK=2");
  EXPECT_EQ(journal->known()[1].failure, "incorrect");
}

TEST_F(Journal, BeginsAnewWhereSomethingChangedAndSaysWhat) {
  ASSERT_TRUE(TuneJournal::open(file_, kWork, true)->remember(result(1)).ok());
  TuneDependencies changed = kWork;
  changed["source"] = "def";
  {
    const auto journal = TuneJournal::open(file_, changed, true);
    ASSERT_TRUE(journal.ok());
    EXPECT_EQ(journal->known().size(), 0u);
    EXPECT_NE(journal->started_anew().find("source"), std::string::npos);
  }
  ASSERT_TRUE(write_file_atomically(file_, "something else\n").ok());
  EXPECT_FALSE(TuneJournal::open(file_, kWork, true)->started_anew().empty());
}

TEST_F(Journal, BeginsAnewWhereNobodyResumes) {
  ASSERT_TRUE(TuneJournal::open(file_, kWork, true)->remember(result(1)).ok());
  const auto journal = TuneJournal::open(file_, kWork, false);
  EXPECT_EQ(journal->known().size(), 0u);
  EXPECT_EQ(journal->started_anew(), "");
}

TEST_F(Journal, ALineThatWasCutShortIsAsIfItWereNotThere) {
  {
    auto journal = TuneJournal::open(file_, kWork, true);
    ASSERT_TRUE(journal->remember(result(1)).ok());
    ASSERT_TRUE(journal->remember(result(2)).ok());
  }
  const std::string whole = *read_file(file_);
  for (size_t cut = 1; cut < 40; ++cut) {
    std::ofstream(file_, std::ios::trunc) << whole.substr(0, whole.size() - cut);
    auto journal = TuneJournal::open(file_, kWork, true);
    ASSERT_TRUE(journal.ok());
    EXPECT_EQ(journal->known().size(), 1u) << cut;
    ASSERT_TRUE(journal->remember(result(2)).ok());
  }
  EXPECT_EQ(TuneJournal::open(file_, kWork, true)->known().size(), 2u);
}

TEST_F(Journal, TwoRunsDoNotShareOne) {
  const auto first = TuneJournal::open(file_, kWork, true);
  const auto second = TuneJournal::open(file_, kWork, true);
  ASSERT_FALSE(second.ok());
  EXPECT_NE(second.error().message.find("another run"), std::string::npos);
}

// A process remembers one result after another and says so; it is killed at any moment. What it said is there.
TEST_F(Journal, NothingIsLostInAHundredKills) {
  Random random(11);
  std::set<int> said;
  int next = 0;
  for (int kill_number = 0; kill_number < 100; ++kill_number) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(pipe_ends[0]);
      auto journal = TuneJournal::open(file_, kWork, true);
      if (!journal) _exit(1);
      for (int number = next;; ++number) {
        if (!journal->remember(result(number))) _exit(2);
        if (write(pipe_ends[1], &number, sizeof(number)) != sizeof(number)) _exit(3);
      }
    }
    close(pipe_ends[1]);
    usleep(static_cast<useconds_t>(random.below(40000)));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "exit " << WEXITSTATUS(status);
    for (int number = 0; read(pipe_ends[0], &number, sizeof(number)) == sizeof(number);) {
      said.insert(number);
      next = number + 1;
    }
    close(pipe_ends[0]);
    const auto journal = TuneJournal::open(file_, kWork, true);
    ASSERT_TRUE(journal.ok()) << to_string(journal.error());
    ASSERT_GE(journal->known().size(), said.size());
    std::set<std::string> known;
    for (const TunedConfiguration& each : journal->known()) known.insert(each.configuration);
    for (const int number : said) ASSERT_TRUE(known.contains(result(number).configuration)) << number;
  }
  EXPECT_GT(said.size(), 10u);
}

}  // namespace
}  // namespace assay::work
