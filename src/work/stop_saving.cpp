// SPDX-License-Identifier: MIT
#include "work/stop_saving.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "work/bench_details.hpp"

namespace assay::work {
namespace {

using measure::CaseMeasurement;

double seconds_of_case(const CaseMeasurement& measured) {
  double sum = 0;
  for (const auto& [step, seconds] : measured.steps) sum += seconds;
  return std::max(sum, measured.seconds);
}

// Of one process of the candidate: all its requests over the processes that answered them.
double seconds_of_process(const CaseMeasurement& measured) {
  const measure::RequestCosts& requests = measured.candidate().requests;
  double sum = 0;
  for (const auto& [kind, cost] : requests) {
    if (kind.find(':') == std::string::npos) sum += cost.seconds;  // "prepare: compile" is a part of prepare
  }
  const auto prepared = requests.find("prepare");
  const size_t processes = prepared == requests.end() ? 1 : std::max<size_t>(prepared->second.count, 1);
  return sum / static_cast<double>(processes);
}

nlohmann::json saving_document(const Saving& saving) {
  nlohmann::json document = nlohmann::json::object();
  if (saving.evaluations > 0)
    document["evaluations"] = saving.evaluations;
  else
    document["shapes"] = saving.shapes;
  if (!saving.steps.empty()) document["steps"] = saving.steps;
  if (saving.seconds) document["estimated_s"] = *saving.seconds;
  if (!saving.how.empty()) document["estimated_how"] = saving.how;
  return document;
}

}  // namespace

Saving saved_shapes(const KernelBench& bench) {
  Saving saving;
  saving.shapes = bench.shapes_left;
  if (bench.cases.empty()) return saving;
  double sum = 0;
  for (const BenchCase& each : bench.cases) sum += seconds_of_case(each.details->judged.measured);
  saving.seconds = sum / static_cast<double>(bench.cases.size()) * static_cast<double>(saving.shapes);
  saving.how = "a shape takes as long as those that were measured";
  return saving;
}

Saving saved_evaluations(const KernelBench& bench, size_t evaluations) {
  Saving saving;
  saving.evaluations = evaluations;
  if (bench.cases.empty()) return saving;
  double sum = 0;
  for (const BenchCase& each : bench.cases) sum += seconds_of_process(each.details->judged.measured);
  const double shapes = static_cast<double>(bench.cases.size() + bench.shapes_left);
  saving.seconds = sum / static_cast<double>(bench.cases.size()) * shapes * static_cast<double>(evaluations);
  saving.how = "an evaluation takes as long as a process of the default configuration; compiling is not counted";
  return saving;
}

std::string saving_text(const Saving& saving) {
  std::vector<std::string> parts;
  if (saving.shapes > 0) parts.push_back(counted(saving.shapes, "shape"));
  if (saving.evaluations > 0) parts.push_back(fmt::format("at most {}", counted(saving.evaluations, "evaluation")));
  parts.insert(parts.end(), saving.steps.begin(), saving.steps.end());
  std::string text = (parts.empty() ? "nothing" : join(parts, " and ")) + " saved";
  if (saving.seconds && *saving.seconds > 0)
    text += fmt::format(", about {:.2g} s of this GPU (estimated: {})", *saving.seconds, saving.how);
  return text;
}

nlohmann::json stop_document(const std::string& baseline, const std::string& shape, double speed,
                             const DiagnoseReport* diagnosis, const Saving& saved) {
  const bool found = diagnosis != nullptr && !diagnosis->findings.empty();
  return {{"baseline", baseline},
          {"shape", shape},
          {"speed", speed},
          {"first_finding", found ? diagnosis->findings.front().rule : ""},
          {"saved", saving_document(saved)}};
}

}  // namespace assay::work
