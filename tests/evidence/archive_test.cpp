// SPDX-License-Identifier: MIT
#include "evidence/archive.hpp"

#include <gtest/gtest.h>

#include "../support/temporary_folder.hpp"
#include "base/file.hpp"
#include "base/process.hpp"

namespace assay::evidence {
namespace {

TEST(Archive, tar_reads_what_was_packed) {
  const std::string deep = std::string(60, 'd') + "/" + std::string(70, 'e') + "/file.txt";
  const std::vector<PackedFile> files = {{"README.md", "read me\n"}, {deep, std::string(1500, 'x')}, {"empty", ""}};
  const auto tar = tar_of(files, "evidence-1", 1'700'000'000);
  ASSERT_TRUE(tar.ok());
  const auto packed = gzip_of(*tar);
  ASSERT_TRUE(packed.ok());
  EXPECT_EQ(*packed, *gzip_of(*tar_of(files, "evidence-1", 1'700'000'000))) << "the same files, the same bytes";
  const TemporaryFolder folder;
  folder.write("a.tar.gz", *packed);
  Command command;
  command.arguments = {"tar", "-xzf", "a.tar.gz"};
  command.folder = folder.path();
  const auto outcome = run(command);
  ASSERT_TRUE(outcome.ok() && outcome->succeeded()) << outcome->errors;
  for (const PackedFile& file : files) EXPECT_EQ(*read_file(folder.path() / "evidence-1" / file.path), file.content);
}

TEST(Archive, a_folder_is_new_or_empty) {
  const TemporaryFolder folder;
  const std::vector<PackedFile> files = {{"a/b.txt", "b"}, {"c.txt", "c"}};
  ASSERT_TRUE(write_folder(files, folder.path() / "x y/out").ok());
  EXPECT_EQ(*read_file(folder.path() / "x y/out/a/b.txt"), "b");
  const auto again = write_folder(files, folder.path() / "x y/out");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().exit_code, ExitCode::usage);
  std::filesystem::create_directory(folder.path() / "empty");
  EXPECT_TRUE(write_folder(files, folder.path() / "empty").ok());
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path() / "x y"), {}), 1)
      << "nothing is left beside";
}

TEST(Archive, paths_that_lead_elsewhere_are_not_safe) {
  for (const char* path : {"a", "a/b.cu", "a b/c", "..a"}) EXPECT_TRUE(is_safe(path)) << path;
  for (const std::string& path :
       {std::string(), std::string("/etc/passwd"), std::string("../a"), std::string("a/../b"), std::string("a//b"),
        std::string("a/."), std::string("a\nb"), std::string("a\\b"), std::string(300, 'a')})
    EXPECT_FALSE(is_safe(path)) << path;
}

}  // namespace
}  // namespace assay::evidence
