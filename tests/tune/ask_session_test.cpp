// SPDX-License-Identifier: MIT
#include "tune/ask_session.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

#include "base/random.hpp"

namespace assay::tune {
namespace {

using nlohmann::json;

json header(size_t budget) {
  json configurations = json::array();
  for (int a : {1, 2, 4, 8}) {
    for (const char* b : {"x", "y"}) {
      for (bool c : {false, true}) configurations.push_back({a, b, c});
    }
  }
  return {{"space", "small"},
          {"seed", 3},
          {"budget", budget},
          {"parameters",
           {{{"name", "A"}, {"values", {1, 2, 4, 8}}},
            {{"name", "B"}, {"values", {"x", "y"}}},
            {{"name", "C"}, {"values", {false, true}}}}},
          {"configurations", configurations}};
}

double time_of(const json& configuration) {
  return 1 + std::abs(configuration[0].get<double>() - 4) * 0.1 + (configuration[1] == "y" ? 0 : 0.05) +
         (configuration[2].get<bool>() ? 0 : 0.02);
}

struct Conversation {
  std::set<json> evaluated;
  size_t repeated = 0;
  std::vector<json> questions;
  json answer;
};

// Plays the other side until the answer.
Conversation converse(AskSession& session, const json& first, double noise = 0, bool fail_all = false) {
  Conversation result;
  Random random(9);
  size_t left = first["budget"];
  std::vector<json> open;
  auto lines = session.hear(first.dump());
  for (int turn = 0; turn < 5000; ++turn) {
    if (!lines.ok()) {
      ADD_FAILURE() << lines.error().message;
      return result;
    }
    for (const std::string& line : *lines) {
      const json object = json::parse(line);
      if (object.contains("answer")) {
        result.answer = object;
        return result;
      }
      open.push_back(object);
      result.questions.push_back(object);
    }
    const json question = open.front();
    open.erase(open.begin());
    const json& configuration = question["evaluate"];
    if (result.evaluated.insert(configuration).second) {
      --left;
    } else {
      ++result.repeated;
      EXPECT_TRUE(question.contains("samples"));
    }
    const json reply = fail_all || configuration[0] == 1
                           ? json{{"error", "no"}, {"left", left}}
                           : json{{"milliseconds", time_of(configuration) * (1 + noise * random.normal())},
                                  {"samples", 7},
                                  {"left", left}};
    lines = session.hear(reply.dump());
  }
  ADD_FAILURE() << "no end";
  return result;
}

TEST(AskSession, FindsTheBestAndKeepsToItsBudget) {
  AskSession session;
  const Conversation talk = converse(session, header(12));
  EXPECT_EQ(talk.evaluated.size(), 12u);
  EXPECT_EQ(talk.answer["answer"], json({4, "y", true}));
  EXPECT_EQ(talk.answer["tie_group"], json::array({json({4, "y", true})}));
  EXPECT_FALSE(session.waiting());
}

TEST(AskSession, ASpaceMayBeExhaustedBeforeTheBudget) {
  AskSession session;
  const Conversation talk = converse(session, header(500));
  EXPECT_EQ(talk.evaluated.size(), 16u);
  EXPECT_EQ(talk.answer["answer"], json({4, "y", true}));
}

TEST(AskSession, AnotherSpaceMayFollow) {
  AskSession session;
  const Conversation first = converse(session, header(6));
  const Conversation second = converse(session, header(6));
  EXPECT_EQ(first.questions, second.questions);  // the same seed and times
}

TEST(AskSession, NoiseIsAnsweredByARace) {
  AskSession session;
  const Conversation talk = converse(session, header(16), 0.02);
  EXPECT_GT(talk.repeated, 2u);
  EXPECT_GE(talk.answer["tie_group"].size(), 1u);
  EXPECT_LE(talk.answer["tie_group"].size(), 3u);
}

// Further samples would decide nothing, and whoever counts may be gone when nothing is left.
TEST(AskSession, WhoIsAloneIsNotRaced) {
  AskSession session;
  const auto question = session.hear(header(1).dump());
  ASSERT_TRUE(question.ok() && question->size() == 1);
  const auto lines = session.hear(R"({"milliseconds": 2.5, "left": 0})");
  ASSERT_TRUE(lines.ok() && lines->size() == 1);
  const json answer = json::parse(lines->front());
  EXPECT_EQ(answer["answer"], json::parse(question->front())["evaluate"]);
  EXPECT_EQ(answer["tie_group"].size(), 1u);
  EXPECT_EQ(answer["regret_bound"], 0.0);
}

TEST(AskSession, AReplyMayHaveEveryMember) {
  AskSession session;
  ASSERT_TRUE(session.hear(header(1).dump()).ok());
  const auto lines = session.hear(R"({"milliseconds": 2.5, "error": null, "samples": 1, "left": null})");
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  ASSERT_EQ(lines->size(), 1u);
  EXPECT_EQ(json::parse(lines->front())["milliseconds"], 2.5);
}

TEST(AskSession, BatchesAreAskedTogether) {
  AskSession session;
  json first = header(12);
  first["batch"] = 4;
  const auto lines = session.hear(first.dump());
  ASSERT_TRUE(lines.ok());
  EXPECT_EQ(lines->size(), 4u);
  AskSession whole;
  EXPECT_EQ(converse(whole, first).evaluated.size(), 12u);
}

TEST(AskSession, WhereEverythingFailsThereIsNoAnswer) {
  AskSession session;
  const Conversation talk = converse(session, header(8), 0, true);
  EXPECT_TRUE(talk.answer["answer"].is_null());
  EXPECT_TRUE(talk.answer["tie_group"].empty());
}

TEST(AskSession, CountersOfAnyNameAreTaken) {
  json first = header(10);
  for (const json& each : first["configurations"])
    first["counters"].push_back(
        {{"inst_executed", time_of(each) * 1e6}, {"what_is_this", 5}, {"block", {32, 4, 1}}, {"name", "x"}});
  AskSession session;
  const Conversation talk = converse(session, first);
  EXPECT_EQ(talk.questions[0]["evaluate"], json({4, "y", true}));  // what the counters predict
}

TEST(AskSession, WithoutConfigurationsAllCombinationsAreMeant) {
  json first = header(16);
  first.erase("configurations");
  AskSession session;
  EXPECT_EQ(converse(session, first).evaluated.size(), 16u);
}

// How many times a space is asked for when every time is the same; 0 without an answer.
size_t evaluations_of(const json& first) {
  AskSession session;
  std::set<std::string> asked;
  auto lines = session.hear(first.dump());
  for (int turn = 0; turn < 5000 && lines.ok() && !lines->empty(); ++turn) {
    const json object = json::parse(lines->front());
    if (object.contains("answer")) return object["answer"].is_null() ? 0 : asked.size();
    asked.insert(object["evaluate"].dump());
    const size_t left = first["budget"].get<size_t>() - std::min(asked.size(), first["budget"].get<size_t>());
    lines = session.hear(json{{"milliseconds", 1.0}, {"left", left}}.dump());
  }
  return 0;
}

TEST(AskSession, OddSpacesAreSearchedToo) {
  json one = {{"space", "one"}, {"seed", 1}, {"budget", 9}, {"parameters", {{{"name", "A"}, {"values", {7}}}}}};
  one["configurations"] = json::array({json::array({7})});
  EXPECT_EQ(evaluations_of(one), 1u);
  json wide = {{"space", "wide"}, {"seed", 1}, {"budget", 25}, {"parameters", json::array()}};
  Random random(4);
  for (int p = 0; p < 30; ++p)
    wide["parameters"].push_back({{"name", "P" + std::to_string(p)}, {"values", {0.5, -2, 1e300}}});
  for (int i = 0; i < 200; ++i) {
    json row = json::array();
    for (int p = 0; p < 30; ++p) row.push_back(wide["parameters"][p]["values"][random.below(3)]);
    wide["configurations"].push_back(row);
  }
  EXPECT_EQ(evaluations_of(wide), 25u);
}

// Members that are missing, texts, nothing at all: what is there is used.
TEST(AskSession, CountersMayBeIncomplete) {
  json first = header(10);
  size_t i = 0;
  for (const json& each : first["configurations"]) {
    const json counted = {{"inst_executed", time_of(each) * 1e6}, {"registers", -4}, {"nan", nullptr}, {"text", "NaN"}};
    first["counters"].push_back(++i % 5 == 0 ? json() : i % 7 == 0 ? json::object() : counted);
  }
  AskSession session;
  EXPECT_EQ(converse(session, first).answer["answer"], json({4, "y", true}));
}

TEST(AskSession, AnErrorThatSaysNothingIsNone) {
  for (const char* none : {"null", "false", R"("")"}) {
    AskSession session;
    ASSERT_TRUE(session.hear(header(1).dump()).ok());
    const auto lines = session.hear(fmt::format(R"({{"milliseconds": 2.5, "error": {}}})", none));
    ASSERT_TRUE(lines.ok()) << lines.error().message;
    EXPECT_EQ(json::parse(lines->back())["milliseconds"], 2.5) << none;
  }
  for (const char* some : {"true", R"("no memory")", "7"}) {
    AskSession session;
    ASSERT_TRUE(session.hear(header(1).dump()).ok());
    const auto lines = session.hear(fmt::format(R"({{"milliseconds": 2.5, "error": {}}})", some));
    ASSERT_TRUE(lines.ok()) << lines.error().message;
    EXPECT_TRUE(json::parse(lines->back())["answer"].is_null()) << some;
  }
}

// Python writes them so.
TEST(AskSession, CountersThatAreNotNumbersAreNotKnown) {
  json first = header(5);
  for (size_t i = 0; i < first["configurations"].size(); ++i)
    first["counters"].push_back({{"name \\\"NaN", i}, {"inst_executed", i % 3 == 0 ? json("?") : json(i + 1)}});
  std::string text = first.dump();
  for (size_t at = text.find("\"?\""), n = 0; at != std::string::npos; at = text.find("\"?\""), ++n)
    text.replace(at, 3, n % 3 == 0 ? "NaN" : n % 3 == 1 ? "Infinity" : "-Infinity");
  AskSession session;
  const auto lines = session.hear(text);
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  EXPECT_EQ(lines->size(), 1u);
  EXPECT_TRUE(session.hear(R"({"milliseconds": NaN})").ok());
}

// Each is a way in which programs say that a configuration failed.
TEST(AskSession, ATimeThatIsNoneIsAFailure) {
  for (const char* none : {"null", "NaN", "Infinity", "-1", "0", "1e20", R"("RuntimeFailedConfig")", "[]", "[null]"}) {
    AskSession session;
    ASSERT_TRUE(session.hear(header(2).dump()).ok());
    auto lines = session.hear(fmt::format(R"({{"milliseconds": {}, "left": 1}})", none));
    ASSERT_TRUE(lines.ok()) << none << lines.error().message;
    lines = session.hear(R"({"milliseconds": 2.5, "left": 0})");
    ASSERT_TRUE(lines.ok()) << lines.error().message;
    EXPECT_EQ(json::parse(lines->back())["milliseconds"], 2.5) << none;
  }
}

TEST(AskSession, AListOfTimesIsTheirMean) {
  AskSession session;
  ASSERT_TRUE(session.hear(header(1).dump()).ok());
  const auto lines = session.hear(R"({"milliseconds": [2, 3, null], "left": 0})");
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  EXPECT_EQ(json::parse(lines->back())["milliseconds"], 2.5);
}

TEST(AskSession, WhereNobodyAnswersASecondTimeTheFastestIsTheAnswer) {
  AskSession session;
  const json first = header(6);
  auto lines = session.hear(first.dump());
  size_t left = 6;
  std::set<json> seen;
  json best;
  double least = 9;
  while (lines.ok() && json::parse(lines->back()).contains("evaluate")) {
    const json configuration = json::parse(lines->back())["evaluate"];
    json reply = {{"error", "was evaluated before"}, {"left", left}};
    if (seen.insert(configuration).second) {
      const double time = time_of(configuration) + (left == 1 ? 5 : 0);  // the last one comes after the race
      if (time < least) {
        least = time;
        best = configuration;
      }
      reply = {{"milliseconds", time}, {"left", --left}};
    }
    lines = session.hear(reply.dump());
  }
  ASSERT_TRUE(lines.ok()) << lines.error().message;
  const json answer = json::parse(lines->back());
  EXPECT_EQ(answer["answer"], best);
  EXPECT_FALSE(answer.contains("regret_bound"));
}

// Numbers as text are numbers, and what is there twice is there once.
TEST(AskSession, NumbersMayBeText) {
  const auto sequence = [](bool text) {
    json first = {{"space", "sizes"}, {"seed", 5}, {"budget", 40}, {"parameters", json::array()}};
    const auto value = [&](int number) { return text ? json(std::to_string(number)) : json(number); };
    for (const char* name : {"block_size_x", "block_size_y", "tile_size_x"}) {
      first["parameters"].push_back({{"name", name}, {"values", json::array()}});
      for (int size = 1; size <= 512; size *= 2) first["parameters"].back()["values"].push_back(value(size));
    }
    AskSession session;
    std::vector<std::vector<int>> asked;
    auto lines = session.hear(first.dump());
    while (lines.ok() && json::parse(lines->back()).contains("evaluate") && asked.size() < 40) {
      std::vector<int>& sizes = asked.emplace_back();
      double time = 1;
      for (const json& each : json::parse(lines->back())["evaluate"]) {
        EXPECT_EQ(each.is_string(), text);
        sizes.push_back(text ? std::stoi(each.get<std::string>()) : each.get<int>());
        time += std::abs(std::log2(sizes.back()) - 4);
      }
      lines = session.hear(json{{"milliseconds", time}}.dump());
    }
    return asked;
  };
  EXPECT_EQ(sequence(true), sequence(false));
}

TEST(AskSession, WhatIsThereTwiceIsThereOnce) {
  json first = header(50);
  const size_t size = first["configurations"].size();
  for (size_t i = 0; i < size; ++i) first["counters"].push_back({{"inst_executed", i + 1}});
  first["configurations"].insert(first["configurations"].begin() + 3, first["configurations"][1]);
  first["counters"].insert(first["counters"].begin() + 3, json::object());
  AskSession session;
  const Conversation talk = converse(session, first);
  EXPECT_EQ(talk.evaluated.size(), size);
  EXPECT_EQ(talk.answer["answer"], json({4, "y", true}));
}

TEST(AskSession, ValuesMayBeNothingAndLists) {
  json first = {{"space", "odd"}, {"seed", 1}, {"budget", 9}};
  first["parameters"] = {{{"name", "A"}, {"values", {nullptr, {32, 4}, {64, 2}}}},
                         {{"name", "B"}, {"values", {1, "auto"}}}};
  EXPECT_EQ(evaluations_of(first), 6u);
}

TEST(AskSession, RefusesWhatItDoesNotUnderstand) {
  const auto refused = [](const json& first) {
    AskSession session;
    const auto lines = session.hear(first.dump());
    return lines.ok() ? std::string() : lines.error().message;
  };
  json bad = header(5);
  bad["budget"] = 0;
  EXPECT_NE(refused(bad).find("budget"), std::string::npos);
  bad = header(5);
  bad["configurations"][3] = {1, "x"};
  EXPECT_NE(refused(bad).find("configuration 3"), std::string::npos);
  bad = header(5);
  bad["counters"] = {1, 2};
  EXPECT_NE(refused(bad).find("counters"), std::string::npos);
  EXPECT_FALSE(refused({{"parameters", 5}}).empty());
  AskSession session;
  EXPECT_FALSE(session.hear("[1, 2").ok());
  EXPECT_FALSE(session.hear(std::string(100000, '[')).ok());
  ASSERT_TRUE(session.hear(header(5).dump()).ok());
  EXPECT_FALSE(session.hear(R"({"hello": 1})").ok());
  EXPECT_TRUE(session.hear("  \r").ok());
}

}  // namespace
}  // namespace assay::tune
