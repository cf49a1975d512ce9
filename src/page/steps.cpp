// SPDX-License-Identifier: MIT
// The steps of a run.
#include <fmt/format.h>

#include "page/sections.hpp"

namespace assay::page {

std::optional<Section> steps_section(const Content& content) {
  if (content.steps.empty()) return std::nullopt;
  Table table{"steps-table",
              "The steps of the run, in order",
              {{"step"}, {"verdict"}, {"what it says"}, {"seconds", true}},
              {}};
  for (const Step& step : content.steps) {
    const Tone tone = step.verdict == "good" ? Tone::good : step.verdict == "failed" ? Tone::bad : Tone::warning;
    table.rows.push_back({{plain(step.name)},
                          {toned(step.verdict, tone)},
                          {plain(step.summary)},
                          {plain(fmt::format("{:.1f}", step.seconds)), step.seconds}});
  }
  return Section{"steps", "Steps", {{std::move(table)}}};
}

}  // namespace assay::page
