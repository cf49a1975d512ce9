// SPDX-License-Identifier: MIT
#include "ptx/literal.hpp"

#include <gtest/gtest.h>

namespace assay::ptx {
namespace {

TEST(Literal, ReadsIntegersOfEveryBase) {
  EXPECT_EQ(integer_value("0")->bits, 0u);
  EXPECT_EQ(integer_value("1234567890")->bits, 1234567890u);
  EXPECT_EQ(integer_value("0xDeadBeef")->bits, 0xdeadbeefu);
  EXPECT_EQ(integer_value("0X10")->bits, 16u);
  EXPECT_EQ(integer_value("0777")->bits, 511u);
  EXPECT_EQ(integer_value("0B110")->bits, 6u);
  EXPECT_EQ(integer_value("0xffffffffffffffff")->bits, UINT64_MAX);
}

TEST(Literal, KnowsWhatIsUnsigned) {
  EXPECT_FALSE(integer_value("9223372036854775807")->is_unsigned);
  EXPECT_TRUE(integer_value("9223372036854775808")->is_unsigned);
  EXPECT_TRUE(integer_value("5U")->is_unsigned);
  EXPECT_EQ(integer_value("5U")->bits, 5u);
}

TEST(Literal, RefusesWhatDoesNotFit) {
  for (const char* text : {"", "U", "18446744073709551616", "0x10000000000000000", "08", "0b2", "12x"}) {
    EXPECT_FALSE(integer_value(text).has_value()) << text;
  }
}

TEST(Literal, ReadsReals) {
  EXPECT_EQ(real_value("0f3F800000"), (FloatLiteral{0x3F800000, 32}));
  EXPECT_EQ(real_value("0FffC00000"), (FloatLiteral{0xFFC00000, 32}));
  EXPECT_EQ(real_value("0d8000000000000000"), (FloatLiteral{0x8000000000000000, 64}));
  EXPECT_EQ(real_value("2.5"), (FloatLiteral{0x4004000000000000, 64}));
  EXPECT_EQ(real_value("25e-1"), (FloatLiteral{0x4004000000000000, 64}));
  EXPECT_EQ(real_value("3."), (FloatLiteral{0x4008000000000000, 64}));
  EXPECT_FALSE(real_value("1e999").has_value());
  EXPECT_FALSE(real_value("0f3F80000G").has_value());
}

}  // namespace
}  // namespace assay::ptx
