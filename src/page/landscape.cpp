// SPDX-License-Identifier: MIT
#include "page/landscape.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "base/text.hpp"
#include "stats/explained_variance.hpp"

namespace assay::page {
namespace {

constexpr double kMostRatio = 1e12;    // what a ledger may hold beyond that is no time
constexpr size_t kColumns = 64;        // tunables; of more only the first are looked at
constexpr size_t kPairedColumns = 16;  // of which all pairs are tried

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// "A=1,B=x". A part without a sign of equality belongs to the value before it.
NamedValues named_values_of(const std::string& configuration) {
  NamedValues values;
  for (const std::string_view part : split(configuration, ',')) {
    const size_t equals = part.find('=');
    if (equals != std::string_view::npos) {
      values.emplace_back(trim(part.substr(0, equals)), trim(part.substr(equals + 1)));
    } else if (!values.empty()) {
      values.back().second += "," + std::string(part);
    }
  }
  return values;
}

std::optional<double> number_in(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void order_values(TunableColumn& column) {
  column.numbers =
      std::ranges::all_of(column.values, [](const std::string& value) { return number_in(value).has_value(); });
  if (column.numbers) {
    std::ranges::sort(column.values, {}, [](const std::string& value) { return std::pair(number_in(value), value); });
  } else {
    std::ranges::sort(column.values);
  }
}

// The values of all configurations, in columns; what one does not name has no value there.
void fill_columns(const TunedCase& tuned, Landscape& landscape) {
  std::vector<NamedValues> texts;
  std::map<std::string, size_t> place;
  std::vector<std::set<std::string>> values;
  for (const TunedPoint& point : tuned.points) {
    texts.push_back(named_values_of(point.configuration));
    for (const auto& [name, value] : texts.back()) {
      if (!place.contains(name) && place.size() < kColumns) {
        place.emplace(name, landscape.columns.size());
        landscape.columns.push_back({name, {}});
        values.emplace_back();
      }
      if (const auto found = place.find(name); found != place.end()) values[found->second].insert(value);
    }
  }
  std::vector<size_t> named(landscape.columns.size());
  for (const NamedValues& text : texts) {
    std::set<std::string> names;
    for (const auto& [name, value] : text) {
      if (place.contains(name) && names.insert(name).second) ++named[place[name]];
    }
  }
  std::vector<std::map<std::string, size_t>> index(landscape.columns.size());
  for (size_t i = 0; i < landscape.columns.size(); ++i) {
    TunableColumn& column = landscape.columns[i];
    if (named[i] < texts.size()) values[i].insert(kNoValue);
    column.values.assign(values[i].begin(), values[i].end());
    order_values(column);
    for (size_t k = 0; k < column.values.size(); ++k) index[i][column.values[k]] = k;
    if (column.values.size() > 1) landscape.varied.push_back(i);
  }
  for (const NamedValues& text : texts) {
    LandscapeRow row;
    for (const auto& known : index) {
      const auto none = known.find(kNoValue);
      row.values.push_back(none == known.end() ? 0 : none->second);
    }
    for (const auto& [name, value] : text) {
      if (const auto found = place.find(name); found != place.end())
        row.values[found->second] = index[found->second][value];
    }
    landscape.rows.push_back(std::move(row));
  }
}

void fill_results(const TunedCase& tuned, Landscape& landscape) {
  const auto has_result = [](const TunedPoint& point) { return point.value && *point.value > 0; };
  for (const TunedPoint& point : tuned.points) {
    if (has_result(point) && (landscape.best == 0 || *point.value < landscape.best)) landscape.best = *point.value;
  }
  for (size_t i = 0; i < tuned.points.size(); ++i) {
    LandscapeRow& row = landscape.rows[i];
    row.tied = std::ranges::find(tuned.tie_group, tuned.points[i].configuration) != tuned.tie_group.end();
    if (!has_result(tuned.points[i])) continue;
    row.ratio = std::min(*tuned.points[i].value / landscape.best, kMostRatio);
    landscape.worst_ratio = std::max(landscape.worst_ratio, *row.ratio);
  }
  std::vector<size_t> order(landscape.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return landscape.rows[i].ratio.value_or(HUGE_VAL); });
  for (size_t rank = 0; rank < order.size(); ++rank) landscape.rows[order[rank]].rank = rank;
}

// The results' logarithms, and their groups: a number for each combination of the columns' values.
struct Grouped {
  std::vector<double> logs;
  std::vector<size_t> groups;
  std::set<size_t> different;
};
Grouped grouped_by(const Landscape& landscape, const std::vector<size_t>& columns) {
  Grouped grouped;
  for (const LandscapeRow& row : landscape.rows) {
    if (!row.ratio) continue;
    size_t group = 0;
    for (const size_t column : columns) group = group * landscape.columns[column].values.size() + row.values[column];
    grouped.logs.push_back(std::log(*row.ratio));
    grouped.groups.push_back(group);
    grouped.different.insert(group);
  }
  return grouped;
}

std::optional<double> share_of(const Grouped& grouped) {
  return stats::explained_variance(grouped.logs, grouped.groups);
}

MapChoice placed(const Landscape& landscape, size_t first, size_t second, std::optional<double> share) {
  const TunableColumn& a = landscape.columns[first];
  const TunableColumn& b = landscape.columns[second];
  const bool swapped = a.numbers != b.numbers ? b.numbers : b.values.size() > a.values.size();
  return swapped ? MapChoice{second, first, share} : MapChoice{first, second, share};
}

}  // namespace

Landscape landscape_of(const TunedCase& tuned) {
  Landscape landscape;
  fill_columns(tuned, landscape);
  fill_results(tuned, landscape);
  for (const size_t i : landscape.varied) landscape.columns[i].share = share_of(grouped_by(landscape, {i}));
  return landscape;
}

MapChoice choose_map(const Landscape& landscape) {
  std::vector<size_t> varied = landscape.varied;
  if (varied.empty()) return {};
  if (varied.size() == 1) return {varied[0], std::nullopt, landscape.columns[varied[0]].share};
  std::ranges::stable_sort(varied, std::greater(), [&](size_t i) { return landscape.columns[i].share.value_or(-1); });
  if (varied.size() > kPairedColumns) varied.resize(kPairedColumns);
  std::optional<MapChoice> chosen;
  for (size_t i = 0; i < varied.size(); ++i) {
    for (size_t k = i + 1; k < varied.size(); ++k) {
      const Grouped grouped = grouped_by(landscape, {varied[i], varied[k]});
      if (grouped.logs.size() < 2 * grouped.different.size()) continue;
      const std::optional<double> share = share_of(grouped);
      if (share && (!chosen || *share > *chosen->share)) chosen = placed(landscape, varied[i], varied[k], share);
    }
  }
  if (chosen) return *chosen;
  return placed(landscape, varied[0], varied[1], share_of(grouped_by(landscape, {varied[0], varied[1]})));
}

std::string outcome_text(std::string_view failure) {
  if (failure.empty()) return "not known";
  if (failure == "compile") return "compile error";
  if (failure == "does_not_fit") return "does not fit";
  if (failure == "incorrect") return "wrong result";
  if (failure == "runtime") return "runtime error";
  if (failure == "machine") return "worker lost";
  return std::string(failure);
}

std::vector<size_t> listed_rows(const TunedCase& tuned, const Landscape& landscape) {
  std::vector<size_t> ranked(landscape.rows.size());
  for (size_t i = 0; i < landscape.rows.size(); ++i) ranked[landscape.rows[i].rank] = i;
  if (ranked.size() <= kListedRows) return ranked;
  constexpr size_t kTied = 50;
  constexpr size_t kEveryNth = 100;
  std::set<size_t> ranks;
  std::set<std::pair<size_t, size_t>> values;  // column and value that have their best
  std::set<std::string> failures;
  size_t tied = 0;
  for (size_t rank = 0; rank < ranked.size(); ++rank) {
    const LandscapeRow& row = landscape.rows[ranked[rank]];
    if (rank < kBestRows || (row.tied && ++tied <= kTied)) ranks.insert(rank);
    if (!row.ratio && ranks.size() < kListedRows && failures.insert(tuned.points[ranked[rank]].failure).second)
      ranks.insert(rank);
    for (const size_t column : landscape.varied) {
      if (row.ratio && ranks.size() < kListedRows && values.emplace(column, row.values[column]).second)
        ranks.insert(rank);
    }
  }
  for (size_t i = 0; i < kEveryNth; ++i) ranks.insert(i * (ranked.size() - 1) / (kEveryNth - 1));
  std::vector<size_t> listed;
  for (const size_t rank : ranks) listed.push_back(ranked[rank]);
  return listed;
}

}  // namespace assay::page
