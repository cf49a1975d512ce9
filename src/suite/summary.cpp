// SPDX-License-Identifier: MIT
#include "suite/summary.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "stats/holm.hpp"

namespace assay::suite {
namespace {

bool is_speedup(double value) {
  return std::isfinite(value) && value > 0;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

const Against* find(const Row& row, const std::string& baseline) {
  if (baseline.empty()) return row.fastest_baseline();
  const auto found = std::ranges::find(row.against, baseline, &Against::baseline);
  return found == row.against.end() ? nullptr : &*found;
}

// Why a row gives no speedup against this baseline; "" if it does.
std::string objection(const Row& row, const Against* against) {
  if (row.status != Status::measured) return fmt::format("{}: {}", to_string(row.status), row.reason);
  if (against == nullptr) return "no baseline that may be compared with";
  if (!against->objection.empty()) return fmt::format("{}: {}", against->baseline, against->objection);
  if (!against->speedup) return fmt::format("{}: not compared", against->baseline);
  if (!is_speedup(*against->speedup))
    return fmt::format("{}: a speedup of {} is no positive number", against->baseline, *against->speedup);
  return "";
}

Mean mean_of(const std::vector<Row>& rows, const std::vector<size_t>& chosen, std::string subject,
             std::string baseline) {
  Mean mean{std::move(subject), std::move(baseline), 0, {}, {}, {}, {}};
  std::vector<double> speedups;
  for (const size_t index : chosen) {
    const Row& row = rows[index];
    const Against* against = find(row, mean.baseline);
    // A row without this baseline was never meant to be compared with it.
    if (against == nullptr && (!mean.baseline.empty() || row.against.empty())) continue;
    if (std::string reason = objection(row, against); !reason.empty()) {
      mean.left_out.push_back({index, std::move(reason)});
      continue;
    }
    const Extreme extreme{index, *against->speedup};
    speedups.push_back(extreme.speedup);
    if (!mean.best || extreme.speedup > mean.best->speedup) mean.best = extreme;
    if (!mean.worst || extreme.speedup < mean.worst->speedup) mean.worst = extreme;
  }
  mean.count = speedups.size();
  if (const auto value = geometric_mean(speedups)) mean.speedup = *value;
  return mean;
}

// Each baseline that one of these rows has; and the fastest, if a row has the choice.
void add_means(const std::vector<Row>& rows, const std::vector<size_t>& chosen, const std::string& subject,
               std::vector<Mean>& means) {
  std::vector<std::string> baselines;
  bool has_choice = false;
  for (const size_t index : chosen) {
    has_choice |= rows[index].against.size() > 1;
    for (const Against& against : rows[index].against) add_once(baselines, against.baseline);
  }
  has_choice |= baselines.size() > 1;
  if (has_choice) baselines.emplace_back();
  for (const std::string& baseline : baselines) means.push_back(mean_of(rows, chosen, subject, baseline));
}

}  // namespace

Result<double> geometric_mean(std::span<const double> values) {
  if (values.empty()) return Error{.message = "there is nothing to take the geometric mean of"};
  double sum = 0;
  for (const double value : values) {
    if (!is_speedup(value))
      return Error{.message = fmt::format("{} has no place in a geometric mean; expected numbers above 0", value)};
    sum += std::log(value);
  }
  return std::exp(sum / static_cast<double>(values.size()));
}

size_t correct_for_many(std::vector<Row>& rows) {
  std::vector<Against*> compared;
  std::vector<double> p_values;
  for (Row& row : rows) {
    if (row.status != Status::measured) continue;
    for (Against& against : row.against) {
      if (!against.comparable()) continue;
      compared.push_back(&against);
      p_values.push_back(against.p);
    }
  }
  const std::vector<double> adjusted = stats::holm(p_values);
  for (size_t i = 0; i < compared.size(); ++i) {
    Against& against = *compared[i];
    against.adjusted_p = adjusted[i];
    const bool decided = against.verdict == judge::Verdict::faster || against.verdict == judge::Verdict::slower;
    if (!decided || against.adjusted_p < against.alpha) continue;
    against.reason = fmt::format("{} by itself, but p is {:.2g} after Holm's correction over {} comparisons",
                                 to_string(against.verdict), against.adjusted_p, compared.size());
    against.verdict = judge::Verdict::inconclusive;
  }
  return compared.size();
}

std::set<std::string> kernels_with_several_configurations(const std::vector<Row>& rows) {
  std::map<std::string, std::string> first;
  std::set<std::string> several;
  for (const Row& row : rows) {
    if (first.emplace(row.kernel, row.configuration).first->second != row.configuration) several.insert(row.kernel);
  }
  return several;
}

Summary summarize(const std::vector<Row>& rows, size_t comparisons) {
  Summary summary;
  summary.comparisons = comparisons;
  const std::set<std::string> several = kernels_with_several_configurations(rows);
  std::vector<std::string> subjects;  // in order of appearance
  std::map<std::string, std::vector<size_t>> members;
  std::vector<size_t> all;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    summary.measured += row.status == Status::measured ? 1 : 0;
    summary.rejected += row.status == Status::rejected ? 1 : 0;
    summary.failed += row.status == Status::failed ? 1 : 0;
    summary.skipped += row.status == Status::skipped ? 1 : 0;
    summary.resumed += row.resumed ? 1 : 0;
    if (row.status == Status::skipped) continue;  // not meant to be compared
    all.push_back(i);
    const std::string subject =
        several.contains(row.kernel) ? fmt::format("{} {}", row.kernel, row.configuration) : row.kernel;
    std::vector<size_t>& list = members[subject];
    if (list.empty()) subjects.push_back(subject);
    list.push_back(i);
  }
  for (const std::string& subject : subjects) add_means(rows, members[subject], subject, summary.means);
  if (subjects.size() > 1) add_means(rows, all, "", summary.means);
  return summary;
}

ExitCode exit_code(const std::vector<Row>& rows) {
  ExitCode worst = ExitCode::good;
  for (const Row& row : rows) {
    if (row.exit_code == ExitCode::incorrect) return ExitCode::incorrect;
    if (row.exit_code != ExitCode::good) worst = row.exit_code;
  }
  return worst;
}

}  // namespace assay::suite
