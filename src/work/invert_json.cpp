// SPDX-License-Identifier: MIT
#include "work/invert_json.hpp"

#include "invert/mutation.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

template <class T>
void put(json& document, const char* key, const std::optional<T>& value) {
  if (value) document[key] = *value;
}

template <class T>
void get(const json& document, const char* key, std::optional<T>& value) {
  if (document.contains(key)) value = document.at(key).get<T>();
}

}  // namespace

json to_json(const InvertedExperiment& experiment) {
  json document = {{"name", experiment.name},
                   {"kind", experiment.kind},
                   {"resource", experiment.resource},
                   {"dose", experiment.dose},
                   {"state", experiment.state},
                   {"why", experiment.why},
                   {"sites", experiment.sites},
                   {"counted",
                    {{"before", experiment.counted_before},
                     {"added", experiment.counted_added},
                     {"removed", experiment.counted_removed},
                     {"as_foretold", experiment.counts_foretold}}}};
  json ptxas = json::object();
  put(ptxas, "registers_before", experiment.registers_before);
  put(ptxas, "registers", experiment.registers);
  put(ptxas, "spill_bytes_before", experiment.spill_bytes_before);
  put(ptxas, "spill_bytes", experiment.spill_bytes);
  put(ptxas, "code_bytes_before", experiment.code_bytes_before);
  put(ptxas, "code_bytes", experiment.code_bytes);
  put(ptxas, "blocks_per_sm_before", experiment.blocks_per_sm_before);
  put(ptxas, "blocks_per_sm", experiment.blocks_per_sm);
  if (!ptxas.empty()) document["ptxas"] = std::move(ptxas);
  put(document, "estimated_ratio", experiment.estimated_ratio);
  if (experiment.measured_ratio) {
    document["measured_ratio"] = *experiment.measured_ratio;
    document["measured_interval"] = {experiment.measured_low, experiment.measured_high};
  }
  return document;
}

std::optional<InvertedExperiment> experiment_from(const json& value) {
  try {
    InvertedExperiment experiment;
    experiment.name = value.at("name").get<std::string>();
    experiment.kind = value.at("kind").get<std::string>();
    experiment.resource = value.at("resource").get<std::string>();
    experiment.dose = value.at("dose").get<int>();
    experiment.state = value.at("state").get<std::string>();
    experiment.why = value.at("why").get<std::string>();
    experiment.sites = value.at("sites").get<std::vector<std::string>>();
    const json& counted = value.at("counted");
    experiment.counted_before = counted.at("before").get<uint64_t>();
    experiment.counted_added = counted.at("added").get<uint64_t>();
    experiment.counted_removed = counted.at("removed").get<uint64_t>();
    experiment.counts_foretold = counted.at("as_foretold").get<bool>();
    if (value.contains("ptxas")) {
      const json& ptxas = value.at("ptxas");
      get(ptxas, "registers_before", experiment.registers_before);
      get(ptxas, "registers", experiment.registers);
      get(ptxas, "spill_bytes_before", experiment.spill_bytes_before);
      get(ptxas, "spill_bytes", experiment.spill_bytes);
      get(ptxas, "code_bytes_before", experiment.code_bytes_before);
      get(ptxas, "code_bytes", experiment.code_bytes);
      get(ptxas, "blocks_per_sm_before", experiment.blocks_per_sm_before);
      get(ptxas, "blocks_per_sm", experiment.blocks_per_sm);
    }
    get(value, "estimated_ratio", experiment.estimated_ratio);
    get(value, "measured_ratio", experiment.measured_ratio);
    if (experiment.measured_ratio) {
      experiment.measured_low = value.at("measured_interval").at(0).get<double>();
      experiment.measured_high = value.at("measured_interval").at(1).get<double>();
    }
    return experiment;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

json report_document(const InvertReport& report, const InvertDetails& details) {
  json resources = json::array();
  for (const InvertedResource& resource : report.resources) {
    json each = {
        {"name", resource.name}, {"verdict", resource.verdict}, {"sites", resource.sites}, {"remedy", resource.remedy}};
    if (resource.gain) {
      each["gain_if_free"] = *resource.gain;
      if (report.measured) each["gain_interval"] = {resource.gain_low, resource.gain_high};
    }
    put(each, "cost_per_dose", resource.cost_per_dose);
    put(each, "slack_doses", resource.slack);
    resources.push_back(std::move(each));
  }
  json experiments = json::array();
  for (const InvertedExperiment& experiment : report.experiments) experiments.push_back(to_json(experiment));
  json document = {{"shape", report.shape},
                   {"known", report.known},
                   {"time_us", report.time_us},
                   {"measured", report.measured},
                   {"first", report.first},
                   {"sentence", report.sentence},
                   {"diagnosed", report.diagnosed},
                   {"agrees_with_diagnose", report.agrees},
                   {"resources", std::move(resources)},
                   {"experiments", std::move(experiments)},
                   {"blocks", details.blocks},
                   {"blocks_run", details.blocks_run}};
  if (report.measured) {
    document["gpu"] = details.gpu;
    document["noise"] = report.noise;
    document["gpu_s"] = report.gpu_s;
    if (details.original_ratio > 0) document["original_over_prepared"] = details.original_ratio;
  }
  document["proof_s"] = details.proof_s;
  document["before_proofs_s"] = details.before_s;
  document["wall_s"] = details.wall_s;
  if (!details.proved_at.empty()) document["proved_at"] = details.proved_at;
  if (!report.left_over.empty()) document["left_over"] = report.left_over;
  if (!report.not_measured.empty()) document["not_measured"] = report.not_measured;
  if (!details.no_ptxas.empty()) document["no_ptxas"] = details.no_ptxas;
  return document;
}

}  // namespace assay::work
