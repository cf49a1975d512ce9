// SPDX-License-Identifier: MIT
#include "base/scratch_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <optional>

#include "../support/temporary_folder.hpp"

namespace assay {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kTooMuch = std::numeric_limits<uint64_t>::max();  // for a folder in memory

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
    const auto folder = ScratchFolder::make(1000);
    ASSERT_TRUE(folder.ok()) << to_string(folder.error());
    path = folder->path();
    EXPECT_TRUE(fs::is_directory(path));
    fs::create_directories(path / "set0");
    std::ofstream(path / "set0" / "x.bin") << "contents";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, belongs_to_this_user_and_this_run_alone) {
  const auto one = ScratchFolder::make(1000);
  const auto other = ScratchFolder::make(1000);
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_NE(one->path(), other->path());
  EXPECT_EQ(fs::status(one->path()).permissions(), fs::perms::owner_all);
}

TEST(ScratchFolder, moves_without_being_removed) {
  auto made = ScratchFolder::make(1000);
  ASSERT_TRUE(made.ok());
  const fs::path path = made->path();
  {
    const ScratchFolder moved(std::move(*made));
    EXPECT_EQ(moved.path(), path);
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ScratchFolder, lies_where_temporary_files_go_if_it_is_too_large_for_memory) {
  const TemporaryFolder place;
  const TemporaryPlace chosen(place.path().string());
  const auto folder = ScratchFolder::make(kTooMuch);
  ASSERT_TRUE(folder.ok()) << to_string(folder.error());
  EXPECT_EQ(folder->path().parent_path(), place.path());
}

TEST(ScratchFolder, does_without_a_place_for_temporary_files_that_is_none) {
  const TemporaryPlace chosen("/no/such/folder");
  const auto folder = ScratchFolder::make(kTooMuch);
  ASSERT_TRUE(folder.ok()) << to_string(folder.error());
  EXPECT_EQ(folder->path().parent_path(), "/tmp");
}

}  // namespace
}  // namespace assay
