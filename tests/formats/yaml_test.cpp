// SPDX-License-Identifier: MIT
#include "formats/yaml.hpp"

#include <gtest/gtest.h>

namespace assay::formats {
namespace {

TEST(Yaml, BlockAndFlowFormsGiveTheSame) {
  const auto block = parse_yaml(R"yaml(# a task
lang: "py"   # quoted
files:
  - name: "submission.py"
    source: '@SUBMISSION@'
  - {"name": reference.py, source: reference.py}
config:
  main: eval.py
tests:
- rows: 4
  columns: 127
  seed: -1
-
  rows: 1
description: |
  Row sums.

    Indented: yes
folded: >-
  one
  two

  three
empty:
list: [1, 2.5, true, null, "a, b", {x: y}]
url: http://example.org:80/a#b
)yaml",
                                "task.yml");
  ASSERT_TRUE(block.ok()) << block.error().message << " " << block.error().place.line;
  const auto& value = *block;
  EXPECT_EQ(value["lang"], "py");
  EXPECT_EQ(value["files"][0]["source"], "@SUBMISSION@");
  EXPECT_EQ(value["files"][1]["name"], "reference.py");
  EXPECT_EQ(value["config"]["main"], "eval.py");
  EXPECT_EQ(value["tests"][0]["seed"], -1);
  EXPECT_EQ(value["tests"][1]["rows"], 1);
  EXPECT_EQ(value["description"], "Row sums.\n\n  Indented: yes\n");
  EXPECT_EQ(value["folded"], "one two\n\nthree");
  EXPECT_TRUE(value["empty"].is_null());
  EXPECT_EQ(value["list"][1], 2.5);
  EXPECT_EQ(value["list"][4], "a, b");
  EXPECT_EQ(value["list"][5]["x"], "y");
  EXPECT_EQ(value["url"], "http://example.org:80/a#b");
}

TEST(Yaml, FlowFormsMayGoOverLines) {
  const auto value = parse_yaml("files: [\n  {\"name\": \"a\",  # why\n   \"source\": \"b\"}\n]\nnext: 1\n", "x");
  ASSERT_TRUE(value.ok()) << value.error().message;
  EXPECT_EQ((*value)["files"][0]["source"], "b");
  EXPECT_EQ((*value)["next"], 1);
}

TEST(Yaml, WhatIsNotUnderstoodIsRefusedWithItsLine) {
  const auto line_of = [](const char* text) {
    const auto value = parse_yaml(text, "x.yml");
    EXPECT_FALSE(value.ok()) << text;
    return value.ok() ? -1 : value.error().place.line;
  };
  EXPECT_EQ(line_of("a: 1\nb: &anchor 2\n"), 2);
  EXPECT_EQ(line_of("a: 1\nb: *anchor\n"), 2);
  EXPECT_EQ(line_of("a: !!python/object 1\n"), 1);
  EXPECT_EQ(line_of("a: 1\na: 2\n"), 2);
  EXPECT_EQ(line_of("a: [1, 2\n"), 1);
  EXPECT_EQ(line_of("a: 1\n   b: 2\n"), 2);
  EXPECT_EQ(line_of("a: 'open\n"), 1);
  EXPECT_EQ(line_of("a: 1\n---\nb: 2\n"), 2);
  EXPECT_FALSE(parse_yaml("", "x").ok());
  EXPECT_FALSE(parse_yaml(std::string(1000, '['), "x").ok());
  // A mistake at the end of the text, inside of several: nobody reads behind it.
  EXPECT_FALSE(parse_yaml("{a: [{b: [{c}]}]}\n", "x").ok());
  EXPECT_FALSE(parse_yaml("{a: [{b: [{c\n", "x").ok());
  EXPECT_FALSE(parse_yaml(std::string("a: \0", 4), "x").ok());
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += std::string(static_cast<size_t>(i), ' ') + "a:\n";
  EXPECT_FALSE(parse_yaml(deep, "x").ok());
}

}  // namespace
}  // namespace assay::formats
