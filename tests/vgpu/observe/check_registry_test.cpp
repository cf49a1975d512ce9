// SPDX-License-Identifier: MIT
#include "vgpu/observe/check_registry.hpp"

#include <gtest/gtest.h>
#include <set>

#include "base/file.hpp"
#include "vgpu/observe/check.hpp"
#include "vgpu/observe/unwritten_memory.hpp"

namespace assay::vgpu {
namespace {

TEST(CheckRegistry, NamesEachCheckOnceAndMakesIt) {
  std::set<std::string_view> names;
  UnwrittenMemory unwritten;
  for (const CheckRow& row : check_registry()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_NE(row.make(unwritten), nullptr) << row.name;
    EXPECT_FALSE(row.finds.empty()) << row.name;
  }
  EXPECT_EQ(all_checks().names().size(), check_registry().size());
}

TEST(CheckRegistry, ReadsListsAndNamesWhatThereIs) {
  EXPECT_EQ(*parse_checks("all"), all_checks());
  EXPECT_EQ(*parse_checks("initcheck, memcheck"), (gpu::CheckSet{"memcheck", "initcheck"}));
  for (const char* wrong : {"", "memcheck,", "nosuch", "memcheck nosuch"}) {
    const auto parsed = parse_checks(wrong);
    ASSERT_FALSE(parsed.ok()) << wrong;
    for (const CheckRow& row : check_registry())
      EXPECT_NE(parsed.error().hint.find(row.name), std::string::npos) << parsed.error().hint;
  }
}

TEST(CheckRegistry, WhatNoCheckLooksForIsNotChecked) {
  const gpu::Coverage all = coverage_of(all_checks());
  EXPECT_EQ(all.checked.size(), check_registry().size());
  EXPECT_EQ(all.not_checked.size(), defects_without_check().size());
  const gpu::Coverage some = coverage_of({"memcheck"});
  EXPECT_EQ(some.checks, std::vector<std::string>{"memcheck"});
  EXPECT_EQ(some.checked.size(), 1u);
  EXPECT_EQ(some.checked.size() + some.not_checked.size(), check_registry().size() + defects_without_check().size());
  EXPECT_TRUE(coverage_of({}).checked.empty());
}

TEST(CheckRegistry, ThePageOfTheCommandNamesEachCheck) {
  const auto page = read_file(ASSAY_SOURCE_DIR "/docs/cli/sanitize.md");
  ASSERT_TRUE(page.ok());
  for (const CheckRow& row : check_registry()) EXPECT_NE(page->find(row.name), std::string::npos) << row.name;
}

}  // namespace
}  // namespace assay::vgpu
