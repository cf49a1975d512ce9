// SPDX-License-Identifier: MIT
#include "evolve/answer.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "evolve/schema.hpp"

namespace assay::evolve {
namespace {

using nlohmann::json;

Error wrong(const std::string& what) {
  return Error{
      what, {}, "docs/schemas/evolve_answer.v1.json describes the answer; assay evolve --validate FILE checks it"};
}

Hypothesis read_hypothesis(const json& value) {
  return {value.value("text", ""), value.value("counter", ""), value.value("direction", "")};
}

ProposerCosts read_costs(const json& value) {
  return {value.value("tokens_in", 0.0), value.value("tokens_out", 0.0), value.value("money", 0.0),
          value.value("seconds", 0.0)};
}

NewTunable read_tunable(const json& value) {
  NewTunable tunable{value.at("name"), {}};
  for (const json& each : value.at("values")) {
    if (each.is_boolean()) {
      tunable.values.emplace_back(each.get<bool>());
    } else {
      tunable.values.emplace_back(each.get<int64_t>());
    }
  }
  return tunable;
}

}  // namespace

Result<Answer> read_answer(const std::string& text, size_t proposal) {
  if (trim(text).empty()) return Answer{};
  auto read = read_document(text);
  if (!read) return wrong("the answer " + read.error().message);
  const json& document = *read;
  if (document.is_object() && document.empty()) return Answer{};
  if (const std::string violated = violation(schema_named("evolve_answer.v1.json"), document); !violated.empty())
    return wrong("the answer: " + violated);
  if (const auto found = document.find("proposal"); found != document.end() && *found != proposal)
    return wrong(fmt::format("the answer is for proposal {}, asked was {}", found->dump(), proposal));
  Answer answer;
  answer.diff = document.value("diff", "");
  if (const auto files = document.find("files"); files != document.end()) answer.files = files->get<Files>();
  if (!answer.diff.empty() && !answer.files.empty())
    return wrong("the answer has both a diff and files: one is enough");
  for (const json& each : document.value("tunables", json::array())) answer.tunables.push_back(read_tunable(each));
  answer.constraints = document.value("constraints", std::vector<std::string>());
  answer.hypothesis = read_hypothesis(document.value("hypothesis", json::object()));
  answer.costs = read_costs(document.value("costs", json::object()));
  if (!answer.passes() && answer.hypothesis.text.empty())
    return wrong("the answer has no hypothesis: one line that says what is changed and why");
  return answer;
}

json to_json(const Answer& answer) {
  json document = json::object();
  if (!answer.diff.empty()) document["diff"] = answer.diff;
  if (!answer.files.empty()) document["files"] = answer.files;
  for (const NewTunable& each : answer.tunables) {
    json values = json::array();
    for (const auto& value : each.values) std::visit([&](const auto& exact) { values.push_back(exact); }, value);
    document["tunables"].push_back({{"name", each.name}, {"values", values}});
  }
  if (!answer.constraints.empty()) document["constraints"] = answer.constraints;
  if (!answer.hypothesis.text.empty()) {
    document["hypothesis"] = {{"text", answer.hypothesis.text}};
    if (!answer.hypothesis.counter.empty()) document["hypothesis"]["counter"] = answer.hypothesis.counter;
    if (!answer.hypothesis.direction.empty()) document["hypothesis"]["direction"] = answer.hypothesis.direction;
  }
  document["costs"] = {{"tokens_in", answer.costs.tokens_in},
                       {"tokens_out", answer.costs.tokens_out},
                       {"money", answer.costs.money},
                       {"seconds", answer.costs.seconds}};
  return document;
}

}  // namespace assay::evolve
