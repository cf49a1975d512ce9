// SPDX-License-Identifier: MIT
// A tuning as a table: a row for each configuration that was evaluated, a column for each of its tunables. The map, the
// parallel axes and the data for script are made of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "page/content.hpp"

namespace assay::page {

inline constexpr const char* kNoValue = "-";  // of a tunable that a configuration does not name

struct TunableColumn {
  std::string name;
  std::vector<std::string> values;  // numbers by size, words by letters
  bool numbers = false;
  std::optional<double> share{};  // of the variance of log time that its value alone explains
};

struct LandscapeRow {
  std::vector<size_t> values;   // for each column the index of its value
  std::optional<double> ratio;  // to the best; empty: it failed
  size_t rank = 0;              // the best is 0; those that failed come last
  bool tied = false;            // of the tie group
};

struct Landscape {
  std::vector<TunableColumn> columns;  // in the order of the configurations' text
  std::vector<size_t> varied;          // columns with more than one value
  std::vector<LandscapeRow> rows;      // beside TunedCase::points
  double best = 0;                     // the least value; 0: none has one
  double worst_ratio = 1;
};
Landscape landscape_of(const TunedCase& tuned);

// Which two tunables the map shows. Of all pairs of tunables that vary (of the 16 that explain most alone, if more do):
// the one whose values together explain most of the variance of log time, corrected for the number of cells, where a
// cell holds at least two results on average. If no pair has so many: the two that explain most alone. If there is
// nothing to explain: the first two.
struct MapChoice {
  std::optional<size_t> across;   // columns; `across` has more values, and words stand at the side
  std::optional<size_t> down;     // empty: one tunable varies
  std::optional<double> share{};  // of the variance that they explain together
};
MapChoice choose_map(const Landscape& landscape);

// "compile" as "compile error": what became of a configuration that gave no result.
std::string outcome_text(std::string_view failure);

// The rows that are drawn and listed one by one: all of a small tuning. Of a large one the best, the tie group, the
// best with each value, the first of each failure, and of the others every n-th from the best to the worst.
inline constexpr size_t kListedRows = 200;
inline constexpr size_t kBestRows = 12;
std::vector<size_t> listed_rows(const TunedCase& tuned, const Landscape& landscape);

}  // namespace assay::page
