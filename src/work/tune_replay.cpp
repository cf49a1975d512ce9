// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assay/tune.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "formats/t4.hpp"
#include "tune/ask_session.hpp"
#include "tune/replay.hpp"
#include "tune/synthetic.hpp"
#include "work/document.hpp"

namespace assay::work {
namespace {

using nlohmann::json;

Result<std::vector<tune::RecordedSpace>> load_spaces(const TuneReplayRequest& request, const Context& context) {
  std::vector<tune::RecordedSpace> spaces;
  for (const std::string& file : request.spaces) {
    ASSAY_TRY(formats::ReadSpace read, formats::read_recorded_space(file));
    if (read.repaired && context.listener != nullptr)
      context.listener->warn(
          fmt::format("{} was cut off; {} configurations of it are complete", file, read.recorded.space.size()));
    spaces.push_back(std::move(read.recorded));
  }
  const auto add = [&](tune::SyntheticGroup group) {
    for (tune::RecordedSpace& space : tune::synthetic_spaces(group)) spaces.push_back(std::move(space));
  };
  if (request.synthetic == "choosing" || request.synthetic == "all") add(tune::SyntheticGroup::choosing);
  if (request.synthetic == "judging" || request.synthetic == "all") add(tune::SyntheticGroup::judging);
  if (request.synthetic == "harder") add(tune::SyntheticGroup::harder);
  if (spaces.empty()) return Error{"there is no space to replay", {}, "name files after --replay, or give --synthetic"};
  return spaces;
}

TuneReplaySpace to_space(const tune::ReplaySummary& summary) {
  return {summary.space,    summary.device,     summary.configurations, summary.failing,     summary.within_5,
          summary.within_1, summary.to_5,       summary.to_1,           summary.rounds_to_1, summary.missed_5,
          summary.missed_1, summary.last_ratio, summary.score,          summary.correlation, summary.seconds};
}

TuneReplaySpace all_of(const std::vector<tune::ReplaySummary>& summaries) {
  const tune::ReplayTotal total = tune::total(summaries);
  TuneReplaySpace all;
  all.to_5 = total.to_5;
  all.to_1 = total.to_1;
  all.rounds_to_1 = total.rounds_to_1;
  all.missed_5 = total.missed_5;
  all.missed_1 = total.missed_1;
  all.last_ratio = total.last_ratio;
  all.score = total.score;
  all.seconds = total.seconds;
  return all;
}

json number_or_null(const std::optional<double>& value) {
  return value ? json(*value) : json(nullptr);
}

json space_json(const TuneReplaySpace& space) {
  json object{{"to_5_percent", number_or_null(space.to_5)},
              {"to_1_percent", number_or_null(space.to_1)},
              {"rounds_to_1_percent", number_or_null(space.rounds_to_1)},
              {"missed_5_percent", space.missed_5},
              {"missed_1_percent", space.missed_1},
              {"last_over_best", space.last_ratio},
              {"score", space.score},
              {"searcher_seconds", space.seconds}};
  if (space.space.empty()) return object;
  object["space"] = space.space;
  object["device"] = space.device;
  object["configurations"] = space.configurations;
  object["failing"] = space.failing;
  object["within_5_percent"] = space.within_5;
  object["within_1_percent"] = space.within_1;
  object["rank_correlation"] = number_or_null(space.correlation);
  return object;
}

}  // namespace

Result<TuneReplayReport> replay_tuning(const TuneReplayRequest& request, const Context& context) {
  for (const std::string& strategy : request.strategies) {
    if (std::ranges::find(tune::strategy_names(), strategy) == tune::strategy_names().end())
      return Error{
          fmt::format("there is no strategy '{}'", strategy), {}, "strategies: " + join(tune::strategy_names(), ", ")};
  }
  ASSAY_TRY(const std::vector<tune::RecordedSpace> spaces, load_spaces(request, context));
  TuneReplayReport report{request, {}};
  Progress progress(context, "replay", spaces.size() * request.strategies.size());
  for (const std::string& strategy : request.strategies) {
    TuneReplayStrategy& outcome = report.strategies.emplace_back();
    outcome.strategy = strategy;
    const tune::ReplayOptions options{strategy,           request.budget, request.seeds,
                                      request.first_seed, request.batch,  request.counters};
    std::vector<tune::ReplaySummary> summaries;
    for (const tune::RecordedSpace& space : spaces) {
      ASSAY_CHECK(check_cancelled(context));
      ASSAY_TRY(const tune::ReplaySummary summary, tune::replay(space, options));
      summaries.push_back(summary);
      outcome.spaces.push_back(to_space(summary));
      if (request.noise) {
        if (const auto noise = tune::replay_noisy(space, options))
          outcome.noise.push_back({noise->space, noise->tunings, noise->noise, noise->held, noise->regret,
                                   noise->worst_regret, noise->flips, noise->tie_group, noise->samples});
      }
      progress.advance(strategy + " on " + space.name);
    }
    outcome.all = all_of(summaries);
  }
  return report;
}

std::string to_json(const TuneReplayReport& report) {
  json document = document_head("tune");
  document["mode"] = "replay";
  document["budget"] = report.request.budget;
  document["seeds"] = report.request.seeds;
  document["batch"] = report.request.batch;
  document["counters"] = report.request.counters;
  document["strategies"] = json::array();
  for (const TuneReplayStrategy& each : report.strategies) {
    json strategy{{"strategy", each.strategy}, {"all", space_json(each.all)}, {"spaces", json::array()}};
    for (const TuneReplaySpace& space : each.spaces) strategy["spaces"].push_back(space_json(space));
    for (const TuneNoiseSpace& noise : each.noise)
      strategy["noise"].push_back({{"space", noise.space},
                                   {"tunings", noise.tunings},
                                   {"coefficient_of_variation", noise.noise},
                                   {"tie_group_holds_best", noise.held},
                                   {"regret", noise.regret},
                                   {"worst_regret", noise.worst_regret},
                                   {"winner_flips", noise.flips},
                                   {"tie_group_size", noise.tie_group},
                                   {"race_samples", noise.samples}});
    document["strategies"].push_back(std::move(strategy));
  }
  return document_text(document);
}

struct TuneAsk::State {
  tune::AskSession session;
};

TuneAsk::TuneAsk() : state_(std::make_unique<State>()) {}
TuneAsk::~TuneAsk() = default;
Result<std::vector<std::string>> TuneAsk::hear(const std::string& line) {
  return state_->session.hear(line);
}
bool TuneAsk::waiting() const {
  return state_->session.waiting();
}

}  // namespace assay::work
