// SPDX-License-Identifier: MIT
#include "report/printed_text.hpp"

#include <gtest/gtest.h>

#include "spec/value.hpp"

namespace assay::report {
namespace {

check::CaseResult printing(int64_t n, const std::string& text) {
  check::CaseResult result;
  result.test.shape.values["N"] = spec::Value(n);
  result.printed = text;
  return result;
}

std::string numbers(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += std::to_string(i) + "\n";
  return text;
}

TEST(PrintedText, IsEmptyIfNothingWasPrinted) {
  EXPECT_EQ(printed_text(Terminal(false), {}), "");
  EXPECT_EQ(printed_text(Terminal(false), {printing(1, ""), printing(2, "")}), "");
}

TEST(PrintedText, ShowsAllOfASingleCase) {
  const std::string text = printed_text(Terminal(false), {printing(64, numbers(100))});
  EXPECT_TRUE(text.starts_with("printed by the kernel at N=64\n  0\n  1\n")) << text;
  EXPECT_TRUE(text.ends_with("  98\n  99\n\n")) << text;
}

TEST(PrintedText, ShowsTheBeginningOfTheFirstOfManyAndCountsTheRest) {
  const std::string text =
      printed_text(Terminal(false), {printing(1, ""), printing(2, numbers(23)), printing(3, "x"), printing(4, "y")});
  EXPECT_TRUE(text.starts_with("printed by the kernel at N=2\n  0\n")) << text;
  EXPECT_TRUE(text.ends_with("  19\n  ... 3 more lines, 2 more cases printed; --shape shows all of one case\n\n"))
      << text;
}

TEST(PrintedText, KeepsControlCharactersFromTheTerminal) {
  EXPECT_EQ(printed_text(Terminal(false), {printing(1, "a\x1b[2Jb\tc\r\n")}),
            "printed by the kernel at N=1\n  a[2Jb\tc\n\n");
}

}  // namespace
}  // namespace assay::report
