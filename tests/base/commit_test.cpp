// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "base/repository.hpp"

namespace assay {
namespace {

constexpr const char* kCommit = "0a1b2c3d4e5f60718293a4b5c6d7e8f901234567";
constexpr const char* kOther = "1111111111111111111111111111111111111111";

TEST(CommitOf, reads_a_branch_and_a_detached_head) {
  const TemporaryFolder folder;
  folder.write(".git/HEAD", "ref: refs/heads/main\n");
  folder.write(".git/refs/heads/main", std::string(kCommit) + "\n");
  EXPECT_EQ(commit_of(folder.path()), kCommit);
  folder.write(".git/HEAD", std::string(kOther) + "\n");
  EXPECT_EQ(commit_of(folder.path()), kOther);
}

TEST(CommitOf, reads_packed_branches_of_a_worktree) {
  const TemporaryFolder folder;
  folder.write("main/.git/worktrees/w/HEAD", "ref: refs/heads/w\n");
  folder.write("main/.git/worktrees/w/commondir", "../..\n");
  folder.write("main/.git/packed-refs",
               std::string("# pack-refs with: peeled\n") + kOther + " refs/heads/main\n" + kCommit + " refs/heads/w\n");
  folder.write("w/.git", "gitdir: ../main/.git/worktrees/w\n");
  EXPECT_EQ(commit_of(folder.path() / "w"), kCommit);
}

TEST(CommitOf, is_empty_where_there_is_none) {
  const TemporaryFolder folder;
  EXPECT_EQ(commit_of({}), "");
  EXPECT_EQ(commit_of(folder.path()), "");
  folder.write(".git/HEAD", "ref: refs/heads/new\n");
  EXPECT_EQ(commit_of(folder.path()), "") << "no commit yet";
  folder.write(".git/HEAD", "nonsense");
  EXPECT_EQ(commit_of(folder.path()), "");
}

}  // namespace
}  // namespace assay
