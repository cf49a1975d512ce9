// SPDX-License-Identifier: MIT
#include "ledger/json_text.hpp"

#include <gtest/gtest.h>

namespace assay::ledger {
namespace {

std::string nested(size_t depth) {
  return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
}

TEST(JsonText, objects_are_brought_to_one_form) {
  EXPECT_EQ(*sorted_object("x", " { \"b\" : 1, \"a\" : \"}{\" } "), R"({"a":"}{","b":1})");
  EXPECT_EQ(*sorted_object("x", "{}"), "{}");
}

TEST(JsonText, whatever_is_no_object_is_refused) {
  for (const char* text : {"", "1", "[]", "null", "\"a\"", "{", "{}{}", "{\"a\":}", "{'a':1}"}) {
    EXPECT_FALSE(sorted_object("x", text).ok()) << text;
    EXPECT_FALSE(is_object(text)) << text;
  }
  EXPECT_NE(sorted_object("contract", "[]").error().message.find("contract"), std::string::npos);
}

TEST(JsonText, depth_is_limited_and_brackets_in_strings_do_not_count) {
  EXPECT_TRUE(is_object(nested(200)));
  EXPECT_FALSE(is_object(nested(201)));
  EXPECT_FALSE(is_object(nested(5'000'000)));
  EXPECT_TRUE(is_object("{\"a\":\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"}"));
}

TEST(JsonText, invalid_unicode_does_not_throw) {
  EXPECT_FALSE(is_object("{\"a\":\"\xff\xfe\"}"));
}

}  // namespace
}  // namespace assay::ledger
