// SPDX-License-Identifier: MIT
#include "build/link_ptx.hpp"

#include <gtest/gtest.h>

#include "ptx/parser.hpp"

namespace assay::build {
namespace {

const std::string kHead = ".version 8.0\n.target sm_80\n.address_size 64\n";
const std::string kCaller = kHead + R"ptx(
.extern .func (.param .b32 r) twice(.param .b32 a);
.extern .const .align 4 .b8 factor[4];
.visible .entry k(.param .u64 p) {
  .loc 1 3 1
  ret;
}
.file 1 "a.cu"
)ptx";
const std::string kCallee = kHead + R"ptx(
.visible .const .align 4 .b8 factor[4];
.visible .func (.param .b32 r) twice(.param .b32 a) {
  .loc 1 7 1
  ret;
}
.file 1 "b.cu"
)ptx";

TEST(LinkPtx, DeclarationsMeetTheirDefinitions) {
  const auto linked = link_ptx({{"a.cu", kCaller}, {"b.cu", kCallee}});
  ASSERT_TRUE(linked.ok()) << to_string(linked.error());
  const auto module = ptx::parse(*linked, "linked");
  ASSERT_TRUE(module.ok()) << to_string(module.error());
  int variables = 0;
  int bodies = 0;
  std::vector<std::string> files;
  for (const ptx::ModuleItem& item : module->items) {
    if (std::holds_alternative<ptx::Variable>(item)) ++variables;
    if (const auto* function = std::get_if<ptx::Function>(&item)) bodies += function->body ? 1 : 0;
    if (const auto* file = std::get_if<ptx::SourceFile>(&item))
      files.push_back(std::to_string(file->index) + file->name);
  }
  EXPECT_EQ(variables, 1) << *linked;
  EXPECT_EQ(bodies, 2);
  EXPECT_EQ(files, (std::vector<std::string>{"1a.cu", "2b.cu"}));
  EXPECT_NE(linked->find(".loc 2 7 1"), std::string::npos) << *linked;
}

TEST(LinkPtx, WhatNobodyDefinesIsNamed) {
  const auto linked = link_ptx({{"a.cu", kCaller}});
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.error().message, "a.cu uses \"twice\", which none of the sources defines");
}

TEST(LinkPtx, WhatTwoDefineIsNamed) {
  const auto linked = link_ptx({{"b.cu", kCallee}, {"c.cu", kCallee}});
  ASSERT_FALSE(linked.ok());
  EXPECT_EQ(linked.error().message, "\"factor\" is defined in b.cu and in c.cu");
}

}  // namespace
}  // namespace assay::build
