// SPDX-License-Identifier: MIT
#include "reference/exchange.hpp"

#include <gtest/gtest.h>

#include "problem_builder.hpp"

namespace assay::reference {
namespace {

std::string number(uint64_t value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}
std::string real(double value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

Problem two_outputs() {
  return ProblemBuilder().output("a", {2}).output("b", {}).problem();
}

TEST(Exchange, ReadsAGoodResponse) {
  const auto outputs = decode_response(number(0) + number(2) + real(1) + real(2) + number(1) + real(3), two_outputs());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("a").values, (std::vector<double>{1, 2}));
  EXPECT_EQ(outputs->at("b").values, (std::vector<double>{3}));
}

TEST(Exchange, EveryDamagedResponseIsAnError) {
  const std::string good = number(0) + number(2) + real(1) + real(2) + number(1) + real(3);
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(decode_response(good.substr(0, length), two_outputs()));
  EXPECT_FALSE(decode_response(good + "x", two_outputs()));
  EXPECT_FALSE(decode_response(number(2) + good.substr(8), two_outputs()));
  EXPECT_FALSE(decode_response(number(0) + number(uint64_t{1} << 61) + real(1), two_outputs()));
  EXPECT_FALSE(decode_response(number(1) + number(1000) + "short", two_outputs()));
}

TEST(Exchange, RefusesProblemsThatAreNotSound) {
  EXPECT_FALSE(encode_request(ProblemBuilder().input("x", {2}, {1}).problem()));
  EXPECT_FALSE(encode_request(ProblemBuilder().output("x", {-2}).problem()));
  EXPECT_FALSE(encode_request(ProblemBuilder().input("x", {2}, {1, 2}).output("x", {3}).problem()));
  EXPECT_TRUE(encode_request(ProblemBuilder().input("x", {2}, {1, 2}).output("x", {2}).problem()));
}

}  // namespace
}  // namespace assay::reference
