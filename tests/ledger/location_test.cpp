// SPDX-License-Identifier: MIT
#include "ledger/location.hpp"

#include <cstdlib>
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"

namespace assay::ledger {
namespace {

namespace fs = std::filesystem;

// Each test in a current folder and an environment of its own.
class LocationTest : public testing::Test {
 protected:
  LocationTest() : before_(fs::current_path()), root_(fs::canonical(folder_.path())) {
    ::unsetenv("ASSAY_LEDGER");
    fs::create_directories(root_ / "here");
    fs::current_path(root_ / "here");
  }
  ~LocationTest() override {
    std::error_code ignored;
    fs::current_path(before_, ignored);
    ::unsetenv("ASSAY_LEDGER");
  }

  fs::path before_;
  TemporaryFolder folder_;
  fs::path root_;
};

TEST_F(LocationTest, the_project_is_the_nearest_folder_above_the_kernel_with_a_mark) {
  fs::create_directories(root_ / "project/.git");
  fs::create_directories(root_ / "project/kernels/one");
  fs::create_directories(root_ / "here/.git");
  EXPECT_EQ(find_project(root_ / "project/kernels/one"), root_ / "project");
  EXPECT_EQ(find_project(root_ / "project/kernels/one/kernel.toml"), root_ / "project");
  fs::create_directories(root_ / "project/kernels/.assay");
  EXPECT_EQ(find_project(root_ / "project/kernels/one"), root_ / "project/kernels");
}

TEST_F(LocationTest, a_git_file_counts_but_an_assay_file_does_not) {
  fs::create_directories(root_ / "work/deep");
  folder_.write("work/.git", "gitdir: elsewhere\n");
  folder_.write("work/deep/.assay", "a file\n");
  EXPECT_EQ(find_project(root_ / "work/deep"), root_ / "work");
}

TEST_F(LocationTest, otherwise_it_is_found_from_the_current_folder_or_is_that) {
  fs::create_directories(root_ / "kernel");
  EXPECT_EQ(find_project(root_ / "kernel"), root_ / "here");
  EXPECT_EQ(find_project({}), root_ / "here");
  fs::create_directories(root_ / "here/.assay");
  fs::create_directories(root_ / "here/below");
  fs::current_path(root_ / "here/below");
  EXPECT_EQ(find_project(root_ / "kernel"), root_ / "here");
}

TEST_F(LocationTest, the_option_beats_the_environment_and_that_the_default) {
  Location location = find_ledger("", root_);
  EXPECT_EQ(location.file, root_ / "here/.assay/ledger.sqlite");
  EXPECT_TRUE(location.in_project_folder);
  EXPECT_FALSE(location.explicitly_chosen);
  ::setenv("ASSAY_LEDGER", "from-environment", 1);
  location = find_ledger("", root_);
  EXPECT_EQ(location.file, "from-environment");
  EXPECT_FALSE(location.explicitly_chosen);
  location = find_ledger("from-option", root_);
  EXPECT_EQ(location.file, "from-option");
  EXPECT_TRUE(location.explicitly_chosen);
  EXPECT_FALSE(location.in_project_folder);
}

TEST_F(LocationTest, none_means_nothing) {
  EXPECT_TRUE(find_ledger("none", root_).file.empty());
  ::setenv("ASSAY_LEDGER", "none", 1);
  EXPECT_TRUE(find_ledger("", root_).file.empty());
  EXPECT_EQ(find_ledger("file", root_).file, "file");
  ::setenv("ASSAY_LEDGER", "", 1);
  EXPECT_FALSE(find_ledger("", root_).file.empty());
}

TEST_F(LocationTest, the_default_folder_is_made_and_ignored_by_git) {
  const Location location = find_ledger("", root_);
  ASSERT_TRUE(prepare_folder(location).ok());
  EXPECT_EQ(*read_file(root_ / "here/.assay/.gitignore"), "*\n");
  folder_.write("here/.assay/.gitignore", "mine\n");
  ASSERT_TRUE(prepare_folder(location).ok());
  EXPECT_EQ(*read_file(root_ / "here/.assay/.gitignore"), "mine\n");
}

TEST_F(LocationTest, another_folder_is_made_and_left_alone) {
  const Location location = find_ledger((root_ / "a/b/c.sqlite").string(), root_);
  ASSERT_TRUE(prepare_folder(location).ok());
  EXPECT_TRUE(fs::is_empty(root_ / "a/b"));
  EXPECT_TRUE(prepare_folder({"plain.sqlite", true, false}).ok());
}

TEST_F(LocationTest, a_folder_that_cannot_be_made_is_an_error_of_the_environment) {
  folder_.write("file", "x");
  const auto result = prepare_folder({root_ / "file/ledger.sqlite", true, false});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().exit_code, ExitCode::environment);
  EXPECT_NE(result.error().hint.find("--ledger"), std::string::npos);
}

}  // namespace
}  // namespace assay::ledger
