// SPDX-License-Identifier: MIT
#include "work/evolve_exchange.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/evolve.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/version.hpp"
#include "work/document.hpp"
#include "work/evolve_step.hpp"
#include "work/evolve_trial.hpp"
#include "work/optional_json.hpp"

namespace assay::work {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kDocumentLimit = size_t{64} << 20;

template <class Value>
std::optional<Value> optional_of(const json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<Value>());
}

Error damaged(const fs::path& file, const std::string& what) {
  return Error{fmt::format("this is no request for a judging of version {}: {}", kVersion, what), Place{file.string()},
               "the command and its workers must be the same version of assay", ExitCode::environment};
}

json tunables_document(const std::vector<evolve::NewTunable>& tunables) {
  evolve::Answer answer;  // has the form that we need
  answer.tunables = tunables;
  return evolve::to_json(answer).value("tunables", json::array());
}

std::vector<evolve::NewTunable> tunables_from(const json& document) {
  std::vector<evolve::NewTunable> tunables;
  for (const json& each : document) {
    evolve::NewTunable tunable{each.at("name"), {}};
    for (const json& value : each.at("values")) {
      if (value.is_boolean()) {
        tunable.values.emplace_back(value.get<bool>());
      } else {
        tunable.values.emplace_back(value.get<int64_t>());
      }
    }
    tunables.push_back(std::move(tunable));
  }
  return tunables;
}

json limits_document(const CaseLimits& limits) {
  return {{"time_s", limits.time_s}, {"instructions", limits.instructions}};
}

CaseLimits limits_from(const json& document) {
  CaseLimits limits;
  limits.time_s = document.at("time_s");
  limits.instructions = document.at("instructions");
  return limits;
}

json costs_document(const JudgingCosts& costs) {
  return {{"compile_s", costs.compile_s}, {"virtual_s", costs.virtual_s}, {"gpu_s", costs.gpu_s}};
}

JudgingCosts judging_costs_from(const json& document) {
  return {document.at("compile_s"), document.at("virtual_s"), document.at("gpu_s")};
}

// Of hypotheses only the one in question matters.
json tabu_document(const JudgingRequest& request) {
  return {{"kernels", request.tabu.kernels()},
          {"losses", request.tabu.losses(request.parent.id, request.answer.hypothesis.text)}};
}

evolve::Tabu tabu_from(const json& document, const JudgingRequest& request) {
  evolve::Tabu tabu;
  for (const auto& [hash, proposal] : document.at("kernels").get<std::map<std::string, size_t>>())
    tabu.add_kernel(hash, proposal);
  const size_t losses = std::min(document.at("losses").get<size_t>(), size_t{1000});
  for (size_t i = 0; i < losses; ++i) tabu.add_loss(request.parent.id, request.answer.hypothesis.text);
  return tabu;
}

json shape_document(const evolve::RaceShape& shape) {
  return {{"shape", shape.shape},        {"drawn", shape.drawn},
          {"time_us", shape.time_us},    {"incumbent_us", shape.incumbent_us},
          {"ratio", shape.ratio},        {"low", or_null(shape.low)},
          {"high", or_null(shape.high)}, {"verdict", shape.verdict}};
}

evolve::RaceShape race_shape_from(const json& document) {
  evolve::RaceShape shape;
  shape.shape = document.at("shape");
  shape.drawn = document.at("drawn");
  shape.time_us = document.at("time_us");
  shape.incumbent_us = document.at("incumbent_us");
  shape.ratio = document.at("ratio");
  shape.low = optional_of<double>(document.at("low"));
  shape.high = optional_of<double>(document.at("high"));
  shape.verdict = document.at("verdict");
  return shape;
}

// --- reading what the store has written
class RequestReader {
 public:
  explicit RequestReader(fs::path file) : file_(std::move(file)), folder_(file_.parent_path().parent_path()) {}

  Result<json> document() const {
    ASSAY_TRY(const std::string text, read_file(file_, kDocumentLimit));
    json document = json::parse(text, nullptr, false);
    if (!document.is_object()) return damaged(file_, "no JSON object");
    if (document.value("assay", "") != kVersion)
      return damaged(file_, fmt::format("it is of version '{}'", document.value("assay", "")));
    return document;
  }

  Result<JudgingRequest> judging(const json& document) const {
    try {
      return read(document);
    } catch (const json::exception& problem) {
      return damaged(file_, problem.what());
    }
  }

  Result<FirstRequest> first(const json& document) const {
    try {
      const json& asked = document.at("first");
      FirstRequest request;
      request.kernel = asked.at("kernel");
      request.configuration = asked.at("configuration");
      request.device = asked.at("device");
      request.baseline = asked.at("baseline");
      request.beside_baseline = asked.at("beside_baseline");
      request.seed = asked.at("seed");
      request.limits = limits_from(asked.at("limits"));
      request.record = nowhere();
      return request;
    } catch (const json::exception& problem) {
      return damaged(file_, problem.what());
    }
  }

