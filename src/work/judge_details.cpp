// SPDX-License-Identifier: MIT
#include "work/judge_details.hpp"

#include <nlohmann/json.hpp>

namespace assay::work {
namespace {

using nlohmann::json;

json document_of(const JudgedTaskCase& judged) {
  json baselines = json::array();
  for (const JudgedBaseline& baseline : judged.baselines) {
    json entry = {{"name", baseline.name}, {"p50_us", baseline.p50_us}, {"verdict", baseline.verdict}};
    if (baseline.speedup) entry["speedup"] = *baseline.speedup;
    if (baseline.speedup) entry["interval"] = {baseline.low, baseline.high};
    baselines.push_back(std::move(entry));
  }
  json entry = {{"case", judged.name},
                {"timed", judged.timed},
                {"correct", judged.correct},
                {"honest", judged.honest},
                {"guard", judged.guard},
                {"detail", judged.detail},
                {"baselines", baselines},
                {"guards_unavailable", judged.unavailable},
                {"stream", judged.default_stream ? "default" : "own"}};
  if (judged.p50_us) entry["p50_us"] = *judged.p50_us;
  if (judged.attempt) entry["attempt"] = *judged.attempt;
  return entry;
}

JudgedTaskCase case_from(const json& document) {
  JudgedTaskCase judged;
  judged.name = document.at("case").get<std::string>();
  judged.timed = document.at("timed").get<bool>();
  judged.correct = document.at("correct").get<bool>();
  judged.honest = document.at("honest").get<bool>();
  judged.guard = document.at("guard").get<std::string>();
  judged.detail = document.at("detail").get<std::string>();
  judged.unavailable = document.at("guards_unavailable").get<std::vector<std::string>>();
  judged.default_stream = document.at("stream").get<std::string>() == "default";
  if (document.contains("p50_us")) judged.p50_us = document["p50_us"].get<double>();
  if (document.contains("attempt")) judged.attempt = document["attempt"].get<int64_t>();
  for (const json& entry : document.at("baselines")) {
    JudgedBaseline baseline;
    baseline.name = entry.at("name").get<std::string>();
    baseline.p50_us = entry.at("p50_us").get<double>();
    baseline.verdict = entry.at("verdict").get<std::string>();
    if (entry.contains("speedup")) {
      baseline.speedup = entry["speedup"].get<double>();
      baseline.low = entry.at("interval").at(0).get<double>();
      baseline.high = entry.at("interval").at(1).get<double>();
    }
    judged.baselines.push_back(std::move(baseline));
  }
  return judged;
}

}  // namespace

json document_of(const JudgedSubmission& judged) {
  json cases = json::array();
  for (const JudgedTaskCase& each : judged.cases) cases.push_back(document_of(each));
  json speedups = json::object();
  for (const auto& [name, speedup] : judged.speedups) speedups[name] = speedup;
  return {{"task", judged.task},     {"submission", judged.submission},
          {"runs", judged.runs},     {"correct", judged.correct},
          {"honest", judged.honest}, {"guard", judged.guard},
          {"detail", judged.detail}, {"cases", cases},
          {"speedups", speedups}};
}

std::optional<JudgedSubmission> submission_from(const json& document) {
  try {
    JudgedSubmission judged;
    judged.task = document.at("task").get<std::string>();
    judged.submission = document.at("submission").get<std::string>();
    judged.runs = document.at("runs").get<bool>();
    judged.correct = document.at("correct").get<bool>();
    judged.honest = document.at("honest").get<bool>();
    judged.guard = document.at("guard").get<std::string>();
    judged.detail = document.at("detail").get<std::string>();
    for (const json& each : document.at("cases")) judged.cases.push_back(case_from(each));
    for (const auto& [name, speedup] : document.at("speedups").items())
      judged.speedups.emplace_back(name, speedup.get<double>());
    return judged;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace assay::work
