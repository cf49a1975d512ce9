// SPDX-License-Identifier: MIT
#include "work/evolve_step.hpp"

#include <nlohmann/json.hpp>

#include "work/document.hpp"
#include "work/optional_json.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

template <class Value>
std::optional<Value> optional_of(const json& document, const char* name) {
  const auto found = document.find(name);
  return found == document.end() || found->is_null() ? std::nullopt : std::optional(found->get<Value>());
}

EvolvedShape shape_from(const json& document) {
  EvolvedShape shape;
  shape.shape = document.at("shape");
  shape.drawn = document.value("drawn", false);
  shape.time_us = document.at("time_us");
  shape.incumbent_us = document.value("other_us", 0.0);
  shape.ratio = document.at("ratio");
  if (const json& interval = document.at("interval"); !interval.is_null()) {
    shape.low = interval.at(0).get<double>();
    shape.high = interval.at(1).get<double>();
  }
  return shape;
}

EvolveCosts costs_from(const json& document) {
  EvolveCosts costs;
  costs.proposer_s = document.at("proposer_s");
  costs.compile_s = document.at("compile_s");
  costs.virtual_s = document.at("virtual_gpu_s");
  costs.gpu_s = document.at("gpu_s");
  costs.tokens_in = document.at("tokens_in");
  costs.tokens_out = document.at("tokens_out");
  costs.money = document.at("money");
  return costs;
}

}  // namespace

json cell_document(const evolve::Cell& cell) {
  return {{"limiter", cell.limiter},
          {"shared_memory", cell.shared_memory},
          {"stages", cell.stages},
          {"work_per_thread", cell.work_per_thread}};
}

json verdict_document(const EvolvedShape& shape, const std::string& known) {
  json document{{"shape", shape.shape},     {"drawn", shape.drawn},           {"known", known},
                {"time_us", shape.time_us}, {"other_us", shape.incumbent_us}, {"ratio", shape.ratio},
                {"interval", json()}};
  if (shape.low && shape.high) document["interval"] = {*shape.low, *shape.high};
  return document;
}

json costs_document(const EvolveCosts& costs) {
  return {{"proposer_s", costs.proposer_s},
          {"compile_s", costs.compile_s},
          {"virtual_gpu_s", costs.virtual_s},
          {"gpu_s", costs.gpu_s},
          {"tokens_in", costs.tokens_in},
          {"tokens_out", costs.tokens_out},
          {"money", costs.money}};
}

json step_document(const EvolveStep& step, const std::string& known) {
  json verdicts = json::array();
  for (const EvolvedShape& each : step.shapes) verdicts.push_back(verdict_document(each, known));
  return {{"proposal", step.proposal},
          {"parent", step.parent},
          {"id", step.id},
          {"verdict", step.verdict},
          {"gate", step.gate},
          {"text", step.text},
          {"hypothesis", step.hypothesis},
          {"counter", step.counter},
          {"hypothesis_held", or_null(step.hypothesis_held)},
          {"seed", step.seed},
          {"ratio", or_null(step.ratio)},
          {"cell", step.cell},
          {"diff", step.diff},
          {"verdicts", std::move(verdicts)},
          {"costs", costs_document(step.costs)},
          {"device", step.device}};
}