 private:
  Result<evolve::Files> files(const json& hashes) const {
    evolve::Files files;
    for (const auto& [path, hash] : hashes.get<std::map<std::string, std::string>>()) {
      ASSAY_TRY(files[path], read_file(folder_ / "files" / fs::path(hash).filename(), size_t{1} << 30));
      if (content_hash(files[path]) != hash) return damaged(file_, fmt::format("'{}' is damaged", path));
    }
    return files;
  }

  Result<evolve::Candidate> candidate(const json& document) const {
    evolve::Candidate candidate;
    ASSAY_TRY(candidate.files, files(document.at("files")));
    candidate.tunables = tunables_from(document.at("tunables"));
    candidate.constraints = document.at("constraints").get<std::vector<std::string>>();
    candidate.configuration = document.at("configuration");
    candidate.id = evolve::id_of(candidate);
    if (candidate.id != document.at("id").get<std::string>())
      return damaged(file_, "a candidate is not what it is called");
    return candidate;
  }

  Result<KernelSnapshot> snapshot(const json& document) const {
    KernelSnapshot snapshot;
    snapshot.folder = document.at("folder").get<std::string>();
    snapshot.specification_file = document.at("specification_file");
    ASSAY_TRY(snapshot.files, files(document.at("files")));
    const auto text = snapshot.files.find(snapshot.specification_file);
    if (text == snapshot.files.end()) return damaged(file_, "it has no specification");
    snapshot.original.text = text->second;
    snapshot.original.tunables = document.at("tunables").get<std::set<std::string>>();
    snapshot.original.other_names = document.at("other_names").get<std::set<std::string>>();
    snapshot.original.configuration = document.at("configuration");
    snapshot.large_files = document.at("large_files").get<std::map<std::string, std::string>>();
    snapshot.outside = document.at("outside").get<std::map<std::string, std::string>>();
    snapshot.rules.may_change = document.at("may_change").get<std::set<std::string>>();
    snapshot.rules.there = document.at("there").get<std::set<std::string>>();
    snapshot.rules.includes = document.at("includes").get<std::set<std::string>>();
    snapshot.rules.words = document.at("words").get<std::set<std::string>>();
    return snapshot;
  }

  Result<JudgingRequest> read(const json& document) const {
    JudgingRequest request;
    ASSAY_TRY(request.snapshot, snapshot(document.at("snapshot")));
    ASSAY_TRY(request.parent, candidate(document.at("parent")));
    ASSAY_TRY(request.incumbent, candidate(document.at("incumbent")));
    ASSAY_TRY(request.answer, evolve::read_answer(document.at("answer").dump(), 0));
    request.configuration = document.at("configuration");
    const json& facts = document.at("first_facts");
    request.first_facts = {facts.at("looks_at").get<std::set<std::string>>(),
                           facts.at("keeps").get<std::set<std::string>>(), facts.at("stages")};
    request.tabu = tabu_from(document.at("tabu"), request);
    const json& rule = document.at("rule");
    request.rule = {rule.at("gain"), rule.at("gaining_shapes"), rule.at("margin")};
    request.device = document.at("device");
    request.virtual_device = document.at("virtual_device");
    request.seed = document.at("seed");
    request.held_out = document.at("held_out");
    request.build_seconds = document.at("build_seconds");
    request.limits = limits_from(document.at("limits"));
    request.record = nowhere();
    return request;
  }

  const fs::path file_;
  const fs::path folder_;
};

}  // namespace

Result<json> JudgingStore::keep(const evolve::Files& files) const {
  json hashes = json::object();
  for (const auto& [path, content] : files) {
    const std::string hash = content_hash(content);
    std::error_code failed;
    const fs::path file = folder_ / "files" / hash;
    if (!fs::exists(file, failed)) ASSAY_CHECK(create_file(file, content));
    hashes[path] = hash;
  }
  return hashes;
}

Result<json> JudgingStore::keep(const evolve::Candidate& candidate) const {
  ASSAY_TRY(json files, keep(candidate.files));
  return json{{"id", candidate.id},
              {"files", std::move(files)},
              {"tunables", tunables_document(candidate.tunables)},
              {"constraints", candidate.constraints},
              {"configuration", candidate.configuration}};
}

Result<fs::path> JudgingStore::write(const json& document) const {
  const std::string text = document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  const fs::path file = fs::absolute(folder_) / "judgings" / (content_hash(text) + ".json");
  ASSAY_CHECK(create_file(file, text));
  return file;
}

Result<fs::path> JudgingStore::write(const FirstRequest& request) const {
  std::error_code failed;
  fs::create_directories(folder_ / "judgings", failed);
  return write(json{{"assay", kVersion},
                    {"first",
                     {{"kernel", request.kernel},
                      {"configuration", request.configuration},
                      {"device", request.device},
                      {"baseline", request.baseline},
                      {"beside_baseline", request.beside_baseline},
                      {"seed", request.seed},
                      {"limits", limits_document(request.limits)}}}});
}

