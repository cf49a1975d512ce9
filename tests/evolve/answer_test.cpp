// SPDX-License-Identifier: MIT
#include "evolve/answer.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "evolve/schema.hpp"

namespace assay::evolve {
namespace {

std::string message(const std::string& text) {
  const auto answer = read_answer(text, 4);
  return answer ? "" : answer.error().message;
}

TEST(Answer, IsReadAndWrittenAlike) {
  const auto answer = read_answer(R"({"assay_evolve": 1, "proposal": 4, "files": {"a.cu": "text"},
      "tunables": [{"name": "WIDTH", "values": [1, 2, 4]}, {"name": "PADDED", "values": [true, false]}],
      "constraints": ["WIDTH < 4 || PADDED"],
      "hypothesis": {"text": "wider", "counter": "lsu", "direction": "down"},
      "costs": {"tokens_in": 10, "tokens_out": 20, "money": 0.5, "seconds": 3}})",
                                  4);
  ASSERT_TRUE(answer.ok()) << to_string(answer.error());
  EXPECT_EQ(answer->files.at("a.cu"), "text");
  EXPECT_EQ(answer->tunables.size(), 2u);
  EXPECT_EQ(answer->hypothesis.counter, "lsu");
  EXPECT_DOUBLE_EQ(answer->costs.money, 0.5);
  const auto again = read_answer(to_json(*answer).dump(), 9);
  ASSERT_TRUE(again.ok()) << to_string(again.error());
  EXPECT_EQ(again->tunables, answer->tunables);
  EXPECT_EQ(again->constraints, answer->constraints);
  EXPECT_EQ(again->hypothesis, answer->hypothesis);
}

TEST(Answer, NothingIsAPass) {
  for (const char* text : {"", " \n", "{}", R"({"hypothesis": {"text": "no idea"}})", R"({"costs": {"money": 1}})"}) {
    const auto answer = read_answer(text, 1);
    ASSERT_TRUE(answer.ok()) << text;
    EXPECT_TRUE(answer->passes()) << text;
  }
}

TEST(Answer, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_NE(message("{").find("not one JSON document"), std::string::npos);
  EXPECT_NE(message(std::string(1000000, '[')).find("nests deeper"), std::string::npos);
  EXPECT_NE(message("[]").find("expected object"), std::string::npos);
  EXPECT_NE(message(R"({"accepted": true})").find("/accepted"), std::string::npos);
  EXPECT_NE(message(R"({"diff": 7})").find("/diff: expected string"), std::string::npos);
  EXPECT_NE(message(R"({"files": {"a": 7}})").find("/files/a"), std::string::npos);
  EXPECT_NE(message(R"({"proposal": 3})").find("proposal 3, asked was 4"), std::string::npos);
  EXPECT_NE(message(R"({"assay_evolve": 2})").find("expected 1, found 2"), std::string::npos);
  EXPECT_NE(message(R"({"tunables": [{"name": "a b", "values": [1]}]})").find("/tunables/0/name"), std::string::npos);
  EXPECT_NE(message(R"({"tunables": [{"name": "A", "values": []}]})").find("too few"), std::string::npos);
  EXPECT_NE(message(R"({"tunables": [{"name": "A"}]})").find("'values' is missing"), std::string::npos);
  EXPECT_NE(message(R"({"costs": {"money": -1}})").find("at least 0"), std::string::npos);
  EXPECT_NE(message(R"({"files": {"a": "b"}})").find("hypothesis"), std::string::npos);
  EXPECT_NE(message(R"({"files": {"a": "b"}, "hypothesis": {"text": "two\nlines"}})").find("/hypothesis/text"),
            std::string::npos);
  EXPECT_NE(message(R"({"files": {"a": "b"}, "diff": "x", "hypothesis": {"text": "both"}})").find("both"),
            std::string::npos);
  EXPECT_NE(message(R"({"hypothesis": {"text": "x"}, "files": {"a": "b", "a": "c"}})").find("member 'a' twice"),
            std::string::npos);
  EXPECT_EQ(message(R"({"hypothesis": {"text": "x"}, "files": {"text": "b"}})"), "") << "in another object it may be";
  for (const char* huge : {"1e308", "1e999", "1e10", "-1e-9", "123456789012345678901234567890"})
    EXPECT_NE(message(fmt::format(R"({{"costs": {{"money": {}}}}})", huge)), "") << huge;
  for (const char* huge : {"18446744073709551615", "4294967296", "-3000000000", "1e3", "1.5"})
    EXPECT_NE(message(fmt::format(R"({{"tunables": [{{"name": "A", "values": [{}]}}]}})", huge)).find("/values/0"),
              std::string::npos)
        << huge;
  EXPECT_NE(message(R"({"hypothesis": {"text": "x", "direction": "left"}})").find("expected one of"),
            std::string::npos);
}

TEST(Schemas, AreValidAndTellRequestsFromAnswers) {
  EXPECT_EQ(validate_document("", "x").value(), "pass");
  EXPECT_EQ(validate_document(R"({"hypothesis": {"text": "x"}})", "x").value(), "answer");
  const auto request = validate_document(R"({"specification": "x"})", "request.json");
  ASSERT_FALSE(request.ok());
  EXPECT_NE(request.error().message.find("is missing"), std::string::npos);
  EXPECT_EQ(request.error().place.file, "request.json");
}

}  // namespace
}  // namespace assay::evolve
