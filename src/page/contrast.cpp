// SPDX-License-Identifier: MIT
// Two attempts beside each other.
#include <fmt/format.h>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {

std::optional<Section> contrast_section(const Content& content) {
  if (!content.contrast || content.attempts.size() != 2) return std::nullopt;
  const ledger::Attempt& baseline = content.attempts.front();
  const ledger::Attempt& candidate = content.attempts.back();
  Section section{"contrast", "Side by side", {}};
  Table table{"contrast-table",
              "What was recorded of both",
              {{"field"}, {fmt::format("attempt {}", candidate.id)}, {fmt::format("attempt {}", baseline.id)}},
              {}};
  const auto row = [&](const char* name, const std::string& one, const std::string& other) {
    if (one.empty() && other.empty()) return;
    const Tone tone = one == other ? Tone::quiet : Tone::plain;
    table.rows.push_back({{plain(name)}, {toned(one, tone)}, {toned(other, tone)}});
  };
  row("kernel", candidate.kernel, baseline.kernel);
  row("what", std::string(to_string(candidate.kind)), std::string(to_string(baseline.kind)));
  row("verdict", candidate.verdict, baseline.verdict);
  row("configuration", candidate.configuration, baseline.configuration);
  row("shape", candidate.shape, baseline.shape);
  row("device", candidate.device, baseline.device);
  row("source", candidate.source_hash.substr(0, 12), baseline.source_hash.substr(0, 12));
  const auto p50 = [](const ledger::Attempt& attempt) {
    return attempt.p50_us ? time_text(*attempt.p50_us) + ", measured" : "";
  };
  row("p50", p50(candidate), p50(baseline));
  const auto estimate = [&](const ledger::Attempt& attempt) -> std::string {
    for (const EstimatedCase& each : content.estimated) {
      if (each.attempt.id == attempt.id)
        return fmt::format("{} ({} to {}), limited by {}", time_text(each.time_us), time_text(each.low_us),
                           time_text(each.high_us), each.limiter);
    }
    return "";
  };
  row("estimated time", estimate(candidate), estimate(baseline));
  const auto first_finding = [&](const ledger::Attempt& attempt) -> std::string {
    for (const DiagnosedCase& each : content.diagnosed) {
      if (each.attempt.id != attempt.id || each.findings.empty()) continue;
      return fmt::format("{}, at most -{}", each.findings.front().title, time_text(each.findings.front().cap_us));
    }
    return "";
  };
  row("first finding", first_finding(candidate), first_finding(baseline));
  row("version", candidate.assay, baseline.assay);
  section.elements.push_back({std::move(table)});
  if (!content.contrast->differences.empty()) {
    Table differences{
        "differences", "Fields in which the contracts differ, so that times are not compared", {{"difference"}}, {}};
    for (const std::string& each : content.contrast->differences) differences.rows.push_back({{plain(each)}});
    section.elements.push_back({std::move(differences)});
  }
  return section;
}

}  // namespace assay::page
