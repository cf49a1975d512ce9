// SPDX-License-Identifier: MIT
// One case over the attempts that were made at it: only figures of one contract share a line.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "ledger/time_text.hpp"
#include "page/drawing.hpp"
#include "page/read_attempt.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

constexpr size_t kDrawnLines = 8;

struct Entry {
  ledger::Attempt attempt;
  double value = 0;
  double low = 0;
  double high = 0;
};

struct Line {
  std::string name;
  std::string unit;  // "us", "" for a count
  std::string word;  // measured, counted
  std::vector<Entry> entries;
};

std::vector<Line> lines_of(const Content& content) {
  std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, Line> lines;
  for (const MeasuredCase& each : content.history) {
    const MeasuredContender& candidate = each.contenders.front();
    if (!candidate.good || !candidate.p50_us) continue;
    Line& line = lines[{"1", each.attempt.kernel, each.attempt.shape, each.protocol, each.attempt.comparable}];
    line.name = fmt::format("p50 of {} at {} on {}, {}", each.attempt.kernel, each.attempt.shape,
                            each.gpu.empty() ? each.attempt.device : each.gpu, each.protocol);
    line.unit = "us";
    line.word = "measured";
    line.entries.push_back({each.attempt, *candidate.p50_us, candidate.median_us.low, candidate.median_us.high});
  }
  for (const ProfiledCase& each : content.profile_history) {
    const auto found = each.counters.find("ptx_instructions");
    if (found == each.counters.end()) continue;
    Line& line = lines[{"2", each.attempt.kernel, each.attempt.shape, each.attempt.device, ""}];
    line.name =
        fmt::format("PTX instructions of {} at {} on {}", each.attempt.kernel, each.attempt.shape, each.attempt.device);
    line.word = "counted";
    line.entries.push_back({each.attempt, found->second, found->second, found->second});
  }
  std::vector<Line> list;
  for (auto& [key, line] : lines) {
    if (line.entries.size() > 1) list.push_back(std::move(line));
  }
  return list;
}

// What was built: the commit where it is known, else the source.
std::string state_of(const ledger::Attempt& attempt) {
  const std::string commit = commit_of(attempt);
  return commit.empty() ? "source " + attempt.source_hash.substr(0, 7) : commit.substr(0, 7);
}

std::string draw(const Line& line, double width) {
  const double height = 210;
  Drawing drawing(width, height);
  double low = 1e300;
  double high = 0;
  for (const Entry& entry : line.entries) {
    low = std::min(low, entry.value);
    high = std::max(high, entry.value);
  }
  const double room = std::max((high - low) * 0.15, high * 0.01);
  const auto last = static_cast<double>(line.entries.size() - 1);
  const Scale x = Scale::linear(-0.3, last + 0.3, 66, width - 14);
  const Scale y = Scale::linear(std::max(0.0, low - room), high + room, height - 44, 28);
  for (const double tick : y.ticks(4)) {
    drawing.line(x(-0.3), y(tick), x(last + 0.3), y(tick), "grid");
    drawing.text(60, y(tick) + 4, tick >= 1e7 ? fmt::format("{:.4g}", tick) : short_number(tick), "tick", Anchor::end);
  }
  drawing.line(66, height - 44, width - 14, height - 44, "axis");
  drawing.text(4, 14, line.unit.empty() ? line.word : line.unit + ", " + line.word, "name");
  std::string steps;
  for (size_t i = 0; i < line.entries.size(); ++i) {
    const Entry& entry = line.entries[i];
    const double across = x(static_cast<double>(i));
    steps +=
        i == 0 ? fmt::format("M{}", at(across, y(entry.value))) : fmt::format("H{:.1f}V{:.1f}", across, y(entry.value));
  }
  drawing.path(steps, "join c0");
  double free_from = 0;
  std::string before;
  for (size_t i = 0; i < line.entries.size(); ++i) {
    const Entry& entry = line.entries[i];
    const double across = x(static_cast<double>(i));
    const std::string state = state_of(entry.attempt);
    if (entry.high > entry.low) drawing.line(across, y(entry.low), across, y(entry.high), "curve c0");
    drawing.circle(across, y(entry.value), 4, "point c0",
                   fmt::format("attempt {}, {}: {}{}", entry.attempt.id, state, short_number(entry.value),
                               line.unit.empty() ? "" : " " + line.unit));
    if (state == before) continue;
    before = state;
    const double half = text_width(state) / 2;
    drawing.line(across, height - 44, across, height - 38, "axis");
    if (across - half < free_from || across + half > width) continue;
    drawing.text(across, height - 24, state, "tick", Anchor::middle);
    free_from = across + half + 10;
  }
  drawing.text(width - 14, height - 6,
               width < 500 ? "attempts, the oldest first" : "attempts, the oldest first; named where the state changed",
               "name", Anchor::end);
  return drawing.svg();
}

Table table_of(const Line& line, const std::string& id) {
  Table table{id,
              line.name,
              {{"attempt"},
               {"when"},
               {"state"},
               {"configuration"},
               {line.unit.empty() ? "count" : "p50", true},
               {"change", true}},
              {}};
  double before = 0;
  for (const Entry& entry : line.entries) {
    const double change = before > 0 ? (entry.value - before) / before : 0;
    table.rows.push_back({{link(std::to_string(entry.attempt.id), fmt::format("attempt-{}", entry.attempt.id))},
                          {plain(ledger::iso_time(entry.attempt.time_us))},
                          {code(state_of(entry.attempt))},
                          {plain(entry.attempt.configuration)},
                          {plain(line.unit.empty() ? grouped(entry.value) : time_text(entry.value)), entry.value},
                          before > 0
                              ? Cell{toned(fmt::format("{:+.1f} %", 100 * change), change > 0.01    ? Tone::bad
                                                                                   : change < -0.01 ? Tone::good
                                                                                                    : Tone::quiet),
                                     change}
                              : Cell{}});
    before = entry.value;
  }
  return table;
}

}  // namespace

std::optional<Section> history_section(const Content& content) {
  const std::vector<Line> lines = lines_of(content);
  if (lines.empty()) return std::nullopt;
  Section section{"history", "History", {}};
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line& line = lines[i];
    const std::string id = fmt::format("history{}", i);
    if (i < kDrawnLines)
      section.elements.push_back({Chart{id,
                                        "",
                                        fmt::format("{} over {} attempts.", line.name, line.entries.size()),
                                        id + "-table",
                                        {},
                                        [line](double width) { return draw(line, width); }}});
    section.elements.push_back({Fold{plain(line.name + ", as a table"), {{table_of(line, id + "-table")}}}});
  }
  return section;
}

}  // namespace assay::page
