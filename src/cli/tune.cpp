// SPDX-License-Identifier: MIT
// assay tune: search the configurations of a kernel; replay searches; lend the searcher.
#include "assay/tune.hpp"

#include <fmt/format.h>
#include <iostream>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

std::string count_text(const std::optional<double>& count, size_t budget) {
  return count ? fmt::format("{:g}", *count) : fmt::format(">{}", budget);
}

std::string percent_text(double share) {
  return fmt::format("{:.0f} %", 100 * share);
}

// Questions and answers, one JSON object a line each, until standard input ends.
Result<ExitCode> ask() {
  work::TuneAsk asking;
  std::string line;
  while (std::getline(std::cin, line)) {
    auto lines = asking.hear(line);
    if (!lines) return std::move(lines).error();
    for (const std::string& each : *lines) print_document(each);
    ASSAY_CHECK(everything_printed());
  }
  if (asking.waiting())
    return Error{"standard input ended before the search did", {}, "every question needs a reply", ExitCode::usage};
  return ExitCode::good;
}

class TuneCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.flag("--ask", ask_, "take spaces and answers from standard input");
    line.option("--replay", replay_.spaces, "a recorded space");
    line.choice("--synthetic", replay_.synthetic, "generated spaces", {"choosing", "judging", "all"});
    line.option("--strategy", strategies_, "model, annealing, genetic, random, exhaustive");
    line.option("--budget", replay_.budget, "evaluations", {1, 1'000'000});
    line.option("--seeds", replay_.seeds, "runs on each space", {1, 10'000});
    line.option("--batch", replay_.batch, "configurations at a time", {1, 1024});
    line.flag("--counters", replay_.counters, "use what was counted");
    line.flag("--noise", replay_.noise, "tune again with samples drawn anew");
    declare_seed(line, replay_.first_seed);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (ask_) return ask();
    if (!strategies_.empty()) replay_.strategies = strategies_;
    ASSAY_TRY(const work::TuneReplayReport report, work::replay_tuning(replay_, context));
    json() ? print_document(to_json(report)) : print(replay_text(report));
    return ExitCode::good;
  }

 private:
  static std::string replay_text(const work::TuneReplayReport& report) {
    const report::Terminal terminal;
    std::string text;
    for (const work::TuneReplayStrategy& strategy : report.strategies) {
      text += fmt::format("{}  {} evaluations, {} seeds{}{}\n", terminal.paint(report::Colour::bold, strategy.strategy),
                          report.request.budget, report.request.seeds,
                          report.request.batch > 1 ? fmt::format(", batches of {}", report.request.batch) : "",
                          report.request.counters ? ", with counters" : "");
      report::Table table({"space", "configurations", "failing", "to 5 %", "to 1 %", "miss 5 %", "miss 1 %",
                           "last/best", "score", "rounds to 1 %", "prediction"});
      table.leave_out({"prediction", "rounds to 1 %", "failing", "configurations"});
      for (const work::TuneReplaySpace& space : strategy.spaces) add(table, space, space.space, report.request);
      add(table, strategy.all, "all", report.request);
      text += table.render(terminal);
      text += noise_text(strategy, terminal);
    }
    return text;
  }

  static void add(report::Table& table, const work::TuneReplaySpace& space, const std::string& name,
                  const work::TuneReplayRequest& request) {
    const bool one = !space.space.empty();
    table.add({name, one ? fmt::format("{}", space.configurations) : "", one ? fmt::format("{}", space.failing) : "",
               count_text(space.to_5, request.budget), count_text(space.to_1, request.budget),
               percent_text(space.missed_5), percent_text(space.missed_1), fmt::format("{:.3f}", space.last_ratio),
               fmt::format("{:.2f}", space.score),
               request.batch > 1 && space.rounds_to_1 ? fmt::format("{:g}", *space.rounds_to_1) : "",
               space.correlation ? fmt::format("rank correlation {:.2f}", *space.correlation) : ""});
  }

  static std::string noise_text(const work::TuneReplayStrategy& strategy, const report::Terminal& terminal) {
    if (strategy.noise.empty()) return "";
    report::Table table({"space", "noise", "tie group holds the best", "regret", "worst regret", "winner flips",
                         "tie group", "samples"});
    for (const work::TuneNoiseSpace& each : strategy.noise)
      table.add({each.space, fmt::format("{:.2f} %", 100 * each.noise), percent_text(each.held),
                 fmt::format("{:.2f} %", 100 * each.regret), fmt::format("{:.2f} %", 100 * each.worst_regret),
                 percent_text(each.flips), fmt::format("{:.1f}", each.tie_group), fmt::format("{:.0f}", each.samples)});
    return "with noisy samples and a race at the end:\n" + table.render(terminal);
  }

  work::TuneReplayRequest replay_;
  std::vector<std::string> strategies_;
  bool ask_ = false;
};

}  // namespace

CommandEntry tune_command() {
  return {"tune", "search the configurations; replay searches; lend the searcher",
          [] { return std::unique_ptr<Command>(new TuneCommand); }};
}

}  // namespace assay::cli
