// SPDX-License-Identifier: MIT
#include "ptx/debug_strings.hpp"

#include <gtest/gtest.h>

#include "ptx/parser.hpp"

namespace assay::ptx {
namespace {

DebugStrings strings_of(const std::string& sections) {
  auto module = parse(".version 9.0\n.target sm_80\n" + sections, "test.ptx");
  EXPECT_TRUE(module.ok()) << to_string(module.error());
  return DebugStrings(*module);
}

TEST(DebugStrings, GivesTheStringOfEachLabel) {
  const auto strings = strings_of(
      ".section .debug_str\n{\n$L__info_string0:\n.b8 95,90,49,102\n.b8 118,0\n$L__info_string1:\n.b8 104\n.b8 105\n"
      ".b8 0\n}\n");
  const std::map<std::string, std::string> expected = {{"$L__info_string0", "_Z1fv"}, {"$L__info_string1", "hi"}};
  EXPECT_EQ(strings.by_label(), expected);
}

TEST(DebugStrings, CountsOffsetsFromTheLabel) {
  const auto strings = strings_of(".section .debug_str { a: .b8 104,105,0 b: .b8 111,107,0 }");
  EXPECT_EQ(strings.at("a", 1), "i");
  EXPECT_EQ(strings.at("a", 3), "ok");
  EXPECT_EQ(strings.at("b", -3), "hi");
  EXPECT_EQ(strings.at("b", 3), std::nullopt);
  EXPECT_EQ(strings.at("b", -4), std::nullopt);
  EXPECT_EQ(strings.at("b", INT64_MIN), std::nullopt);
  EXPECT_EQ(strings.at("b", INT64_MAX), std::nullopt);
  EXPECT_EQ(strings.at("c"), std::nullopt);
}

TEST(DebugStrings, ReadsWiderElementsAsLittleEndian) {
  const auto strings = strings_of(".section .debug_str { a: .b32 0x64636261 .b16 0x6665 .b64 0 }");
  EXPECT_EQ(strings.at("a"), "abcdef");
}

TEST(DebugStrings, AcceptsAStringWithoutItsEnd) {
  EXPECT_EQ(strings_of(".section .debug_str { a: .b8 104,105 }").at("a"), "hi");
  EXPECT_EQ(strings_of(".section .debug_str { a: }").at("a"), std::nullopt);
}

TEST(DebugStrings, KeepsWhatCameBeforeStrangeData) {
  const auto strings = strings_of(".section .debug_str { a: .b8 104,0 b: .b8 x c: .b8 105,0 }");
  EXPECT_EQ(strings.at("a"), "h");
  EXPECT_EQ(strings.at("c"), std::nullopt);
}

TEST(DebugStrings, LooksOnlyIntoDebugStr) {
  EXPECT_TRUE(strings_of(".section .debug_info { a: .b8 104,0 }").by_label().empty());
}

TEST(DebugStrings, NamesTheInlinedFunction) {
  const auto strings = strings_of(".section .debug_str { a: .b8 95,90,49,102,105,0 }");
  Location location{1, 2, 3, Location::Inlined{"a", 0, 1, 4, 5}};
  EXPECT_EQ(strings.function_of(location), "f(int)");
  location.inlined_at->function_label = "b";
  EXPECT_EQ(strings.function_of(location), "");
  location.inlined_at.reset();
  EXPECT_EQ(strings.function_of(location), "");
}

}  // namespace
}  // namespace assay::ptx
