// SPDX-License-Identifier: MIT
#include "base/scratch_folder.hpp"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

// TMPDIR for the time of a test.
class TemporaryPlace {
 public:
  explicit TemporaryPlace(const std::string& path) {
    if (const char* old = std::getenv("TMPDIR")) old_ = old;
    ::setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryPlace() {
    if (old_) {
      ::setenv("TMPDIR", old_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }
  TemporaryPlace(const TemporaryPlace&) = delete;
  TemporaryPlace& operator=(const TemporaryPlace&) = delete;

 private:
  std::optional<std::string> old_;
};

TEST(ScratchFolder, is_there_and_goes_away_with_all_it_holds) {
  fs::path path;
  {
    const auto folder = ScratchFolder::make();
    ASSERT_TRUE(folder.ok()) << to_string(folder.error());
    path = folder->path();
    EXPECT_TRUE(fs::is_directory(path));
    fs::create_directories(path / "set0");
    std::ofstream(path / "set0" / "x.bin") << "contents";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, belongs_to_this_user_and_this_run_alone) {
  const auto one = ScratchFolder::make();
  const auto other = ScratchFolder::make();
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one->path(), other->path());
  EXPECT_EQ(fs::status(one->path()).permissions(), fs::perms::owner_all);
}

TEST(ScratchFolder, moves_without_being_removed) {
  auto made = ScratchFolder::make();
  ASSERT_TRUE(made.ok());
  const fs::path path = made->path();
  {
    const ScratchFolder moved(std::move(*made));
    EXPECT_EQ(moved.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, lies_where_temporary_files_go) {
  const TemporaryFolder place;
  const TemporaryPlace chosen(place.path().string());
  const auto folder = ScratchFolder::make();
  ASSERT_TRUE(folder.ok()) << to_string(folder.error());
  EXPECT_EQ(folder->path().parent_path(), place.path());
}

TEST(ScratchFolder, does_without_a_place_for_temporary_files_that_is_none) {
  const TemporaryPlace chosen("/no/such/folder");
  const auto folder = ScratchFolder::make();
  ASSERT_TRUE(folder.ok()) << to_string(folder.error());
  EXPECT_EQ(folder->path().parent_path(), "/tmp");
}

TEST(ScratchFolder, removes_those_of_owners_that_were_killed_and_no_others) {
  const TemporaryFolder place;
  fs::path abandoned;
  const pid_t owner = ::fork();
  ASSERT_GE(owner, 0);
  if (owner == 0) {
    const auto folder = ScratchFolder::make_in(place.path());
    std::ofstream(folder->path() / "large") << "contents";
    ::raise(SIGKILL);
  }
  ::waitpid(owner, nullptr, 0);
  for (const auto& entry : fs::directory_iterator(place.path())) abandoned = entry.path();
  ASSERT_TRUE(fs::exists(abandoned / "large")) << "otherwise nothing is tested here";
  const auto living = ScratchFolder::make_in(place.path() / "..");  // elsewhere: does not look here
  place.write("assay-scratch-file", "no folder of ours");
  fs::create_directory(place.path() / "something else");
  const auto mine = ScratchFolder::make_in(place.path());
  ASSERT_TRUE(mine.ok()) << to_string(mine.error());
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(place.path() / "something else"));
  remove_abandoned_folders(place.path());
  EXPECT_TRUE(fs::exists(mine->path())) << "its owner lives";
  EXPECT_TRUE(fs::exists(place.path() / "assay-scratch-file"));
}

}  // namespace
}  // namespace assay
