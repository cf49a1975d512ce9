// SPDX-License-Identifier: MIT
// Who is fastest, in groups that the measurements can tell apart.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "page/drawing.hpp"
#include "page/ranking.hpp"
#include "page/read_attempt.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

// Where the machine's cost per hour was recorded.
std::string cost_text(const ledger::Attempt& attempt) {
  return attempt.cost ? fmt::format("{:.4f}", *attempt.cost) : "";
}

}  // namespace

std::optional<Section> leaderboard_section(const Content& content) {
  const std::vector<Board> boards = boards_of(content.history);
  std::map<int64_t, ledger::Attempt> attempts;
  for (const MeasuredCase& each : content.history) attempts[each.attempt.id] = each.attempt;
  Table table{"leaderboard-table",
              "Correct measurements under one contract, the fastest first; a tie group holds what the measurements "
              "cannot order",
              {{"case"},
               {"group"},
               {"contender"},
               {"p50", true},
               {"time beside the best", true},
               {"attempt", true},
               {"commit"},
               {"cost", true}},
              {},
              {}};
  int band = 0;
  for (const Board& board : boards) {
    int group = 0;
    for (const Ranked& ranked : board.ranked) {
      if (ranked.group != group || group == 0) ++band;
      group = ranked.group;
      const auto members = std::ranges::count_if(board.ranked, [&](const Ranked& each) { return each.group == group; });
      const double ratio = ranked.p50_us / board.ranked.front().p50_us;
      table.rows.push_back(
          {{plain(fmt::format("{} on {}, {}", board.shape, board.gpu, board.protocol))},
           {members > 1 ? toned(fmt::format("{} (tie of {})", group, members), Tone::warning)
                        : plain(std::to_string(group)),
            static_cast<double>(group)},
           {Text{{ranked.name, Span::Kind::strong}, {ranked.variant.empty() ? "" : " " + ranked.variant}}},
           {plain(time_text(ranked.p50_us)), ranked.p50_us},
           {plain(fmt::format("{:.3f}x ({:.3f} to {:.3f})", ratio, ranked.median_us.low / board.ranked.front().p50_us,
                              ranked.median_us.high / board.ranked.front().p50_us)),
            ratio},
           {link(std::to_string(ranked.attempt), fmt::format("attempt-{}", ranked.attempt)),
            static_cast<double>(ranked.attempt)},
           {plain(commit_of(attempts.at(ranked.attempt)).substr(0, 10))},
           {plain(cost_text(attempts.at(ranked.attempt))), attempts.at(ranked.attempt).cost.value_or(0)}});
      table.bands.push_back(band);
    }
  }
  if (table.rows.empty()) return std::nullopt;
  Section section{"leaderboard", "Leaderboard", {}};
  section.elements.push_back(
      {Paragraph{plain(fmt::format("{}. Two contenders tie if a comparison in one run calls them the same or cannot "
                                   "decide, or, in different runs, if the "
                                   "intervals of their medians overlap or differ by less than 1 %.",
                                   counted(boards.size(), "case")))}});
  section.elements.push_back({std::move(table)});
  return section;
}

}  // namespace assay::page
