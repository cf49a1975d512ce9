// SPDX-License-Identifier: MIT
// The report of a period: what was tried, what it brought, what it cost, and what did not work.
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

#include "base/text.hpp"
#include "ledger/time_text.hpp"
#include "page/drawing.hpp"
#include "page/read_attempt.hpp"
#include "page/sections.hpp"

namespace assay::page {
namespace {

using ledger::Attempt;
using ledger::Kind;

// A run and a suite are made of attempts of their own, whose time must not count twice.
bool counts(const Attempt& attempt) {
  return attempt.kind != Kind::run && attempt.kind != Kind::suite;
}

std::string hours(double seconds) {
  if (seconds < 120) return short_number(seconds) + " s";
  return seconds < 7200 ? short_number(seconds / 60) + " min" : short_number(seconds / 3600) + " h";
}

std::string kernel_name(const std::string& name) {
  return name.empty() ? "(none, or several)" : name;
}

struct Sum {
  size_t attempts = 0;
  size_t good = 0;
  double seconds = 0;
  std::optional<double> cost;
  std::map<std::string, size_t> kinds;

  void add(const Attempt& attempt) {
    ++attempts;
    good += attempt.exit_code == 0 ? 1 : 0;
    ++kinds[std::string(to_string(attempt.kind))];
    if (!counts(attempt)) return;
    seconds += attempt.duration_s;
    if (attempt.cost) cost = cost.value_or(0) + *attempt.cost;
  }
  std::vector<Cell> row(Text name) const {
    std::vector<std::string> parts;
    for (const auto& [kind, count] : kinds) parts.push_back(fmt::format("{} {}", count, kind));
    return {{std::move(name)},
            {plain(std::to_string(attempts)), static_cast<double>(attempts)},
            {plain(join(parts, ", "))},
            {plain(std::to_string(good)), static_cast<double>(good)},
            {plain(hours(seconds)), seconds},
            {plain(cost ? fmt::format("{:.2f}", *cost) : "not recorded"), cost}};
  }
};

Table tried(const Content& content) {
  Table table{"tried",
              "What was tried, and what it cost",
              {{"kernel"}, {"attempts", true}, {"of which"}, {"ended well", true}, {"time", true}, {"cost", true}},
              {}};
  std::map<std::string, Sum> kernels;
  Sum all;
  for (const Attempt& attempt : content.attempts) {
    kernels[attempt.kernel].add(attempt);
    all.add(attempt);
  }
  for (const auto& [kernel, sum] : kernels) table.rows.push_back(sum.row(plain(kernel_name(kernel))));
  table.rows.push_back(all.row({{"total", Span::Kind::strong}}));
  return table;
}

// The first and the best p50 of each case in the period, and what stood before it.
std::optional<Table> brought(const Content& content) {
  struct Case {
    std::optional<double> before;
    std::optional<double> first;
    double best = 1e300;
    int64_t attempt = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string, std::string>, Case> cases;
  const int64_t begin = content.attempts.front().id;
  for (const MeasuredCase& each : content.history) {
    const MeasuredContender& candidate = each.contenders.front();
    if (!candidate.good || !candidate.p50_us || each.attempt.correct != std::optional(true)) continue;
    Case& found = cases[{each.attempt.kernel, each.attempt.shape, each.protocol, each.attempt.comparable}];
    if (each.attempt.id < begin) {
      found.before = std::min(found.before.value_or(1e300), *candidate.p50_us);
      continue;
    }
    if (!found.first) found.first = candidate.p50_us;
    if (*candidate.p50_us < found.best) {
      found.best = *candidate.p50_us;
      found.attempt = each.attempt.id;
    }
  }
  Table table{"brought",
              "What it brought: the best p50 of each case (measured)",
              {{"kernel"}, {"shape"}, {"best before", true}, {"best now", true}, {"brought", true}, {"attempt", true}},
              {}};
  for (const auto& [key, each] : cases) {
    if (!each.first) continue;
    const double before = each.before.value_or(*each.first);
    const double change = (each.best - before) / before;
    table.rows.push_back({{plain(std::get<0>(key))},
                          {plain(std::get<1>(key))},
                          {plain(time_text(before) + (each.before ? "" : " (first)")), before},
                          {plain(time_text(each.best)), each.best},
                          {toned(change < -0.005 ? fmt::format("{:.1f} % less time", -100 * change) : "nothing",
                                 change < -0.005 ? Tone::good : Tone::quiet),
                           change},
                          {link(std::to_string(each.attempt), fmt::format("attempt-{}", each.attempt)),
                           static_cast<double>(each.attempt)}});
  }
  return table.rows.empty() ? std::nullopt : std::optional(std::move(table));
}

std::string reason_of(const Attempt& attempt) {
  if (std::string message = error_of(attempt); !message.empty()) return message;
  const std::vector<ReportedFinding> findings = findings_of(attempt);
  if (!findings.empty()) return findings.front().message;
  if (const auto measured = measured_case(attempt)) return measured->contenders.front().objection;
  if (const auto stop = stop_of(attempt); stop && attempt.kind != Kind::run)
    return fmt::format("{:.2f}x of {}: stopped before the search", stop->speed, stop->baseline);
  for (const Step& step : steps_of(attempt)) {
    if (step.verdict == "failed") return step.name + ": " + step.summary;
  }
  if (const auto tuned = tuned_case(attempt)) {
    const auto failed = std::ranges::count_if(tuned->points, [](const TunedPoint& point) { return !point.value; });
    if (failed > 0)
      return fmt::format(
          "{} of {} configurations failed, the first one at: {}", failed, tuned->points.size(),
          std::ranges::find_if(tuned->points, [](const TunedPoint& each) { return !each.value; })->failure);
  }
  return failure_of(attempt);
}

std::optional<Table> retired(const Content& content) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<int64_t>> failures;
  for (const Attempt& attempt : content.attempts) {
    if (attempt.exit_code == 0) continue;
    failures[{attempt.kernel, std::string(to_string(attempt.kind)), attempt.verdict, reason_of(attempt)}].push_back(
        attempt.id);
  }
  Table table{
      "retired", "What did not work, and why", {{"kernel"}, {"what"}, {"verdict"}, {"why"}, {"attempts", true}}, {}};
  for (const auto& [key, ids] : failures) {
    Text last = link(std::to_string(ids.back()), fmt::format("attempt-{}", ids.back()));
    if (ids.size() > 1) last.push_back({fmt::format(" and {} before", ids.size() - 1)});
    table.rows.push_back({{plain(kernel_name(std::get<0>(key)))},
                          {plain(std::get<1>(key))},
                          {toned(std::get<2>(key), Tone::bad)},
                          {plain(std::get<3>(key))},
                          {std::move(last), static_cast<double>(ids.size())}});
  }
  return table.rows.empty() ? std::nullopt : std::optional(std::move(table));
}

}  // namespace

std::optional<Section> period_section(const Content& content) {
  if (content.kind != SubjectKind::period) return std::nullopt;
  Section section{"period", "The period", {}};
  section.elements.push_back(
      {Paragraph{plain(fmt::format("From {} to {} UTC.", ledger::iso_time(content.attempts.front().time_us),
                                   ledger::iso_time(content.attempts.back().time_us)))}});
  section.elements.push_back({tried(content)});
  if (auto table = brought(content)) section.elements.push_back({std::move(*table)});
  if (auto table = stops_table(content)) section.elements.push_back({std::move(*table)});
  if (auto table = retired(content)) section.elements.push_back({std::move(*table)});
  return section;
}

}  // namespace assay::page
