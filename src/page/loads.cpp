// SPDX-License-Identifier: MIT
// What an estimate says each part of the GPU takes.
#include <algorithm>
#include <fmt/format.h>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {

std::optional<Section> loads_section(const Content& content) {
  Section section{"loads", "Estimated loads", {}};
  for (const EstimatedCase& each : content.estimated) {
    if (each.loads.empty()) continue;
    Table table{fmt::format("loads-{}", each.attempt.id),
                fmt::format("{} at {} on {}: how long each part alone would take (estimated)", each.attempt.kernel,
                            each.attempt.shape, each.attempt.device),
                {{"part of the GPU"}, {"time", true}, {"share of the estimate", true}},
                {}};
    for (const EstimatedLoad& load : each.loads)
      table.rows.push_back(
          {{plain(load.name)},
           {plain(time_text(load.time_us)), load.time_us},
           {plain(fmt::format("{:.0f} %", 100 * load.share)), load.share, std::clamp(load.share, 0.0, 1.0)}});
    section.elements.push_back({Paragraph{plain(
        fmt::format("Estimated: {} ({} to {}), limited by {}. The parts overlap, so the shares do not add up to 100 %.",
                    time_text(each.time_us), time_text(each.low_us), time_text(each.high_us), each.limiter))}});
    section.elements.push_back({std::move(table)});
  }
  return section.elements.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace assay::page
