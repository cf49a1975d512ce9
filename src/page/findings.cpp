// SPDX-License-Identifier: MIT
// What the checks found, each with a link to its line.
#include <fmt/format.h>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {

std::optional<Section> findings_section(const Content& content, const Listings& listings) {
  if (content.findings.empty()) return std::nullopt;
  Table table{"findings-table",
              "What the checks found (counted), as they met it",
              {{"where"}, {"kind"}, {"what"}, {"first seen"}, {"occurrences", true}},
              {}};
  for (const ReportedFinding& finding : content.findings) {
    const std::string where =
        finding.file.empty() ? "no line information" : fmt::format("{}:{}", finding.file, finding.line);
    const std::string anchor = listings.anchor(finding.file, finding.line);
    const std::string first = finding.place + (finding.shape.empty() ? "" : " at " + finding.shape);
    table.rows.push_back({{Text{{where, Span::Kind::code, Tone::plain, anchor}}},
                          {toned(finding.kind, Tone::bad)},
                          {plain(finding.message)},
                          {plain(first)},
                          {plain(grouped(finding.occurrences)), finding.occurrences}});
  }
  return Section{"findings", "Findings", {{std::move(table)}}};
}

}  // namespace assay::page
