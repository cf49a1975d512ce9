// SPDX-License-Identifier: MIT
#include "base/result.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace assay {
namespace {

using Owned = std::unique_ptr<int>;

Result<Owned> make(int number) {
  if (number < 0) return Error{"negative", Place{"numbers.txt", 3, 4}, "use a positive one"};
  return std::make_unique<int>(number);
}

Result<Owned> twice(int number) {
  ASSAY_TRY(const Owned half, make(number));
  ASSAY_TRY(const Owned other_half, make(number));
  return std::make_unique<int>(*half + *other_half);
}

Result<void> check_both(int a, int b, int& checked) {
  ASSAY_CHECK(twice(a));
  ++checked;
  ASSAY_CHECK(twice(b));
  ++checked;
  return {};
}

TEST(Result, carries_a_value_that_can_only_be_moved) {
  Result<Owned> result = twice(21);
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(**result, 42);
  const Owned taken = std::move(result).value();
  EXPECT_EQ(*taken, 42);
}

TEST(Result, carries_the_error_through_the_callers) {
  const Result<Owned> result = twice(-1);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error(), (Error{"negative", Place{"numbers.txt", 3, 4}, "use a positive one"}));
}

TEST(Result, of_nothing_stops_at_the_first_error) {
  int checked = 0;
  EXPECT_TRUE(check_both(1, 2, checked).ok());
  EXPECT_EQ(checked, 2);
  checked = 0;
  const auto result = check_both(1, -2, checked);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(checked, 1);
  EXPECT_EQ(result.error().message, "negative");
}

TEST(Result, gives_access_to_the_value_in_place) {
  Result<std::vector<int>> result = std::vector<int>{1, 2};
  result->push_back(3);
  (*result)[0] = 7;
  const auto& constant = result;
  EXPECT_EQ(constant.value(), (std::vector<int>{7, 2, 3}));
  EXPECT_EQ(constant->size(), 3u);
}

TEST(Result, tells_a_text_from_an_error) {
  const Result<std::string> text = std::string("all is well");
  ASSERT_TRUE(text.ok());
  EXPECT_EQ(*text, "all is well");
}

TEST(Place, leaves_out_what_is_not_known) {
  EXPECT_EQ(to_string(Place{"a.toml", 3, 7}), "a.toml:3:7");
  EXPECT_EQ(to_string(Place{"a.toml", 3}), "a.toml:3");
  EXPECT_EQ(to_string(Place{"a.toml"}), "a.toml");
  EXPECT_EQ(to_string(Place{"a.toml", 0, 7}), "a.toml");
  EXPECT_FALSE(Place{}.known());
}

TEST(Error, is_written_with_its_place_and_its_hint) {
  EXPECT_EQ(to_string(Error{"wrong", Place{"a.toml", 3}, "mend it"}), "a.toml:3: wrong\n  hint: mend it");
  EXPECT_EQ(to_string(Error{"wrong"}), "wrong");
}

TEST(Error, is_the_users_unless_it_says_otherwise) {
  EXPECT_EQ(Error{"wrong"}.exit_code, ExitCode::usage);
}

}  // namespace
}  // namespace assay
