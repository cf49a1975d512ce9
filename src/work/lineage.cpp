// SPDX-License-Identifier: MIT
#include "evolve/lineage.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

#include "assay/evolve.hpp"
#include "base/escape.hpp"
#include "ledger/time_text.hpp"
#include "work/document.hpp"
#include "work/evolve_step.hpp"
#include "work/log_reader.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

std::string line_of(const EvolveStep& step) {
  if (step.verdict == "begun") return fmt::format("{} the kernel as it is", step.id);
  std::string text = fmt::format("{} {} {}", step.proposal, step.id.empty() ? "no kernel" : step.id, step.verdict);
  if (step.verdict == "refused") text += " at " + step.gate;
  if (step.ratio)
    text += *step.ratio <= 1 ? fmt::format(", {:.1f} % faster", 100 * (1 / *step.ratio - 1))
                             : fmt::format(", {:.1f} % slower", 100 * (*step.ratio - 1));
  if (!step.hypothesis.empty()) text += ": " + step.hypothesis;
  return escape_terminal(text);
}

std::string tree_of(const Lineage& lineage) {
  std::vector<evolve::LineageNode> nodes;
  for (const EvolveStep& step : lineage.steps)
    nodes.push_back(
        {step.id.empty() ? fmt::format("proposal {}", step.proposal) : step.id, step.parent, line_of(step)});
  return evolve::lineage_text(nodes);
}

}  // namespace

Result<LineageReport> lineage(const LineageRequest& request) {
  LineageReport report;
  ASSAY_TRY(LogReader reader, LogReader::open(request.ledger));
  std::map<std::string, size_t> index;
  LogRequest wanted;
  wanted.kernel = request.kernel;
  wanted.kind = "evolve";
  wanted.limit = 0;
  const auto visit = [&](const LogReader::Shown& shown) -> Result<void> {
    const json details = json::parse(shown.attempt.details, nullptr, false);
    const auto step = details.is_object() ? step_from(details) : std::nullopt;
    if (!step || !details.value("evolution", json()).is_string()) return {};
    const std::string evolution = details["evolution"];
    const auto [place, first] = index.emplace(evolution, report.evolutions.size());
    if (first) {
      Lineage made;
      made.evolution = evolution;
      made.kernel = shown.attempt.kernel;
      made.device = shown.attempt.device;
      made.known = details.value("known", json()).is_string() ? details["known"].get<std::string>() : "";
      made.begun = ledger::iso_time(shown.attempt.time_us);
      report.evolutions.push_back(std::move(made));
    }
    Lineage& own = report.evolutions[place->second];
    // One that was interrupted between two records has some twice.
    std::erase_if(own.steps, [&](const EvolveStep& each) { return each.proposal == step->proposal; });
    own.steps.push_back(*step);
    return {};
  };
  ASSAY_CHECK(reader.each(wanted, visit, [](const Error&) {}));
  for (Lineage& each : report.evolutions) {
    for (const EvolveStep& step : each.steps) each.speedup /= step.verdict == "accepted" ? step.ratio.value_or(1) : 1;
    if (request.accepted)
      std::erase_if(each.steps,
                    [](const EvolveStep& step) { return step.verdict != "accepted" && step.verdict != "begun"; });
    each.tree = tree_of(each);
  }
  return report;
}

std::string to_json(const LineageReport& report) {
  json document = document_head("log");
  document["evolutions"] = json::array();
  for (const Lineage& each : report.evolutions) {
    json steps = json::array();
    for (const EvolveStep& step : each.steps) steps.push_back(step_document(step, each.known));
    document["evolutions"].push_back({{"evolution", each.evolution},
                                      {"kernel", each.kernel},
                                      {"device", each.device},
                                      {"known", each.known},
                                      {"begun", each.begun},
                                      {"speedup", each.speedup},
                                      {"steps", std::move(steps)}});
  }
  return document_text(document);
}

}  // namespace assay::work
