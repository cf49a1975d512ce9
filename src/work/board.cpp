// SPDX-License-Identifier: MIT
#include "assay/board.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "ledger/ledger.hpp"
#include "ledger/location.hpp"
#include "ledger/time_text.hpp"
#include "page/ranking.hpp"
#include "page/read_attempt.hpp"
#include "work/document.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

BoardEntry entry_of(const page::Ranked& ranked, const page::Ranked& fastest, const ledger::Attempt& attempt) {
  BoardEntry entry;
  entry.group = ranked.group;
  entry.name = ranked.name;
  entry.variant = ranked.variant;
  entry.p50_us = ranked.p50_us;
  entry.ratio = ranked.p50_us / fastest.p50_us;
  entry.low = entry.high = entry.ratio;
  if (fastest.median_us.high > 0 && fastest.median_us.low > 0) {
    entry.low = ranked.median_us.low / fastest.median_us.high;
    entry.high = ranked.median_us.high / fastest.median_us.low;
  }
  entry.attempt = ranked.attempt;
  entry.time = ledger::iso_time(attempt.time_us);
  entry.commit = page::commit_of(attempt);
  entry.cost = attempt.cost;
  return entry;
}

}  // namespace

Result<BoardReport> board(const BoardRequest& request) {
  const ledger::Location location = ledger::find_ledger(request.ledger, {});
  if (location.file.empty())
    return Error{"with 'none' there is no ledger to look at", {}, "name one with --ledger FILE"};
  BoardReport report;
  report.ledger = location.file.string();
  std::error_code ignored;
  if (!location.explicitly_chosen && !std::filesystem::exists(location.file, ignored)) return report;
  ASSAY_TRY(ledger::Ledger ledger, ledger::Ledger::open(location.file, ledger::Ledger::Mode::read));
  ledger::Filter filter;
  filter.kernel = request.kernel;
  filter.device = request.device;
  filter.oldest_first = true;  // of one contender the newest counts
  if (!request.since.empty()) {
    ASSAY_TRY(filter.since_us, ledger::parse_since(request.since, ledger::now_us()));
  }
  std::map<std::string, std::vector<page::MeasuredCase>> cases;
  std::map<int64_t, ledger::Attempt> attempts;
  const auto visit = [&](const ledger::Attempt& attempt) -> Result<void> {
    // A comparison of two folders is a measurement of both.
    ledger::Attempt as_measured = attempt;
    if (attempt.kind == ledger::Kind::compare) as_measured.kind = ledger::Kind::measure;
    auto measured = page::measured_case(as_measured);
    if (!measured || attempt.shape.empty()) return {};
    attempts[attempt.id] = attempt;
    cases[attempt.kernel].push_back(std::move(*measured));
    return {};
  };
  ASSAY_CHECK(ledger.for_each_attempt(filter, visit, [](const Error&) {}));
  for (const auto& [kernel, measured] : cases) {
    for (const page::Board& each : page::boards_of(measured, 1)) {
      Board made{kernel, each.shape, each.gpu, each.protocol, {}};
      for (const page::Ranked& ranked : each.ranked)
        made.entries.push_back(entry_of(ranked, each.ranked.front(), attempts.at(ranked.attempt)));
      report.boards.push_back(std::move(made));
    }
  }
  return report;
}

std::string to_json(const BoardReport& report) {
  json document = document_head("board");
  document["ledger"] = report.ledger;
  document["known"] = "measured";
  document["boards"] = json::array();
  for (const Board& each : report.boards) {
    json entries = json::array();
    for (const BoardEntry& entry : each.entries)
      entries.push_back({{"group", entry.group},
                         {"name", entry.name},
                         {"variant", entry.variant},
                         {"p50_us", entry.p50_us},
                         {"ratio", entry.ratio},
                         {"interval", {entry.low, entry.high}},
                         {"attempt", entry.attempt},
                         {"time", entry.time},
                         {"commit", entry.commit},
                         {"cost", entry.cost ? json(*entry.cost) : json()}});
    document["boards"].push_back({{"kernel", each.kernel},
                                  {"shape", each.shape},
                                  {"gpu", each.gpu},
                                  {"protocol", each.protocol},
                                  {"entries", std::move(entries)}});
  }
  return document_text(document);
}

}  // namespace assay::work