std::optional<EvolveStep> step_from(const json& document) {
  try {
    EvolveStep step;
    step.proposal = document.at("proposal");
    step.parent = document.at("parent");
    step.id = document.at("id");
    step.verdict = document.at("verdict");
    step.gate = document.at("gate");
    step.text = document.at("text");
    step.hypothesis = document.at("hypothesis");
    step.counter = document.at("counter");
    step.hypothesis_held = optional_of<bool>(document, "hypothesis_held");
    step.seed = document.at("seed");
    step.ratio = optional_of<double>(document, "ratio");
    step.cell = document.at("cell");
    step.diff = document.at("diff");
    for (const json& each : document.at("verdicts")) step.shapes.push_back(shape_from(each));
    step.costs = costs_from(document.at("costs"));
    step.device = document.value("device", "");
    return step;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

json judged_document(const JudgedProposal& judged, const evolve::Candidate& first, const std::string& known) {
  evolve::Answer change;  // has the form that we need
  for (const auto& [path, content] : judged.candidate.files) {
    const auto same = first.files.find(path);
    if (same == first.files.end() || same->second != content) change.files[path] = content;
  }
  change.tunables = judged.candidate.tunables;
  change.constraints = judged.candidate.constraints;
  json document = step_document(judged.step, known);
  document["candidate"] = {{"id", judged.candidate.id},
                           {"configuration", judged.candidate.configuration},
                           {"change", evolve::to_json(change)}};
  document["hash"] = judged.hash;
  document["kind"] = judged.cell ? cell_document(*judged.cell) : json();
  return document;
}

std::optional<JudgedProposal> judged_from(const json& document, const evolve::Candidate& first) {
  auto step = step_from(document);
  if (!step) return std::nullopt;
  try {
    JudgedProposal judged;
    judged.step = std::move(*step);
    judged.hash = document.at("hash");
    const json& candidate = document.at("candidate");
    if (const auto id = candidate.at("id").get<std::string>(); !id.empty()) {
      const json& change = candidate.at("change");
      judged.candidate.files = first.files;
      for (auto& [path, content] : change.value("files", evolve::Files())) judged.candidate.files[path] = content;
      for (const json& each : change.value("tunables", json::array())) {
        evolve::NewTunable tunable{each.at("name"), {}};
        for (const json& value : each.at("values")) {
          if (value.is_boolean()) {
            tunable.values.emplace_back(value.get<bool>());
          } else {
            tunable.values.emplace_back(value.get<int64_t>());
          }
        }
        judged.candidate.tunables.push_back(std::move(tunable));
      }
      judged.candidate.constraints = change.value("constraints", std::vector<std::string>());
      judged.candidate.configuration = candidate.at("configuration");
      judged.candidate.id = evolve::id_of(judged.candidate);
      if (judged.candidate.id != id) return std::nullopt;
    }
    if (const json& kind = document.at("kind"); !kind.is_null())
      judged.cell =
          evolve::Cell{kind.at("limiter"), kind.at("shared_memory"), kind.at("stages"), kind.at("work_per_thread")};
    judged.step.recalled = true;
    return judged;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

void add(EvolveCosts& sum, const EvolveCosts& further) {
  sum.proposer_s += further.proposer_s;
  sum.compile_s += further.compile_s;
  sum.virtual_s += further.virtual_s;
  sum.gpu_s += further.gpu_s;
  sum.tokens_in += further.tokens_in;
  sum.tokens_out += further.tokens_out;
  sum.money += further.money;
}

json report_document(const EvolveReport& report, const spec::KernelSpec& spec) {
  json document = document_head("evolve", spec, "", report.device);
  document.erase("configuration");
  document["known"] = report.known;
  document["evolution"] = report.evolution;
  document["first"] = report.first;
  document["best"] = report.best;
  document["speedup"] = report.speedup;
  document["accepted"] = report.accepted;
  document["recalled"] = report.recalled;
  document["stopped"] = report.stopped;
  document["steps"] = json::array();
  for (const EvolveStep& each : report.steps) document["steps"].push_back(step_document(each, report.known));
  document["archive"] = json::array();
  for (const EvolvedCell& each : report.archive)
    document["archive"].push_back({{"cell", each.cell}, {"id", each.id}, {"ratio", each.ratio}});
  document["costs"] = costs_document(report.costs);
  if (!report.devices.empty()) {
    document["workers_started"] = report.workers_started;
    document["judged_again"] = report.judged_again;
    for (const EvolveDevice& each : report.devices)
      document["devices"].push_back({{"device", each.worker.device},
                                     {"gpu", each.worker.gpu},
                                     {"hosts", each.worker.hosts},
                                     {"judged", each.worker.answers},
                                     {"verdict", each.verdict},
                                     {"gate", each.gate},
                                     {"text", each.text},
                                     {"ratio", or_null(each.ratio)},
                                     {"disagrees", each.disagrees}});
  }
  // What a percent of speed has cost, where there is one.
  const double percent = 100 * (report.speedup - 1);
  document["money_per_percent"] = percent > 0 ? json(report.costs.money / percent) : json();
  document["diagnosis"] = report.diagnosis;
  document["started_anew"] = report.started_anew;
  document["journal"] = report.journal;
  document["diff"] = report.diff;
  document["written"] = report.written;
  return document;
}

}  // namespace assay::work
