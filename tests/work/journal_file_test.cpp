// SPDX-License-Identifier: MIT
#include "work/journal_file.hpp"

#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include "base/file.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

const JournalFile::Header kHeader{"a journal", {{"source", "abc"}, {"device", "vgpu:l4"}}, {{"id", "first"}}};

class JournalFileTest : public testing::Test {
 protected:
  std::filesystem::path folder_ = ASSAY_BINARY_DIR "/journal-file-test";
  std::filesystem::path file_ = folder_ / "journal.jsonl";
  void SetUp() override {
    std::filesystem::remove_all(folder_);
    auto journal = JournalFile::open(file_, kHeader, true);
    ASSERT_TRUE(journal.ok()) << to_string(journal.error());
    EXPECT_TRUE(journal->append({{"step", 1}}).ok());
    EXPECT_TRUE(journal->append({{"step", 2}, {"text", "\xff"}}).ok()) << "any bytes can be kept";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(JournalFileTest, GoesOnWithWhatThereIs) {
  JournalFile::Header again = kHeader;
  again.further = {{"id", "second"}};
  auto journal = JournalFile::open(file_, again, true);
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ(journal->lines().size(), 2u);
  EXPECT_EQ(journal->further()["id"], "first");
  EXPECT_EQ(journal->started_anew(), "");
  EXPECT_FALSE(JournalFile::open(file_, kHeader, true).ok()) << "two writers";
}

// As processes do that a killed run leaves behind for a moment.
TEST_F(JournalFileTest, WaitsForALockThatIsAboutToBeGone) {
  const int other = ::open(file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  std::thread ending([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::close(other);
  });
  EXPECT_TRUE(JournalFile::open(file_, kHeader, true).ok());
  ending.join();
}

TEST_F(JournalFileTest, ALineThatWasCutShortIsAsIfItWereNotThere) {
  std::ofstream(file_, std::ios::app) << R"({"step": 3, "te)";
  auto journal = JournalFile::open(file_, kHeader, true);
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ(journal->lines().size(), 2u);
  EXPECT_TRUE(journal->append({{"step", 3}}).ok());
  const auto lines = JournalFile::read(file_, "a journal");
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(lines->size(), 3u);
}

TEST_F(JournalFileTest, OtherWorkStartsAnewAndSaysWhy) {
  JournalFile::Header other = kHeader;
  other.depends_on["device"] = "vgpu:h200";
  auto journal = JournalFile::open(file_, other, true);
  ASSERT_TRUE(journal.ok());
  EXPECT_EQ(journal->started_anew(), "the device changed");
  EXPECT_TRUE(journal->lines().empty());
}

TEST_F(JournalFileTest, ForeignFilesAreNamed) {
  ASSERT_TRUE(write_file_atomically(file_, "[1, 2]\nhello\n").ok());
  EXPECT_FALSE(JournalFile::read(file_, "a journal").ok());
  EXPECT_EQ(JournalFile::open(file_, kHeader, true)->started_anew(), "the file is not a journal of ours");
  EXPECT_FALSE(JournalFile::open(folder_, kHeader, true).ok());
  EXPECT_FALSE(JournalFile::read(folder_ / "none", "a journal").ok());
}

TEST_F(JournalFileTest, WithoutResumeItBeginsAnew) {
  EXPECT_TRUE(JournalFile::open(file_, kHeader, false)->lines().empty());
}

}  // namespace
}  // namespace assay::work
