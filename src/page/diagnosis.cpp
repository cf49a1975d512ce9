// SPDX-License-Identifier: MIT
// What `assay diagnose` says: how far a kernel is from its floor, and the findings, each with the most that it can
// bring. Of a sweep, each shape.
#include <algorithm>
#include <fmt/format.h>

#include "base/text.hpp"
#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

std::string distance(const DiagnosedCase& about) {
  const std::string configuration =
      about.attempt.configuration.empty() ? "" : fmt::format(" [{}]", about.attempt.configuration);
  std::string said =
      fmt::format("{}{} at {} on {}: {} ({})", about.attempt.kernel, configuration, about.attempt.shape,
                  about.attempt.device, time_text(about.time_us), about.measured ? "measured" : "estimated");
  if (about.floor_us > 0)
    said += fmt::format(", {:.1f} times the floor of {} ({})", about.time_us / about.floor_us,
                        time_text(about.floor_us), about.floor_by);
  return said + ".";
}

Table findings_table(const DiagnosedCase& about, const Listings& listings) {
  Table table{fmt::format("diagnosis-{}", about.attempt.id),
              "What it costs, the largest cap first (evidence counted, caps estimated; they do not add up)",
              {{"finding"}, {"where"}, {"evidence"}, {"at most", true}, {"what to do"}},
              {}};
  for (const DiagnosedFinding& each : about.findings) {
    const double share = about.time_us > 0 ? each.cap_us / about.time_us : 0;
    const bool placed = !each.file.empty() && each.line > 0;
    const Text where = placed ? Text{{fmt::format("{}:{}", each.file, each.line), Span::Kind::code, Tone::plain,
                                      listings.anchor(each.file, each.line)}}
                              : Text{};
    table.rows.push_back({{plain(each.stage.empty() ? each.title : fmt::format("{} ({})", each.title, each.stage))},
                          {where},
                          {plain(each.evidence)},
                          {plain(fmt::format("-{} ({:.0f} %)", time_text(each.cap_us), 100 * share)), each.cap_us,
                           std::clamp(share, 0.0, 1.0)},
                          {plain(each.remedy)}});
  }
  return table;
}

Table sweep_table(const DiagnosedCase& about) {
  Table table{
      fmt::format("sweep-{}", about.attempt.id),
      fmt::format("{} over the shapes of the sweep", about.attempt.kernel),
      {{"shape"}, {"time", true}, {"of the floor's speed", true}, {"TFLOP/s", true}, {"GB/s", true}, {"limiter"}},
      {}};
  for (const SweptShape& each : about.sweep) {
    const double share = each.time_us > 0 ? each.floor_us / each.time_us : 0;
    table.rows.push_back({{plain(each.shape)},
                          {plain(fmt::format("{} {}", time_text(each.time_us), each.known)), each.time_us},
                          {plain(fmt::format("{:.0f} %", 100 * share)), share, std::clamp(share, 0.0, 1.0)},
                          {plain(each.tflops > 0 ? short_number(each.tflops) : ""), each.tflops},
                          {plain(each.gb_per_s > 0 ? short_number(each.gb_per_s) : ""), each.gb_per_s},
                          {plain(each.limiter)}});
  }
  return table;
}

}  // namespace

std::optional<Section> diagnosis_section(const Content& content, const Listings& listings) {
  Section section{"diagnosis", "Why it is not faster", {}};
  for (const DiagnosedCase& each : content.diagnosed) {
    section.elements.push_back({Paragraph{plain(distance(each))}});
    if (each.findings.empty())
      section.elements.push_back({Paragraph{plain("No rule has a finding that can bring 2 % of the time.")}});
    else
      section.elements.push_back({findings_table(each, listings)});
    if (!each.sweep.empty()) section.elements.push_back({sweep_table(each)});
  }
  return section.elements.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace assay::page
