// SPDX-License-Identifier: MIT
#include "profiling/tool.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace assay::profiling {
namespace {

namespace fs = std::filesystem;

void make_program(const fs::path& path) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "#!/bin/sh\n";
  fs::permissions(path, fs::perms::owner_all);
}

TEST(Tool, TheVariableNamesItOrSaysThatThereIsNone) {
  const auto folder = ScratchFolder::make();
  ASSERT_TRUE(folder.ok());
  make_program(folder->path() / "ncu");
  ::setenv("ASSAY_NCU", (folder->path() / "ncu").c_str(), 1);
  EXPECT_EQ(*find_tool(kNcu), folder->path() / "ncu");
  ::setenv("ASSAY_NCU", "none", 1);
  const auto none = find_tool(kNcu);
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().message.find("ncu is not on this machine"), std::string::npos);
  EXPECT_NE(none.error().hint.find("nsight-compute"), std::string::npos);
  EXPECT_EQ(none.error().exit_code, ExitCode::environment);
  ::setenv("ASSAY_NCU", "/no/such/program", 1);
  EXPECT_FALSE(find_tool(kNcu).ok());
  ::unsetenv("ASSAY_NCU");
}

TEST(Tool, TheNewestVersionIsTaken) {
  const auto folder = ScratchFolder::make();
  ASSERT_TRUE(folder.ok());
  for (const char* version : {"2024.3.2", "2025.3.1", "2025.3", "2023.10", "beta"})
    make_program(folder->path() / version / "ncu");
  fs::create_directories(folder->path() / "2026.1");  // without a program
  EXPECT_EQ(newest_version(folder->path(), "ncu"), folder->path() / "2025.3.1" / "ncu");
  EXPECT_TRUE(newest_version(folder->path() / "nothing", "ncu").empty());
}

}  // namespace
}  // namespace assay::profiling
