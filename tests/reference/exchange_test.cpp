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
  const auto outputs = decode_response(
      number(0) + number(0) + number(2) + real(1) + real(2) + number(0) + number(1) + real(3), two_outputs());
  ASSERT_TRUE(outputs) << to_string(outputs.error());
  EXPECT_EQ(outputs->at("a").values, (std::vector<double>{1, 2}));
  EXPECT_EQ(outputs->at("b").values, (std::vector<double>{3}));
}

TEST(Exchange, EveryDamagedResponseIsAnError) {
  const std::string good = number(0) + number(0) + number(2) + real(1) + real(2) + number(0) + number(1) + real(3);
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(decode_response(good.substr(0, length), two_outputs()));
  EXPECT_FALSE(decode_response(good + "x", two_outputs()));
  EXPECT_FALSE(decode_response(number(2) + good.substr(8), two_outputs()));
  EXPECT_FALSE(decode_response(number(0) + number(0) + number(uint64_t{1} << 61) + real(1), two_outputs()));
  EXPECT_FALSE(decode_response(number(1) + number(1000) + "short", two_outputs()));
  EXPECT_FALSE(decode_response(number(0) + number(1) + good.substr(16), two_outputs())) << "words of what has none";
  EXPECT_FALSE(decode_response(number(0) + number(7) + good.substr(16), two_outputs())) << "a form that is none";
}

TEST(Exchange, IntegersGoBothWaysAsTheyAre) {
  constexpr uint64_t kNeighbour = (uint64_t{1} << 60) + 1;
  Problem problem = ProblemBuilder().output("y", {2}).problem();
  problem.output_integers["y"] = Integers::i64;
  problem.inputs["x"] = {"x", {1}, {0x1p60}, {kNeighbour}, Integers::i64};
  problem.scalars["s"] = 0x1p60;
  problem.large_scalars["s"] = static_cast<int64_t>(kNeighbour);
  const auto request = encode_request(problem);
  ASSERT_TRUE(request);
  const size_t first = request->find(number(kNeighbour));
  ASSERT_NE(first, std::string::npos) << "of x";
  EXPECT_NE(request->find(number(kNeighbour), first + 1), std::string::npos) << "of s";

  const auto exact = decode_response(number(0) + number(1) + number(2) + number(kNeighbour) + number(-5), problem);
  ASSERT_TRUE(exact) << to_string(exact.error());
  EXPECT_EQ(exact->at("y").words, (std::vector<uint64_t>{kNeighbour, static_cast<uint64_t>(-5)}));
  EXPECT_EQ(exact->at("y").values, (std::vector<double>{0x1p60, -5}));
  const auto small = decode_response(number(0) + number(1) + number(2) + number(4) + number(-5), problem);
  ASSERT_TRUE(small);
  EXPECT_TRUE(small->at("y").words.empty()) << "doubles hold these";

  const auto undecided = decode_response(number(2) + number(3) + "'x'", problem);
  ASSERT_FALSE(undecided);
  EXPECT_EQ(undecided.error().message, "the reference reads a number that float64 does not hold: 'x'");
  EXPECT_FALSE(decode_refusal(number(2) + number(3) + "'x'")) << "no word about the problem";
}

TEST(Exchange, RefusesProblemsThatAreNotSound) {
  EXPECT_FALSE(encode_request(ProblemBuilder().input("x", {2}, {1}).problem()));
  EXPECT_FALSE(encode_request(ProblemBuilder().output("x", {-2}).problem()));
  EXPECT_FALSE(encode_request(ProblemBuilder().input("x", {2}, {1, 2}).output("x", {3}).problem()));
  EXPECT_TRUE(encode_request(ProblemBuilder().input("x", {2}, {1, 2}).output("x", {2}).problem()));
}

}  // namespace
}  // namespace assay::reference
