// SPDX-License-Identifier: MIT
#include "tune/ask_session.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "tune/json_space.hpp"
#include "tune/prediction.hpp"
#include "tune/race.hpp"
#include "tune/strategy.hpp"

namespace assay::tune {
namespace {

using nlohmann::json;

constexpr size_t kMostBudget = 1'000'000;
constexpr size_t kMostBatch = 1024;
constexpr int kMostDepth = 32;

// Depth is bounded before anything is parsed.
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMostDepth) return true;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return false;
}

// Python's json writes NaN and Infinity, which JSON lacks: whatever is not a number is not known.
std::string without_odd_numbers(std::string_view text) {
  static constexpr std::string_view words[] = {"NaN", "-NaN", "Infinity", "-Infinity"};
  std::string clean;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto* const word =
        quoted ? std::end(words)
               : std::ranges::find_if(words, [&](std::string_view each) { return text.substr(i).starts_with(each); });
    if (word != std::end(words)) {
      clean += "null";
      i += word->size() - 1;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    clean += text[i];
    if (quoted && text[i] == '\\' && i + 1 < text.size()) clean += text[++i];
  }
  return clean;
}

json parse_line(std::string_view line) {
  json object = json::parse(line, nullptr, false);
  if (object.is_discarded() &&
      (line.find("NaN") != std::string_view::npos || line.find("Infinity") != std::string_view::npos))
    object = json::parse(without_odd_numbers(line), nullptr, false);
  return object;
}

// Some write every member in every reply.
bool says_error(const json& reply) {
  const auto error = reply.find("error");
  return error != reply.end() && !error->is_null() && *error != false && *error != "";
}

Result<size_t> whole_number(const json& object, const char* name, size_t otherwise, size_t least, size_t most) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return otherwise;
  if (!found->is_number()) return Error{fmt::format("'{}' is not a number", name)};
  const double value = found->get<double>();
  if (!(value >= static_cast<double>(least) && value <= static_cast<double>(most)) || value != std::floor(value))
    return Error{fmt::format("'{}' is not a whole number from {} to {}", name, least, most)};
  return static_cast<size_t>(value);
}

// A time that no kernel takes is another way to say that a configuration failed, as null or a word is.
constexpr double kImpossible = 1e15;  // milliseconds

bool is_time(const json& value) {
  return value.is_number() && value.get<double>() > 0 && value.get<double>() < kImpossible;
}

