// SPDX-License-Identifier: MIT
// What a tuning found: a map of two tunables, parallel axes of all, the evaluations in their order, and the tables
// behind them.
#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <memory>

#include "base/text.hpp"
#include "page/drawing.hpp"
#include "page/landscape.hpp"
#include "page/sections.hpp"
#include "page/tuning_lines.hpp"
#include "page/tuning_map.hpp"
#include "page/tuning_order.hpp"

namespace assay::page {
namespace {

constexpr size_t kNamedValues = 8;   // of a tunable, in the table of tunables
constexpr size_t kAxesForLines = 3;  // tunables from which on parallel axes say more than the map
constexpr size_t kTabledTunables = 24;

// One tuning, and what is made of it. Charts keep it alive.
struct Shown {
  TunedCase tuned;
  Landscape landscape;
  MapChoice choice;
  std::vector<size_t> listed;
  size_t failed = 0;
};
using ShownTuning = std::shared_ptr<const Shown>;

ShownTuning shown_of(const TunedCase& tuned) {
  auto shown = std::make_shared<Shown>();
  shown->tuned = tuned;
  shown->landscape = landscape_of(tuned);
  shown->choice = choose_map(shown->landscape);
  shown->listed = listed_rows(tuned, shown->landscape);
  shown->failed = static_cast<size_t>(
      std::ranges::count_if(shown->landscape.rows, [](const LandscapeRow& row) { return !row.ratio.has_value(); }));
  return shown;
}

std::string table_id(const Shown& shown) {
  return fmt::format("tuning-{}", shown.tuned.attempt.id);
}
bool lists_all_openly(const Shown& shown) {
  return shown.landscape.rows.size() <= kBestRows && shown.failed == 0;
}

std::string percent_of(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

Cell ratio_cell(const std::optional<double>& ratio) {
  return ratio ? Cell{plain(fmt::format("{:.3f}", *ratio)), ratio} : Cell{plain("-")};
}

Text outcome_of(const Shown& shown, size_t index) {
  const LandscapeRow& row = shown.landscape.rows[index];
  const TunedPoint& point = shown.tuned.points[index];
  if (row.ratio) return row.tied ? toned("tied", Tone::good) : plain("");
  Text text = toned(outcome_text(point.failure), Tone::bad);
  if (!point.message.empty()) text.push_back({": " + point.message});
  return text;
}

Table rows_table(const Shown& shown, const std::string& id, const std::string& caption, const std::vector<size_t>& rows,
                 bool with_ids) {
  Table table{id, caption, {{"configuration"}, {shown.tuned.unit, true}, {"times the best", true}, {"outcome"}}, {}};
  for (const size_t index : rows) {
    const LandscapeRow& row = shown.landscape.rows[index];
    const TunedPoint& point = shown.tuned.points[index];
    Cell name{code(point.configuration)};
    if (with_ids) name.id = fmt::format("{}-e{}", table_id(shown), index);
    table.rows.push_back({std::move(name),
                          row.ratio ? Cell{plain(short_number(*point.value)), point.value} : Cell{plain("-")},
                          ratio_cell(row.ratio),
                          {outcome_of(shown, index)}});
  }
  return table;
}

// The best ones openly, and every one that is listed in a fold, where links lead.
void add_rows(const Shown& shown, std::vector<Element>& elements) {
  const TunedCase& tuned = shown.tuned;
  const std::string where = fmt::format("{} on {}", tuned.attempt.kernel, tuned.attempt.device);
  const size_t count = shown.landscape.rows.size();
  std::vector<size_t> best;
  for (const size_t index : shown.listed) {
    if (shown.landscape.rows[index].ratio && shown.landscape.rows[index].rank < kBestRows) best.push_back(index);
  }
  const std::string of_all = fmt::format(
      "{} of {} ({})", grouped(static_cast<double>(count)) + " evaluated configuration" + (count == 1 ? "" : "s"),
      grouped(std::max(tuned.configurations, static_cast<double>(count))), tuned.quantity);
  if (!best.empty())
    elements.push_back({rows_table(shown, table_id(shown), fmt::format("{}: the best of {}", where, of_all), best,
                                   lists_all_openly(shown))});
  if (lists_all_openly(shown)) return;
  Table all = rows_table(shown, table_id(shown) + "-all", where + ": " + of_all, shown.listed, true);
  all.page_only = true;
  const std::string summary =
      shown.listed.size() == count
          ? fmt::format("All {} that were evaluated", counted(count, "configuration"))
          : fmt::format(
                "{} of the {} configurations that were evaluated: the best, the tie group, the best with each value, "
                "the first of each failure, and every n-th of the others",
                shown.listed.size(), grouped(static_cast<double>(count)));
  elements.push_back({Fold{plain(summary), {{std::move(all)}}}});
}

// The best with each value of a tunable, as "64: 1.00, 128: 1.21".
std::string best_by_value(const Landscape& landscape, size_t column) {
  const TunableColumn& tunable = landscape.columns[column];
  if (tunable.values.size() > kNamedValues) return counted(tunable.values.size(), "value");
  std::vector<std::optional<double>> best(tunable.values.size());
  for (const LandscapeRow& row : landscape.rows) {
    std::optional<double>& of_value = best[row.values[column]];
    if (row.ratio && (!of_value || *row.ratio < *of_value)) of_value = row.ratio;
  }
  std::vector<std::string> parts;
  for (size_t i = 0; i < best.size(); ++i)
    parts.push_back(fmt::format("{}: {}", tunable.values[i], best[i] ? fmt::format("{:.2f}", *best[i]) : "failed"));
  return join(parts, ", ");
}

// The landscape in a few lines, which Markdown has as well.
Table tunables_table(const Shown& shown) {
  const Landscape& landscape = shown.landscape;
  Table table{fmt::format("tuning-tunables-{}", shown.tuned.attempt.id),
              fmt::format("{} on {}: what each tunable alone explains of the variance of log time, and the best with "
                          "each value in times of the best of all ({})",
                          shown.tuned.attempt.kernel, shown.tuned.attempt.device, shown.tuned.quantity),
              {{"tunable"}, {"explains", true}, {"best with each value"}},
              {}};
  for (const size_t column : landscape.varied) {
    const std::optional<double> share = landscape.columns[column].share;
    table.rows.push_back({{code(landscape.columns[column].name)},
                          share ? Cell{plain(percent_of(*share)), share, share} : Cell{plain("-")},
                          {plain(best_by_value(landscape, column))}});
  }
  std::ranges::stable_sort(table.rows, std::greater(), [](const auto& row) { return row[1].order.value_or(-1); });
  if (table.rows.size() > kTabledTunables) table.rows.resize(kTabledTunables);
  return table;
}

Table cells_table(const Shown& shown, const TuningMap& map) {
  Table table{fmt::format("tuning-cells-{}", shown.tuned.attempt.id), "The cells of the map", {}, {}};
  table.page_only = true;
  table.columns.push_back({map.across.name});
  if (!map.down.name.empty()) table.columns.push_back({map.down.name});
  for (const Column& column :
       {Column{"times the best", true}, {"tried", true}, {"failed", true}, {"best configuration, or why all failed"}})
    table.columns.push_back(column);
  for (size_t y = 0; y < map.down.labels.size(); ++y) {
    for (size_t x = 0; x < map.across.labels.size(); ++x) {
      const MapCell& cell = map.at(x, y);
      if (cell.tried == 0) continue;
      std::vector<Cell> row{{plain(map.across.labels[x]), static_cast<double>(x)}};
      if (!map.down.name.empty()) row.push_back({plain(map.down.labels[y]), static_cast<double>(y)});
      row.push_back(ratio_cell(cell.best ? shown.landscape.rows[*cell.best].ratio : std::nullopt));
      row.push_back({plain(grouped(static_cast<double>(cell.tried))), static_cast<double>(cell.tried)});
      row.push_back({plain(grouped(static_cast<double>(cell.failed))), static_cast<double>(cell.failed)});
      row.push_back({cell.best ? code(shown.tuned.points[*cell.best].configuration)
                               : toned(outcome_text(cell.failure), Tone::bad)});
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::string map_sentence(const Shown& shown, const TuningMap& map) {
  const std::string what =
      map.down.name.empty()
          ? fmt::format("{} with the values of {}", shown.tuned.attempt.kernel, map.across.name)
          : fmt::format("{} with {} across and {} down", shown.tuned.attempt.kernel, map.across.name, map.down.name);
  const std::string explained =
      !shown.choice.share ? ""
      : map.down.name.empty()
          ? fmt::format(" It explains {} of the variance of log time.", percent_of(*shown.choice.share))
          : fmt::format(" Together they explain {} of the variance of log time.", percent_of(*shown.choice.share));
  if (shown.landscape.best <= 0)
    return what + ": each cell says how most of the configurations failed that were tried there.";
  return fmt::format(
      "{}: each cell is the best of the configurations that were tried there, in times of the best of "
      "all ({}).{}",
      what, shown.tuned.quantity, explained);
}

std::vector<LegendEntry> map_legend(const Shown& shown, const TuningMap& map) {
  std::vector<LegendEntry> legend;
  const auto any = [&](auto&& is) { return std::ranges::any_of(map.cells, is); };
  if (shown.landscape.best > 0) {
    legend.push_back({"the best of all", 0, false, "near"});
    legend.push_back(
        {fmt::format("{:.2f} times the best{}", std::min(map.worst_ratio, 4.0), map.worst_ratio > 4 ? " and more" : ""),
         0, false, "far"});
  }
  if (any([](const MapCell& cell) { return cell.tied; }))
    legend.push_back({"holds the tie group or a part of it", 1, true, "tied"});
  if (any([](const MapCell& cell) { return cell.tried > 0 && !cell.best; }))
    legend.push_back({"all that were tried failed", 0, false, "failed"});
  if (any([](const MapCell& cell) { return cell.tried == 0; })) legend.push_back({"not tried", 0, false, "untried"});
  return legend;
}

void add_map(const ShownTuning& shown, std::vector<Element>& elements) {
  if (!shown->choice.across) return;
  auto map = std::make_shared<const TuningMap>(map_of(shown->tuned, shown->landscape, shown->choice));
  Table cells = cells_table(*shown, *map);
  elements.push_back({Chart{fmt::format("tuning{}-map", shown->tuned.attempt.id), "map", map_sentence(*shown, *map),
                            cells.id, map_legend(*shown, *map),
                            [shown, map](double width) { return draw_map(*map, shown->landscape, width); }}});
  const std::string summary = fmt::format("The {} of the map as a table", counted(cells.rows.size(), "cell"));
  elements.push_back({Fold{plain(summary), {{std::move(cells)}}}});
}

void add_lines(const ShownTuning& shown, std::vector<Element>& elements) {
  if (shown->landscape.varied.size() < kAxesForLines) return;
  const size_t count = shown->landscape.rows.size();
  std::string sentence = fmt::format(
      "{} of {}: a line for {}, through its value of each tunable{} to its time. Within a value the fastest are on the "
      "left{}.",
      shown->listed.size() == count ? "Every configuration" : "Configurations", shown->tuned.attempt.kernel,
      shown->listed.size() == count
          ? "each"
          : fmt::format("{} of {}", shown->listed.size(), grouped(static_cast<double>(count))),
      shown->failed > 0 ? " and its outcome" : "", shown->failed > 0 ? "; dashed lines failed" : "");
  if (shown->landscape.varied.size() > kDrawnAxes)
    sentence += fmt::format(" The first {} of {} tunables are drawn.", kDrawnAxes, shown->landscape.varied.size());
  std::vector<LegendEntry> legend;
  if (shown->landscape.best > 0)
    legend = {{"near the best", 0, false, "near-line"}, {"far from it", 0, false, "far-line"}};
  if (std::ranges::any_of(shown->landscape.rows, &LandscapeRow::tied))
    legend.push_back({"tie group", 1, false, "tied-line"});
  if (shown->failed > 0) legend.push_back({"failed", 3, false, "failed-line"});
  elements.push_back({Chart{fmt::format("tuning{}-lines", shown->tuned.attempt.id), "lines", sentence,
                            table_id(*shown) + (lists_all_openly(*shown) ? "" : "-all"), legend, [shown](double width) {
                              return draw_lines(shown->tuned, shown->landscape, shown->listed, width);
                            }}});
}

void add_order(const ShownTuning& shown, std::vector<Element>& elements) {
  if (shown->landscape.best <= 0) return;
  elements.push_back({Chart{
      fmt::format("tuning{}", shown->tuned.attempt.id),
      "",
      fmt::format(
          "Every configuration of {} that was evaluated, in times of the best, in the order of its "
          "evaluation; the line is the best so far{} ({}).",
          shown->tuned.attempt.kernel,
          shown->failed > 0 ? fmt::format(", and ticks at the bottom are the {} that failed", shown->failed) : "",
          shown->tuned.quantity),
      table_id(*shown),
      {},
      [shown](double width) { return draw_order(shown->landscape, width); }}});
}

// Why configurations gave no time, the most frequent reason first.
std::optional<Table> failures_of(const TunedCase& tuned) {
  std::map<std::string, std::vector<const TunedPoint*>> reasons;
  for (const TunedPoint& each : tuned.points) {
    if (!each.value) reasons[each.failure].push_back(&each);
  }
  if (reasons.empty()) return std::nullopt;
  const bool told = std::ranges::any_of(tuned.points, [](const TunedPoint& each) { return !each.message.empty(); });
  Table table{fmt::format("tuning-failed-{}", tuned.attempt.id),
              fmt::format("{} on {}: configurations that gave no result", tuned.attempt.kernel, tuned.attempt.device),
              {{"outcome"}, {"configurations", true}, {"the first of them"}},
              {}};
  if (told) table.columns.push_back({"its message"});
  for (const auto& [reason, points] : reasons) {
    const auto many = static_cast<double>(points.size());
    table.rows.push_back(
        {{plain(outcome_text(reason))}, {plain(grouped(many)), many}, {code(points.front()->configuration)}});
    if (told) table.rows.back().push_back({plain(points.front()->message)});
  }
  std::ranges::stable_sort(table.rows, std::greater(), [](const std::vector<Cell>& row) { return *row[1].order; });
  return table;
}

// What one value alone has is said and not drawn.
Text summary_of(const Shown& shown) {
  const Landscape& landscape = shown.landscape;
  const TunedCase& tuned = shown.tuned;
  const size_t count = landscape.rows.size();
  std::string text = fmt::format(": {} of {} evaluated", grouped(static_cast<double>(count)),
                                 grouped(std::max(tuned.configurations, static_cast<double>(count))));
  if (shown.failed > 0) text += fmt::format(", {} failed", shown.failed);
  if (landscape.best <= 0) {
    text += ". None gave a result.";
  } else if (landscape.worst_ratio == 1 && count - shown.failed > 1) {
    text += ". All that ran have the same value.";
  } else {
    text += fmt::format(". The slowest takes {:.2f} times the best.", landscape.worst_ratio);
  }
  std::vector<std::string> fixed;
  for (const TunableColumn& column : landscape.columns) {
    if (column.values.size() == 1 && count > 1) fixed.push_back(column.name + "=" + column.values.front());
  }
  Text sentence{{fmt::format("{} on {}", tuned.attempt.kernel, tuned.attempt.device), Span::Kind::strong}, {text}};
  if (fixed.empty()) return sentence;
  if (fixed.size() > kNamedValues) {
    sentence.push_back({fmt::format(" {} tunables have one value in all of them.", fixed.size())});
  } else {
    sentence.push_back({" The same in all of them: "});
    sentence.push_back({join(fixed, ", "), Span::Kind::code});
    sentence.push_back({"."});
  }
  return sentence;
}

}  // namespace

std::optional<Section> tuning_section(const Content& content) {
  Section section{"tuning", "Tuning", {}};
  for (const TunedCase& each : content.tuned) {
    const ShownTuning shown = shown_of(each);
    section.elements.push_back({Paragraph{summary_of(*shown)}});
    add_map(shown, section.elements);
    if (!shown->landscape.varied.empty() && shown->landscape.best > 0)
      section.elements.push_back({tunables_table(*shown)});
    add_lines(shown, section.elements);
    add_order(shown, section.elements);
    add_rows(*shown, section.elements);
    if (auto table = failures_of(each)) section.elements.push_back({std::move(*table)});
  }
  return section.elements.empty() ? std::nullopt : std::optional(std::move(section));
}

}  // namespace assay::page
