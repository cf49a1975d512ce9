// SPDX-License-Identifier: MIT
#include "cli/invert_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"
#include "cli/estimate_text.hpp"
#include "invert/mutation.hpp"
#include "report/terminal.hpp"
#include "work/diagnose_details.hpp"
#include "work/document.hpp"
#include "work/invert_details.hpp"

namespace assay::cli {
namespace {

using report::Colour;
using report::Terminal;

std::string percent(double share) {
  return fmt::format("{:+.1f} %", 100 * share);
}

// "kernel.cu:12, 15 and 3 more": a file is named once.
std::string first_sites(const std::vector<std::string>& sites) {
  constexpr size_t kShown = 2;
  std::string text;
  std::string file;
  for (size_t i = 0; i < std::min(kShown, sites.size()); ++i) {
    const std::string site = std::filesystem::path(sites[i]).filename().string();
    const size_t line = site.rfind(':');
    const bool same = line != std::string::npos && site.substr(0, line) == file;
    text += (i == 0 ? "" : ", ") + (same ? site.substr(line + 1) : site);
    file = site.substr(0, line);
  }
  if (sites.size() > kShown) text += fmt::format(" and {} more", sites.size() - kShown);
  return text;
}

Colour colour_of(const std::string& verdict) {
  if (verdict == "bottleneck") return Colour::red;
  return verdict == "latency" || verdict == "hidden" ? Colour::yellow : Colour::none;
}

std::string gain_text(const work::InvertReport& report, const work::InvertedResource& resource) {
  if (!resource.gain) return "";
  std::string text = percent(-*resource.gain);
  if (report.measured) text += fmt::format(" ({:.1f} to {:.1f})", -100 * resource.gain_high, -100 * resource.gain_low);
  return text;
}

std::string slack_text(const work::InvertedResource& resource) {
  if (!resource.slack) return "";
  return *resource.slack == 0 ? "none" : counted(static_cast<uint64_t>(*resource.slack), "dose");
}

std::string resource_table(const Terminal& terminal, const work::InvertReport& report) {
  report::Table table({"resource", "verdict", "if free", "first dose", "slack", "where"});
  for (const work::InvertedResource& resource : report.resources) {
    table.add({resource.name,
               {resource.verdict, colour_of(resource.verdict)},
               gain_text(report, resource),
               resource.cost_per_dose ? percent(*resource.cost_per_dose) : "",
               slack_text(resource),
               first_sites(resource.sites)});
  }
  return table.render(terminal);
}

std::string change_text(const work::InvertedExperiment& each) {
  std::string text;
  if (each.counted_added > 0) text += fmt::format("+{}", each.counted_added);
  if (each.counted_removed > 0) text += fmt::format("{}-{}", text.empty() ? "" : " ", each.counted_removed);
  return text;
}

std::string ratio_text(const work::InvertReport& report, const work::InvertedExperiment& each) {
  const auto& ratio = report.measured ? each.measured_ratio : each.estimated_ratio;
  return ratio ? percent(*ratio - 1) : "";
}

std::string experiment_table(const Terminal& terminal, const work::InvertReport& report) {
  report::Table table({"experiment", "dose", "counted", "time", "state", "why"});
  for (const work::InvertedExperiment& each : report.experiments) {
    table.add({each.name, fmt::format("{}", each.dose), change_text(each), ratio_text(report, each), each.state,
               each.why.substr(0, 80)});
  }
  return table.render(terminal);
}

std::string tally_text(const work::InvertReport& report) {
  const auto in_state = [&](std::string_view state) {
    return std::ranges::count(report.experiments, state, &work::InvertedExperiment::state);
  };
  std::string text = fmt::format("{} experiments: {} proved and ranked", report.experiments.size(), in_state("ranked"));
  for (const std::string_view state :
       {"confounded", "not proved", "failed", "not timed", "not tried", "not applicable"}) {
    if (const auto count = in_state(state); count > 0) text += fmt::format(", {} {}", count, state);
  }
  return text + "\n";
}

std::string left_over_text(const std::vector<std::string>& names) {
  constexpr size_t kNamed = 6;
  std::string text;
  for (size_t i = 0; i < std::min(kNamed, names.size()); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return text + (names.size() > kNamed ? ", ..." : "");
}

}  // namespace

std::string invert_text(const work::InvertReport& report, bool all_experiments) {
  const Terminal terminal;
  const work::EstimatedCase& estimated = report.details->diagnosis.details->estimated;
  std::string text = fmt::format("{} on {}, {}\n", estimated.entry, estimated.model->name, report.shape);
  text += fmt::format("  {} {}: the kernel as prepared for experiments\n", time_text(report.time_us),
                      report.measured ? "measured" : "estimated");
  text += fmt::format("  {}\n\n", terminal.paint(Colour::bold, report.sentence));
  text += resource_table(terminal, report);
  if (!report.first.empty() && !report.resources.empty()) {
    const auto first = std::ranges::find(report.resources, report.first, &work::InvertedResource::name);
    if (first != report.resources.end() && !first->remedy.empty()) text += fmt::format("\ndo: {}\n", first->remedy);
  }
  if (report.agrees) {
    text += fmt::format("diagnose agrees: {}\n", report.diagnosed.empty() ? "nothing found" : report.diagnosed);
  } else {
    text +=
        fmt::format("diagnose disagrees: it puts {} first\n", report.diagnosed.empty() ? "nothing" : report.diagnosed);
  }
  if (all_experiments) text += "\n" + experiment_table(terminal, report);
  text += "\n" + tally_text(report);
  text += fmt::format("{}; mutants' results are wrong by intent, and never checked\n", report.known);
  text += fmt::format("{:.0f} s in all: {:.0f} s to count and to make mutants, {:.0f} s to prove them\n",
                      report.details->wall_s, report.details->before_s, report.details->proof_s);
  if (report.measured)
    text += fmt::format("{:.1f} s of GPU time on {}; the prepared kernel differs from itself by {:.1f} %\n",
                        report.gpu_s, report.details->gpu, 100 * report.noise);
  if (!report.not_measured.empty()) text += fmt::format("not measured: {}\n", report.not_measured);
  if (!report.details->no_ptxas.empty())
    text += fmt::format("registers, spills and code size are not known: {}\n", report.details->no_ptxas);
  if (!report.details->proved_at.empty())
    text += fmt::format("{} at {}: the same launch and lines, shorter loops, the same limiter\n",
                        report.measured ? "proved" : "proved and estimated", report.details->proved_at);
  if (!report.left_over.empty())
    text += fmt::format("no time was left for {} of them; the same command goes on with them: {}\n",
                        report.left_over.size(), left_over_text(report.left_over));
  if (estimated.measured && !report.measured)
    text += fmt::format("rates measured here on {}\n", estimated.measured->date());
  if (report.details->sampled)
    text += fmt::format("sampled: {} of {} blocks were run and stand for the others\n", report.details->blocks_run,
                        report.details->blocks);
  return text;
}

std::string catalogue_text() {
  const Terminal terminal;
  std::string text;
  for (const invert::Row& row : invert::catalogue()) {
    const bool ablation = row.kind == invert::Kind::ablation;
    text += fmt::format("{}  {} {}, {} {}\n", terminal.paint(Colour::bold, std::string(row.name)), to_string(row.kind),
                        row.number, row.doses.size() == 1 ? "dose" : "doses", fmt::join(row.doses, ", "));
    text += fmt::format("  how    {}\n", row.how);
    text += fmt::format("  tells  {}{}\n", ablation ? "the most that is to be gained from " : "", row.tells);
    text += fmt::format("  needs  {}\n", row.needs);
  }
  return text;
}

std::string catalogue_json() {
  nlohmann::json document = work::document_head("invert");
  document["catalogue"] = nlohmann::json::array();
  for (const invert::Row& row : invert::catalogue()) {
    document["catalogue"].push_back({{"name", row.name},
                                     {"kind", to_string(row.kind)},
                                     {"number", row.number},
                                     {"resource", row.resource},
                                     {"doses", std::vector<int>(row.doses.begin(), row.doses.end())},
                                     {"how", row.how},
                                     {"tells", row.tells},
                                     {"needs", row.needs}});
  }
  return work::document_text(document);
}

}  // namespace assay::cli