std::optional<double> time_in(const json& value) {  // of a list the mean of what is a time
  if (is_time(value)) return value.get<double>();
  if (!value.is_array()) return std::nullopt;
  double sum = 0;
  size_t count = 0;
  for (const json& each : value) {
    if (!is_time(each)) continue;
    sum += each.get<double>();
    ++count;
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

struct Reply {
  std::optional<double> milliseconds;  // the mean of the samples; empty: it failed
  std::optional<size_t> left;

  std::vector<double> heat() const { return milliseconds ? std::vector{*milliseconds} : std::vector<double>{}; }
};

Result<Reply> read_reply(const json& object) {
  Reply reply;
  if (const auto left = object.find("left"); left != object.end() && !left->is_null()) {
    ASSAY_TRY(reply.left, whole_number(object, "left", 0, 0, kMostBudget));
  }
  if (says_error(object)) return reply;
  const auto time = object.find("milliseconds");
  if (time == object.end())
    return Error{"a reply has neither 'milliseconds' nor 'error'",
                 {},
                 R"(expected {"milliseconds": 0.21} or {"error": "does not compile"})"};
  reply.milliseconds = time_in(*time);
  return reply;
}

}  // namespace

struct AskSession::Search {
  JsonSpace described;
  uint64_t seed = 1;
  size_t batch = 1;
  size_t left = 0;
  std::unique_ptr<Strategy> strategy;
  std::deque<size_t> asked;  // questions that are not answered yet, the oldest first
  std::map<size_t, double> times;
  size_t evaluations = 0;
  size_t finalist_samples = 0;  // that each finalist has: the last evaluation asks for as many
  std::optional<Race> race;
  bool racing = false;
  bool raced = false;
  bool alone = false;  // there was nobody to race with
  bool exhausted = false;

  static Result<std::unique_ptr<Search>> open(const json& header);
  Result<std::vector<std::string>> hear(const json& object);
  std::vector<std::string> go_on();
  std::vector<std::string> ask_for_evaluations();
  std::vector<std::string> ask_race();
  std::string question(size_t configuration, size_t samples) const;
  std::string answer() const;
  bool done = false;
};

Result<std::unique_ptr<AskSession::Search>> AskSession::Search::open(const json& header) {
  auto search = std::make_unique<Search>();
  ASSAY_TRY(search->described, read_json_space(header));
  ASSAY_TRY(search->seed, whole_number(header, "seed", 1, 0, size_t{1} << 53));
  ASSAY_TRY(search->left, whole_number(header, "budget", 200, 1, kMostBudget));
  ASSAY_TRY(search->batch, whole_number(header, "batch", 1, 1, kMostBatch));
  StrategyOptions options{search->seed, search->left, {}, demands_by_kind(search->described.counters)};
  ASSAY_TRY(search->strategy, make_strategy("model", *search->described.space, options));
  return search;
}

std::string AskSession::Search::question(size_t configuration, size_t samples) const {
  json line{{"evaluate", described.configuration(configuration)}};
  if (samples > 0) line["samples"] = samples;
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<std::vector<std::string>> AskSession::Search::hear(const json& object) {
  ASSAY_TRY(const Reply reply, read_reply(object));
  const size_t configuration = asked.front();
  asked.pop_front();
  if (racing) {
    race->add(configuration, reply.heat());
  } else {
    ++evaluations;
    left = reply.left ? *reply.left : left - std::min<size_t>(left, 1);
    strategy->tell(configuration, {reply.milliseconds});
    if (reply.milliseconds) times[configuration] = *reply.milliseconds;
    // The one that was evaluated after the race has as many samples as the finalists.
    if (race && reply.milliseconds) race->join(configuration, reply.heat());
  }
  if (!asked.empty()) return std::vector<std::string>{};
  return go_on();
}

std::vector<std::string> AskSession::Search::go_on() {
  if (racing) {
    std::vector<std::string> lines = ask_race();
    if (!lines.empty()) return lines;
    racing = false;
    raced = true;
    // Where nobody answers a second time there was no race.
    if (std::ranges::none_of(race->standings(), &RaceStanding::tied)) race.reset();
  }
  // The race takes place before the last evaluation, so that an answer follows when nothing is left.
  const bool last = left <= batch && !raced;
  if ((last || exhausted) && !raced && !times.empty() && (left == 0 || evaluations > 0)) {
    std::vector<std::pair<double, size_t>> near;
    for (const auto& [configuration, time] : times) near.emplace_back(time, configuration);
    std::ranges::sort(near);
    const std::vector<size_t> runners = finalists(near);
    // One that nobody comes near to and nobody will: further samples would decide nothing.
    alone = runners.size() == 1 && (left == 0 || exhausted);
    raced = alone;
    racing = !alone;
    if (racing) race.emplace(runners, RaceOptions{}, seed);
    return go_on();
  }
  if (left > 0 && !exhausted) {
    std::vector<std::string> lines = ask_for_evaluations();
    if (!lines.empty()) return lines;
    exhausted = true;
    return go_on();
  }
  done = true;
  return {answer()};
}

std::vector<std::string> AskSession::Search::ask_for_evaluations() {
  std::vector<std::string> lines;
  for (const size_t pick : strategy->propose(std::min(batch, left))) {
    asked.push_back(pick);
    lines.push_back(question(pick, raced ? finalist_samples : 0));
  }
  return lines;
}

std::vector<std::string> AskSession::Search::ask_race() {
  const auto heat = race->next();
  if (!heat) return {};
  asked.push_back(heat->configuration);
  finalist_samples = heat->samples * 2;
  return {question(heat->configuration, heat->samples)};
}

std::string AskSession::Search::answer() const {
  json line{{"answer", nullptr}, {"tie_group", json::array()}, {"evaluations", evaluations}};
  const std::vector<RaceStanding> standings = race ? race->standings() : std::vector<RaceStanding>{};
  if (!standings.empty()) {
    line["answer"] = described.configuration(standings.front().configuration);
    line["milliseconds"] = standings.front().milliseconds;
    line["regret_bound"] = race->regret_bound();
    for (const RaceStanding& each : standings) {
      if (each.tied) line["tie_group"].push_back(described.configuration(each.configuration));
    }
  } else if (!times.empty()) {
    const auto best = std::ranges::min_element(times, {}, [](const auto& each) { return each.second; });
    line["answer"] = described.configuration(best->first);
    line["milliseconds"] = best->second;
    if (alone) line["regret_bound"] = 0.0;
    line["tie_group"].push_back(described.configuration(best->first));
  }
  return line.dump(-1, ' ', false, json::error_handler_t::replace);
}

AskSession::AskSession() = default;
AskSession::~AskSession() = default;

bool AskSession::waiting() const {
  return search_ != nullptr;
}

Result<std::vector<std::string>> AskSession::hear(std::string_view line) {
  ++line_;
  const auto wrong = [&](const Error& error) {
    Error placed = error;
    placed.place = {"standard input", static_cast<int>(std::min<size_t>(line_, 1'000'000'000)), 0};
    return placed;
  };
  if (line.size() > kMaxAskLine) return wrong(Error{"the line is longer than 512 MiB"});
  if (line.find_first_not_of(" \t\r\n") == std::string_view::npos) return std::vector<std::string>{};
  if (too_deep(line)) return wrong(Error{"the JSON is nested too deeply"});
  const json object = parse_line(line);
  if (!object.is_object())
    return wrong(Error{"this is not a JSON object on one line", {}, "a number beyond 1.8e308 is none either"});
  if (search_ == nullptr) {
    auto search = Search::open(object);
    if (!search) return wrong(search.error());
    search_ = std::move(*search);
    std::vector<std::string> lines = search_->go_on();
    if (search_->done) search_.reset();
    return lines;
  }
  auto lines = search_->hear(object);
  if (!lines) return wrong(lines.error());
  if (search_->done) search_.reset();
  return lines;
}

}  // namespace assay::tune