Result<fs::path> JudgingStore::write(const JudgingRequest& request) const {
  std::error_code failed;
  fs::create_directories(folder_ / "files", failed);
  fs::create_directories(folder_ / "judgings", failed);
  const KernelSnapshot& snapshot = request.snapshot;
  ASSAY_TRY(json files, keep(snapshot.files));
  ASSAY_TRY(json parent, keep(request.parent));
  ASSAY_TRY(json incumbent, keep(request.incumbent));
  json document{{"assay", kVersion}};
  document["snapshot"] = {{"folder", snapshot.folder.string()},
                          {"specification_file", snapshot.specification_file},
                          {"files", std::move(files)},
                          {"tunables", snapshot.original.tunables},
                          {"other_names", snapshot.original.other_names},
                          {"configuration", snapshot.original.configuration},
                          {"large_files", snapshot.large_files},
                          {"outside", snapshot.outside},
                          {"may_change", snapshot.rules.may_change},
                          {"there", snapshot.rules.there},
                          {"includes", snapshot.rules.includes},
                          {"words", snapshot.rules.words}};
  document["parent"] = std::move(parent);
  document["incumbent"] = std::move(incumbent);
  document["answer"] = evolve::to_json(request.answer);
  document["configuration"] = request.configuration;
  document["first_facts"] = {{"looks_at", request.first_facts.looks_at},
                             {"keeps", request.first_facts.keeps},
                             {"stages", request.first_facts.stages}};
  document["tabu"] = tabu_document(request);
  document["rule"] = {
      {"gain", request.rule.gain}, {"gaining_shapes", request.rule.gaining_shapes}, {"margin", request.rule.margin}};
  document["device"] = request.device;
  document["virtual_device"] = request.virtual_device;
  document["seed"] = request.seed;
  document["held_out"] = request.held_out;
  document["build_seconds"] = request.build_seconds;
  document["limits"] = limits_document(request.limits);
  return write(document);
}

Result<JudgingRequest> read_judging_request(const fs::path& file) {
  const RequestReader reader(file);
  ASSAY_TRY(const json document, reader.document());
  return reader.judging(document);
}

json judging_document(const Judging& judging) {
  json shapes = json::array();
  for (const evolve::RaceShape& each : judging.shapes) shapes.push_back(shape_document(each));
  return {{"verdict", judging.verdict},
          {"gate", judging.gate},
          {"text", judging.text},
          {"id", judging.candidate.id},
          {"configuration", judging.candidate.configuration},
          {"hash", judging.hash},
          {"shapes", std::move(shapes)},
          {"hypothesis_held", or_null(judging.hypothesis_held)},
          {"cell", judging.cell ? cell_document(*judging.cell) : json()},
          {"costs", costs_document(judging.costs)}};
}

std::optional<Judging> judging_from(const json& document, const evolve::Candidate& parent, const evolve::Answer& answer,
                                    const evolve::FileRules& rules) {
  try {
    Judging judging;
    judging.verdict = document.at("verdict");
    judging.gate = document.at("gate");
    judging.text = document.at("text");
    judging.hash = document.at("hash");
    for (const json& each : document.at("shapes")) judging.shapes.push_back(race_shape_from(each));
    judging.hypothesis_held = optional_of<bool>(document.at("hypothesis_held"));
    if (const json& cell = document.at("cell"); !cell.is_null())
      judging.cell =
          evolve::Cell{cell.at("limiter"), cell.at("shared_memory"), cell.at("stages"), cell.at("work_per_thread")};
    judging.costs = judging_costs_from(document.at("costs"));
    if (const std::string id = document.at("id"); !id.empty()) {
      auto applied = evolve::apply_answer(parent, answer, rules);
      if (!applied || applied->id != id) return std::nullopt;
      judging.candidate = std::move(*applied);
      judging.candidate.configuration = document.at("configuration");
    }
    const bool known = judging.verdict == "accepted" || judging.verdict == "lost" || judging.verdict == "refused";
    return known ? std::optional(std::move(judging)) : std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

json first_document(const FirstTrial& trial) {
  return {{"virtual_device", trial.virtual_device},
          {"wrong", trial.wrong},
          {"times_us", trial.times_us},
          {"speed", or_null(trial.speed)},
          {"costs", costs_document(trial.costs)}};
}

std::optional<FirstTrial> first_from(const json& document) {
  try {
    FirstTrial trial;
    trial.virtual_device = document.at("virtual_device");
    trial.wrong = document.at("wrong");
    trial.times_us = document.at("times_us").get<std::map<std::string, double>>();
    trial.speed = optional_of<double>(document.at("speed"));
    trial.costs = judging_costs_from(document.at("costs"));
    return trial;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Result<std::string> judge_for_another(const std::string& file, const Context& context) {
  const RequestReader reader(file);
  ASSAY_TRY(const json asked, reader.document());
  json document = document_head("evolve");
  if (asked.contains("first")) {
    ASSAY_TRY(const FirstRequest request, reader.first(asked));
    ASSAY_TRY(const FirstTrial trial, try_first(request, context));
    document["first"] = first_document(trial);
  } else {
    ASSAY_TRY(const JudgingRequest request, read_judging_request(file));
    ASSAY_TRY(const Judging judging, judge_proposal(request, context));
    document["judging"] = judging_document(judging);
  }
  return document_text(document);
}

}  // namespace assay::work
