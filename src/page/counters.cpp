// SPDX-License-Identifier: MIT
// Exact counters, beside those of the state before: no interval, because nothing about them is noise.
#include "gpu/counters.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

// The newest profile before this one, of the same kernel, shape and device, whose counters or sources differ.
const ProfiledCase* before(const Content& content, const ProfiledCase& profiled) {
  if (content.contrast) {
    for (const ProfiledCase& each : content.profiled) {
      if (each.attempt.id == content.contrast->baseline && profiled.attempt.id == content.contrast->candidate)
        return &each;
    }
    return nullptr;
  }
  const ProfiledCase* found = nullptr;
  for (const ProfiledCase& each : content.profile_history) {
    const bool same_case = each.attempt.kernel == profiled.attempt.kernel &&
                           each.attempt.shape == profiled.attempt.shape &&
                           each.attempt.device == profiled.attempt.device;
    const bool differs = each.attempt.source_hash != profiled.attempt.source_hash ||
                         each.attempt.configuration != profiled.attempt.configuration ||
                         each.counters != profiled.counters;
    if (same_case && differs && each.attempt.id < profiled.attempt.id) found = &each;
  }
  return found;
}

std::string change_text(double was, double is) {
  if (was == is) return "the same";
  if (was == 0) return "new";
  return fmt::format("{:+.1f} %", 100 * (is - was) / was);
}

Table table_of(const ProfiledCase& profiled, const ProfiledCase* old) {
  Table table{fmt::format("counters-{}", profiled.attempt.id),
              old != nullptr ? fmt::format("Counters of attempt {} beside attempt {} (counted, exact)",
                                           profiled.attempt.id, old->attempt.id)
                             : std::string("Counters (counted, exact); without those that are 0"),
              {},
              {}};
  table.columns = old != nullptr
                      ? std::vector<Column>{{"counter"},
                                            {"before", true},
                                            {"now", true},
                                            {"change", true},
                                            {"Nsight Compute calls it"}}
                      : std::vector<Column>{{"counter"}, {"value", true}, {"Nsight Compute calls it"}, {"what it is"}};
  const auto value = [](const CounterValues& values, std::string_view name) {
    const auto found = values.find(std::string(name));
    return found == values.end() ? 0 : found->second;
  };
  for (const gpu::CounterInfo& info : gpu::counter_table()) {
    const double is = value(profiled.counters, info.name);
    const double was = old != nullptr ? value(old->counters, info.name) : 0;
    if (is == 0 && was == 0) continue;
    std::vector<Cell> row = {{code(std::string(info.name))}};
    if (old != nullptr) {
      row.push_back({plain(grouped(was)), was});
      row.push_back({plain(grouped(is)), is});
      const double change = was > 0 ? (is - was) / was : is > 0 ? 1 : 0;
      row.push_back({toned(change_text(was, is), change > 0   ? Tone::bad
                                                 : change < 0 ? Tone::good
                                                              : Tone::quiet),
                     change, std::min(1.0, std::abs(change))});
      row.push_back({code(std::string(info.ncu))});
    } else {
      row.push_back({plain(grouped(is)), is});
      row.push_back({code(std::string(info.ncu))});
      row.push_back({plain(std::string(info.meaning))});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table figures_of(const ProfiledCase& profiled) {
  Table table{fmt::format("figures-{}", profiled.attempt.id),
              "How well the kernel uses the machine",
              {{"figure"}, {"value", true}, {"wanted"}, {"known by"}, {"from"}},
              {}};
  for (const ProfiledFigure& figure : profiled.figures) {
    const Tone tone = figure.judgement == "good" ? Tone::good : figure.judgement == "bad" ? Tone::bad : Tone::plain;
    const std::string judged = figure.judgement == "bad" ? " (not met)" : "";
    const std::string unit = figure.unit.empty() ? "" : " " + figure.unit;
    const std::string value = !figure.value                    ? "-"
                              : figure.unit == "multiply-adds" ? grouped(*figure.value)
                                                               : short_number(*figure.value);
    table.rows.push_back({{plain(figure.name)},
                          {toned(value + (figure.value ? unit : ""), tone), figure.value},
                          {plain(figure.want + judged)},
                          {Text{{figure.evidence, Span::Kind::word}}},
                          {plain(figure.note)}});
  }
  return table;
}

}  // namespace

std::optional<Section> counters_section(const Content& content) {
  if (content.profiled.empty()) return std::nullopt;
  Section section{"counters", "Counters", {}};
  for (size_t i = content.profiled.size(); i-- > 0;) {  // the newest first
    const ProfiledCase& each = content.profiled[i];
    const ProfiledCase* old = before(content, each);
    if (content.contrast && old == nullptr && content.profiled.size() > 1) continue;
    std::vector<Element> elements;
    if (!each.figures.empty()) elements.push_back({figures_of(each)});
    elements.push_back({table_of(each, old)});
    section.elements.push_back({Fold{plain(fmt::format("{} at {} on {}, attempt {}", each.attempt.kernel,
                                                       each.attempt.shape, each.attempt.device, each.attempt.id)),
                                     std::move(elements), i + 1 == content.profiled.size()}});
  }
  return section.elements.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace assay::page
