// SPDX-License-Identifier: MIT
// Times above the floor: what no kernel can beat, and how far everyone is from it.
#include <algorithm>
#include <fmt/format.h>
#include <set>

#include "page/drawing.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

constexpr size_t kDrawnGroups = 12;  // cases
constexpr double kBar = 18;
constexpr double kRow = 26;
constexpr double kHeading = 16;

struct Bar {
  std::string name;
  double us = 0;
  int colour = 0;
  bool hollow = false;  // estimated
  std::string word;
};

struct Group {
  std::string kernel;  // "": there is only one
  std::string name;
  double floor_us = 0;
  std::string bound;  // what that is: "floor", "lower bound"
  std::vector<Bar> bars;
};

const EstimatedCase* estimate_for(const Content& content, const MeasuredCase& measured) {
  for (const EstimatedCase& each : content.estimated) {
    if (each.attempt.kernel == measured.attempt.kernel && each.attempt.shape == measured.attempt.shape &&
        each.attempt.configuration == measured.attempt.configuration &&
        model_of(each.attempt.device, "") == model_of(measured.attempt.device, measured.gpu))
      return &each;
  }
  return nullptr;
}

const DiagnosedCase* diagnosis_of(const Content& content, const EstimatedCase& estimated) {
  const auto found = std::ranges::find(content.diagnosed, estimated.attempt.id,
                                       [](const DiagnosedCase& each) { return each.attempt.id; });
  return found == content.diagnosed.end() || found->floor_us <= 0 ? nullptr : &*found;
}

// Names the configuration where a shape was looked at with several.
std::string shape_name(const Content& content, const ledger::Attempt& attempt) {
  std::set<std::string> configurations;
  const auto note = [&](const ledger::Attempt& other) {
    if (other.kernel == attempt.kernel && other.shape == attempt.shape) configurations.insert(other.configuration);
  };
  for (const MeasuredCase& each : content.measured) note(each.attempt);
  for (const EstimatedCase& each : content.estimated) note(each.attempt);
  if (configurations.size() < 2 || attempt.configuration.empty()) return attempt.shape;
  return fmt::format("{} [{}]", attempt.shape, attempt.configuration);
}

std::vector<Group> groups_of(const Content& content) {
  std::vector<Group> groups;
  std::set<int64_t> joined;
  std::set<std::string> kernels;
  for (const MeasuredCase& each : content.measured) kernels.insert(each.attempt.kernel);
  for (const MeasuredCase& each : content.measured) {
    Group group{
        kernels.size() > 1 ? each.attempt.kernel : "", shape_name(content, each.attempt), each.floor_us, "floor", {}};
    for (size_t i = 0; i < each.contenders.size(); ++i) {
      const MeasuredContender& contender = each.contenders[i];
      if (!contender.p50_us) continue;
      group.bars.push_back({contender.name, *contender.p50_us, static_cast<int>(i % 7), false,
                            contender.good ? "measured" : "measured, rejected"});
    }
    if (const EstimatedCase* estimate = estimate_for(content, each)) {
      group.bars.push_back({"estimate", estimate->time_us, 7, true, "estimated"});
      joined.insert(estimate->attempt.id);
    }
    if (!group.bars.empty()) groups.push_back(std::move(group));
  }
  for (const EstimatedCase& each : content.estimated) {
    if (joined.contains(each.attempt.id)) continue;
    const DiagnosedCase* const diagnosis = diagnosis_of(content, each);
    groups.push_back({"",
                      fmt::format("{} on {}", shape_name(content, each.attempt), each.attempt.device),
                      diagnosis != nullptr ? diagnosis->floor_us : each.lower_bound_us,
                      diagnosis != nullptr ? "floor" : "lower bound",
                      {{"estimate", each.time_us, 7, true, "estimated"}}});
  }
  return groups;
}

// The kernel and the shape; on a narrow page one below the other. Bold letters are a fifth wider than others.
std::vector<std::string> headings(const Group& group, bool narrow, double width) {
  std::vector<std::string> lines;
  if (group.kernel.empty())
    lines = {group.name};
  else if (narrow)
    lines = {group.kernel, group.name};
  else
    lines = {group.kernel + "  " + group.name};
  for (std::string& line : lines) line = shortened(line, (width - 8) / 1.2);
  return lines;
}

std::string draw(const std::vector<Group>& groups, double width) {
  const bool narrow = width < 500;
  double height = 8;
  for (const Group& group : groups) {
    height += 10 + kHeading * static_cast<double>(headings(group, narrow, width).size());
    height += kRow * static_cast<double>(group.bars.size()) * (narrow ? 1.6 : 1);
  }
  Drawing drawing(width, height);
  const double left = narrow ? 4 : 190;
  const double right = width - (narrow ? 6 : 190);
  double y = 8;
  for (const Group& group : groups) {
    double most = group.floor_us;
    for (const Bar& bar : group.bars) most = std::max(most, bar.us);
    const Scale x = Scale::linear(0, most, left, right);
    for (const std::string& line : headings(group, narrow, width)) {
      drawing.text(4, y + 13, line, "strong");
      y += kHeading;
    }
    y += 6;
    for (const Bar& bar : group.bars) {
      std::string figures = time_text(bar.us);
      if (group.floor_us > 0) figures += fmt::format(" ({:.0f} % of {})", 100 * group.floor_us / bar.us, group.bound);
      const std::string name = fmt::format("{} ({})", bar.name, bar.word);
      if (narrow) {
        drawing.text(left, y + 12, shortened(bar.name + "  " + figures, width - 8), "label");
        y += kRow * 0.6;
      } else {
        drawing.text(left - 8, y + 14, shortened(bar.name, left - 16), "label", Anchor::end);
        drawing.text(right + 8, y + 14, shortened(figures, width - right - 8), "label");
      }
      const std::string colour = fmt::format("c{}", bar.colour);
      drawing.rectangle(left, y, x(bar.us) - left, kBar, fmt::format("bar {}{}", colour, bar.hollow ? " hollow" : ""),
                        name + ": " + figures);
      if (group.floor_us > 0 && x(group.floor_us) - left > 1)
        drawing.line(x(group.floor_us), y - 3, x(group.floor_us), y + kBar + 3, "floor");
      y += kRow;
    }
    y += 4;
  }
  return drawing.svg();
}

