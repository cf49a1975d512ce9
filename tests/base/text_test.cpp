// SPDX-License-Identifier: MIT
#include "base/text.hpp"

#include <gtest/gtest.h>

namespace assay {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, keeps_empty_parts) {
  EXPECT_EQ(split("a,b,c", ','), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split(",a,,b,", ','), (Parts{"", "a", "", "b", ""}));
}

TEST(Split, gives_one_part_without_a_separator) {
  EXPECT_EQ(split("abc", ','), (Parts{"abc"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
}

TEST(Trim, takes_space_from_both_ends_only) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim("a"), "a");
  EXPECT_EQ(trim(" \t\r\n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Counted, has_a_plural) {
  EXPECT_EQ(counted(0, "case"), "0 cases");
  EXPECT_EQ(counted(1, "case"), "1 case");
  EXPECT_EQ(counted(2, "case"), "2 cases");
}

TEST(Join, puts_the_separator_between) {
  EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Join, keeps_empty_parts) {
  EXPECT_EQ(join({"", "", "a"}, ","), ",,a");
  EXPECT_EQ(split(join({"", "x", ""}, ","), ','), (Parts{"", "x", ""}));
}

TEST(ReplaceAll, replaces_every_occurrence_once) {
  EXPECT_EQ(replace_all("a-b-c", "-", "+"), "a+b+c");
  EXPECT_EQ(replace_all("aaaa", "aa", "b"), "bb");
  EXPECT_EQ(replace_all("aaa", "aa", "b"), "ba");
  EXPECT_EQ(replace_all("abc", "x", "y"), "abc");
}

TEST(ReplaceAll, ends_although_the_replacement_holds_the_word) {
  EXPECT_EQ(replace_all("a.a", "a", "aa"), "aa.aa");
  EXPECT_EQ(replace_all("abab", "ab", ""), "");
}

TEST(ReplaceAll, replaces_nothing_by_nothing) {
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

TEST(Nearest, finds_a_misspelt_word) {
  const std::vector<std::string> words = {"shared_bytes", "grid", "block", "cluster"};
  EXPECT_EQ(nearest("gird", words), "grid");  // two letters exchanged are one mistake
  EXPECT_EQ(nearest("gdir", words), "");      // two edits of four letters: too far
  EXPECT_EQ(nearest("gri", words), "grid");
  EXPECT_EQ(nearest("blok", words), "block");
  EXPECT_EQ(nearest("shared_byte", words), "shared_bytes");
  EXPECT_EQ(nearest("cluster", words), "cluster");
}

TEST(Nearest, prefers_the_nearest_and_then_the_first) {
  EXPECT_EQ(nearest("blocks", {"blacks", "block", "blocks"}), "blocks");
  EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat");
}

TEST(Nearest, has_no_answer_where_nothing_is_near) {
  EXPECT_EQ(nearest("tolerance", {"grid", "block"}), "");
  EXPECT_EQ(nearest("grid", {}), "");
  EXPECT_EQ(nearest("", {"a", "b"}), "");
}

TEST(Nearest, is_quick_for_hostile_lengths) {
  const std::string endless(50'000'000, 'x');
  EXPECT_EQ(nearest(endless, {endless}), "");
  EXPECT_EQ(nearest("x", {endless, "xy"}), "xy");
}

}  // namespace
}  // namespace assay
