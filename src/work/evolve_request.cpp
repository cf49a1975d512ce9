// SPDX-License-Identifier: MIT
#include "work/evolve_request.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "evolve/schema.hpp"
#include "work/diagnose_details.hpp"
#include "work/evolve_trial.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

constexpr size_t kLines = 40;   // that do most
constexpr size_t kTried = 200;  // the newest
constexpr size_t kTexts = 600;  // bytes of one of them

json line_counters(const gpu::LineWork& line) {
  json counters = json::object();
  for (size_t i = 0; i < gpu::kWorkCount; ++i) {
    if (line.sums.values[i] != 0)
      counters[std::string(gpu::to_string(static_cast<gpu::Work>(i)))] = line.sums.values[i];
  }
  return counters;
}

json lines_document(const Asking& asking) {
  std::vector<gpu::LineWork> lines = asking.looked.details->estimated.work.lines;
  std::ranges::stable_sort(lines, std::greater(),
                           [](const gpu::LineWork& line) { return line.sums[gpu::Work::issue]; });
  if (lines.size() > kLines) lines.resize(kLines);
  json list = json::array();
  for (const gpu::LineWork& line : lines)
    list.push_back({{"file", replace_all(line.line.file, asking.looked_in + "/", "")},
                    {"line", line.line.line},
                    {"counters", line_counters(line)}});
  return list;
}

json findings_document(const Asking& asking) {
  json list = json::array();
  for (const DiagnosedFinding& each : asking.looked.findings)
    list.push_back({{"rule", each.rule},
                    {"title", each.title},
                    {"evidence", each.evidence},
                    {"file", replace_all(each.file, asking.looked_in + "/", "")},
                    {"line", each.line},
                    {"cap_us", each.cap_us},
                    {"remedy", each.remedy}});
  return list;
}

json occupancy_document(const EstimatedCase& estimated) {
  json document{{"blocks_per_sm", estimated.blocks_per_sm},
                {"known", estimated.occupancy_known},
                {"waves", estimated.estimate.waves}};
  int64_t shared = estimated.launch.shared_bytes;
  if (estimated.usage) {
    if (estimated.usage->registers) document["registers"] = *estimated.usage->registers;
    shared += estimated.usage->static_shared_bytes.value_or(0);
  }
  document["shared_bytes"] = shared;
  return document;
}

// For a proposer: without what only a rerun needs.
json step_document(EvolveStep step, const std::string& known, bool with_diff) {
  if (step.text.size() > kTexts) step.text = step.text.substr(0, kTexts) + " ...";
  if (!with_diff) step.diff.clear();
  json document = step_document(step, known);
  for (const char* name : {"seed", "costs", "cell", "device"}) document.erase(name);
  if (!with_diff) document.erase("diff");
  return document;
}

json left(const std::optional<double>& limit, double used) {
  return limit ? json(std::max(0.0, *limit - used)) : json();
}

json request_document(const Asking& asking) {
  const EstimatedCase& estimated = asking.looked.details->estimated;
  const spec::KernelSpec& spec = asking.spec;
  json document;
  document["assay_evolve"] = 1;
  document["proposal"] = asking.proposal;
  document["kernel"] = {{"name", spec.kernel.name},
                        {"description", spec.kernel.description},
                        {"folder", asking.snapshot.folder.string()},
                        {"device", asking.device},
                        {"targets", spec.kernel.targets}};
  document["specification"] = asking.snapshot.original.text;
  document["rules"] = {{"may_change", asking.snapshot.rules.may_change},
                       {"may_create", evolve::FileRules::endings_of_new_files()},
                       {"gain", asking.rule.gain},
                       {"gaining_shapes", asking.rule.gaining_shapes},
                       {"margin", asking.rule.margin}};
  json lineage = json::array();
  for (const EvolveStep& each : asking.state.lineage_of(asking.parent.id))
    lineage.push_back(step_document(each, asking.known, true));
  document["parent"] = {{"id", asking.parent.id},
                        {"is_incumbent", asking.parent.id == asking.state.incumbent().id},
                        {"configuration", asking.parent.configuration},
                        {"files", asking.parent.files},
                        {"lineage", std::move(lineage)}};
  document["verdicts"] = json::array();
  for (const EvolvedShape& each : asking.state.against_first(asking.parent.id))
    document["verdicts"].push_back(verdict_document(each, asking.known));
  document["counters"] = {{"shape", asking.looked.shape},
                          {"known", "counted"},
                          {"total", counters_of(asking.looked)},
                          {"lines", lines_document(asking)}};
  document["findings"] = findings_document(asking);
  document["limiter"] = asking.looked.limiter;
  document["floor_us"] = asking.looked.floor_us;
  document["occupancy"] = occupancy_document(estimated);
  document["resources"] = json::array();
  for (const estimate::Resource& each : estimated.estimate.resources)
    document["resources"].push_back({{"name", each.name}, {"time_us", each.time_us}, {"share", each.share}});
  document["archive"] = json::array();
  for (const auto& [cell, champion] : asking.state.archive().cells())
    document["archive"].push_back({{"cell", cell_document(cell)}, {"id", champion.id}, {"ratio", champion.ratio}});
  document["tried"] = json::array();
  const std::vector<EvolveStep>& steps = asking.state.steps();
  for (size_t i = steps.size() > kTried ? steps.size() - kTried : 0; i < steps.size(); ++i)
    document["tried"].push_back(step_document(steps[i], asking.known, false));
  document["in_flight"] = json::array();
  for (const EvolveStep& each : asking.in_flight)
    document["in_flight"].push_back(
        {{"proposal", each.proposal}, {"parent", each.parent}, {"hypothesis", each.hypothesis}});
  const size_t asked = asking.proposal - 1;
  document["budget"] = {{"proposals", asking.stop.proposals > asked ? asking.stop.proposals - asked : 0},
                        {"seconds", left(asking.stop.seconds, asking.seconds)},
                        {"gpu_seconds", left(asking.stop.gpu_seconds, asking.state.costs().gpu_s)},
                        {"money", left(asking.stop.money, asking.state.costs().money)},
                        {"answer_seconds", asking.answer_seconds}};
  return document;
}

}  // namespace

Result<std::string> request_text(const Asking& asking) {
  const json document = request_document(asking);
  if (const std::string wrong = evolve::violation(evolve::schema_named("evolve_request.v1.json"), document);
      !wrong.empty())
    return Error{"the request breaks its own schema: " + wrong, {}, "", ExitCode::internal};
  return document.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace assay::work