// The kernel is named only where there are several.
std::string case_name(const Content& content, const ledger::Attempt& attempt, bool several) {
  const std::string shape = shape_name(content, attempt);
  return several ? attempt.kernel + " " + shape : shape;
}

Table table_of(const Content& content) {
  std::set<std::string> kernels;
  for (const MeasuredCase& each : content.measured) kernels.insert(each.attempt.kernel);
  for (const EstimatedCase& each : content.estimated) kernels.insert(each.attempt.kernel);
  const bool several = kernels.size() > 1;
  const bool measured = !content.measured.empty();
  Table table{"speed-table",
              measured
                  ? "Time of one call, the newest measurement of each case (measured; the floor is estimated from the "
                    "peaks of the GPU)"
                  : "Time of one call, with the range of the estimate (estimated: no GPU has measured it)",
              {{"case"},
               {"contender"},
               {measured ? "p50" : "time", true},
               {"p90", true},
               {"TFLOP/s", true},
               {"GB/s", true},
               {"of the floor's speed", true},
               {"candidate is"},
               {"contract"}},
              {}};
  for (const MeasuredCase& each : content.measured) {
    for (const MeasuredContender& contender : each.contenders) {
      std::vector<Cell> row = {{plain(case_name(content, each.attempt, several))}, {plain(contender.name)}};
      if (!contender.p50_us) {
        row.insert(row.end(), 5, Cell{});
        row.push_back({toned(contender.objection, Tone::bad)});
      } else {
        const double share = each.floor_us / *contender.p50_us;
        row.push_back({plain(time_text(*contender.p50_us)), contender.p50_us});
        row.push_back({plain(time_text(contender.p90_us)), contender.p90_us});
        row.push_back({plain(short_number(contender.tflops)), contender.tflops});
        row.push_back({plain(short_number(contender.gb_per_s)), contender.gb_per_s});
        row.push_back(each.floor_us > 0 ? Cell{plain(fmt::format("{:.1f} %", 100 * share)), share, std::min(1.0, share)}
                                        : Cell{});
        Cell verdict;
        if (!contender.good)
          verdict.text = toned(contender.objection.empty() ? "REJECTED" : contender.objection, Tone::bad);
        if (contender.good && contender.comparison) {
          const AgainstCandidate& against = *contender.comparison;
          const Tone tone = against.verdict == "FASTER"   ? Tone::good
                            : against.verdict == "SLOWER" ? Tone::bad
                                                          : Tone::plain;
          verdict.text = toned(fmt::format("{} {:.3f}x ({:.3f} to {:.3f})", against.verdict, 1 / against.ratio,
                                           1 / against.interval.high, 1 / against.interval.low),
                               tone);
          verdict.order = 1 / against.ratio;
        }
        row.push_back(std::move(verdict));
      }
      row.push_back({link(fmt::format("attempt {}", each.attempt.id), fmt::format("attempt-{}", each.attempt.id))});
      table.rows.push_back(std::move(row));
    }
  }
  for (const EstimatedCase& each : content.estimated) {
    const DiagnosedCase* const diagnosis = diagnosis_of(content, each);
    const double share = diagnosis != nullptr ? diagnosis->floor_us / each.time_us : 0;
    const double tflops = each.flops / each.time_us * 1e-6;
    table.rows.push_back(
        {{plain(case_name(content, each.attempt, several))},
         {plain("estimate on " + each.attempt.device)},
         {plain(fmt::format("{} ({} to {})", time_text(each.time_us), time_text(each.low_us), time_text(each.high_us))),
          each.time_us},
         {},
         tflops > 0 ? Cell{plain(short_number(tflops)), tflops} : Cell{},
         {},
         share > 0 ? Cell{plain(fmt::format("{:.1f} %", 100 * share)), share, std::min(1.0, share)} : Cell{},
         {toned("estimated", Tone::quiet)},
         {link(fmt::format("attempt {}", each.attempt.id), fmt::format("attempt-{}", each.attempt.id))}});
  }
  return table;
}

}  // namespace

std::optional<Section> speed_section(const Content& content) {
  std::vector<Group> groups = groups_of(content);
  if (groups.empty()) return std::nullopt;
  const size_t all = groups.size();
  if (groups.size() > kDrawnGroups) groups.resize(kDrawnGroups);
  const bool bounded =
      std::ranges::any_of(groups, [](const Group& group) { return group.bound != "floor" && group.floor_us > 0; });
  const std::string sentence = fmt::format(
      "Time of each contender as a bar; the vertical line is the floor, the least time that the bytes and "
      "operations take at the GPU's peak{}{}.",
      bounded ? ", or, where it says so, the lower bound of this launch" : "",
      all > kDrawnGroups ? fmt::format("; the first {} of {} cases", kDrawnGroups, all) : "");
  Section section{"speed", "Speed and the floor", {}};
  section.elements.push_back(
      {Chart{"speed-chart", "", sentence, "speed-table", {}, [groups](double width) { return draw(groups, width); }}});
  section.elements.push_back({table_of(content)});
  return section;
}

}  // namespace assay::page
