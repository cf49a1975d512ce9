// SPDX-License-Identifier: MIT
// assay tune: search the configurations of a kernel; replay searches; lend the searcher.
#include "assay/tune.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <map>

#include "assay/tune_stop.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/diagnose_text.hpp"
#include "cli/open_page.hpp"
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

// "FILE" or "FORMAT:FILE"; without a format the ending tells.
struct ExportWord {
  std::string format;
  std::string file;
};

Result<ExportWord> read_export(const std::string& word) {
  for (const char* format : {"header", "toml", "json", "t4", "kernel_tuner"}) {
    const std::string prefix = std::string(format) + ":";
    if (word.starts_with(prefix)) return ExportWord{format, word.substr(prefix.size())};
  }
  if (word.ends_with(".h") || word.ends_with(".hpp")) return ExportWord{"header", word};
  if (word.ends_with(".toml")) return ExportWord{"toml", word};
  if (word.ends_with(".json")) return ExportWord{"json", word};
  return Error{fmt::format("--export: what is '{}' to be?", word),
               {},
               "FILE.h, FILE.toml, FILE.json, t4:FILE or kernel_tuner:FILE"};
}

class TuneCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, tune_.choice.device);
    line.option("--config", tune_.choice.configuration, "NAME=value,...: search these alone");
    line.option("--only", tune_.only, "NAME=value,...: this configuration; may be given several times");
    line.option("--shapes", tune_.shapes, "a set of the specification");
    line.option("--shape", tune_.shape, "NAME=value,...: only this shape");
    line.option("--strategy", strategies_, "model, annealing, genetic, random, exhaustive");
    line.option("--budget", replay_.budget, "evaluations", {1, 1'000'000});
    line.option("--batch", batch_, "configurations at a time");
    line.option("--seconds", tune_.seconds, "stop after so long", kSeconds);
    line.option("--baseline", baseline_, "on a GPU: what the kernel must be half as fast as");
    line.flag("--go-on", go_on_, "search however slow the kernel is beside its baseline");
    line.flag("--resume", tune_.resume, "go on with what an interrupted run measured");
    line.option("--journal", tune_.journal, "the file of what was measured");
    line.flag("--no-race", no_race_, "no race of the best in the end");
    line.flag("--no-counters", no_counters_, "count nothing before it is evaluated");
    executor_.declare(line);
    line.option("--export", exports_, "which configuration for which shape");
    line.flag("--open", open_, "show the page in the browser");
    line.flag("--ask", ask_, "take spaces and answers from standard input");
    line.option("--replay", replay_.spaces, "a recorded space");
    line.choice("--synthetic", replay_.synthetic, "generated spaces", {"choosing", "judging", "harder", "all"});
    line.option("--seeds", replay_.seeds, "runs on each space", {1, 10'000});
    line.flag("--counters", replay_.counters, "use what was counted");
    line.flag("--noise", replay_.noise, "tune again with samples drawn anew");
    declare_seed(line, replay_.first_seed);
    declare_limits(line, tune_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (ask_) return ask();
    if (!replay_.spaces.empty() || !replay_.synthetic.empty()) return replay(context);
    return tune(context);
  }

 private:
  Result<ExitCode> replay(const Context& context) {
    if (!kernels_.none()) return Error{"a kernel is tuned, or spaces are replayed: not both in one run"};
    if (!strategies_.empty()) replay_.strategies = strategies_;
    if (batch_) replay_.batch = *batch_;
    ASSAY_TRY(const work::TuneReplayReport report, work::replay_tuning(replay_, context));
    json() ? print_document(to_json(report)) : print(replay_text(report));
    return ExitCode::good;
  }

  Result<ExitCode> tune(const Context& context) {
    if (kernels_.none() && !std::filesystem::exists("kernel.toml"))
      return Error{"there is nothing to tune: this folder has no kernel.toml",
                   {},
                   "name a kernel's folder, or give --replay, --synthetic or --ask"};
    if (kernels_.several() && (!tune_.journal.empty() || !exports_.empty()))
      return Error{"--journal and --export name files of one kernel, and several are to be tuned"};
    if (strategies_.size() > 1) return Error{"one --strategy tunes a kernel; several can be compared by --replay"};
    if (!strategies_.empty()) tune_.strategy = strategies_[0];
    tune_.budget = replay_.budget;
    tune_.batch = batch_.value_or(0);
    tune_.seed = replay_.first_seed;
    tune_.race = !no_race_;
    tune_.counters = !no_counters_;
    ASSAY_TRY(tune_.executor, executor_.read());
    std::vector<ExportWord> exports;
    for (const std::string& word : exports_) {
      ASSAY_TRY(const ExportWord wanted, read_export(word));
      exports.push_back(wanted);
    }
    ASSAY_TRY(tune_.record, record_.read());
    tune_.page = true;
    return kernels_.each("tune", json(), [&](const std::string& kernel) { return tune(kernel, exports, context); });
  }

  Result<KernelWords::Outcome> tune(const std::string& kernel, const std::vector<ExportWord>& exports,
                                    const Context& context) {
    tune_.choice.kernel = kernel;
    if (!go_on_) {
      ASSAY_TRY(const std::optional<work::TuneStop> stop, work::stop_before_tuning(tune_, baseline_, context));
      if (stop) return show(*stop);
    }
    ASSAY_TRY(const work::TuneReport report, work::tune(tune_, context));
    for (const ExportWord& each : exports) {
      ASSAY_TRY(const std::string text, work::export_tuning(report, each.format));
      ASSAY_CHECK(write_file_atomically(each.file, text));
    }
    if (open_ && !report.page.empty()) ASSAY_CHECK(open_page(report.page));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(tuning_text(report));
    if (!report.page.empty()) print(fmt::format("page: {}\n", report.page));
    return KernelWords::Outcome{report.exit_code};
  }

  KernelWords::Outcome show(const work::TuneStop& stop) const {
    constexpr size_t kFindings = 3;
    if (json()) return {ExitCode::regression, to_json(stop)};
    print(fmt::format("stopped: {:.2f}x of {} at {}; {} (--go-on goes on)\n\n{}", stop.speed, stop.baseline, stop.shape,
                      saving_text(stop.saved), diagnose_text(stop.diagnosis, kFindings)));
    return {ExitCode::regression};
  }

  static std::string counters_text(const work::TuneCounters& counters) {
    if (!counters.used) return fmt::format("no counters: {}\n", counters.why_not);
    return fmt::format(
        "counters: {} built and counted before the first was evaluated ({:.1f} s compiling), {} in all ({:.1f} s on "
        "the "
        "virtual GPU)\n",
        counters.built, counters.compile_s, counters.counted, counters.count_s);
  }

  static std::string tuning_text(const work::TuneReport& report) {
    const report::Terminal terminal;
    std::string text = fmt::format("{}  on {}  {}\n", terminal.paint(report::Colour::bold, report.kernel),
                                   report.device, report.quantity);
    if (!report.listed)
      text += fmt::format("not listed: {:.6g} of {:.6g} combinations are legal ({}); parts of them were searched\n",
                          report.legal, report.combinations,
                          report.legal_error > 0
                              ? fmt::format("estimated, standard error {:.1g} %", 100 * report.legal_error)
                              : "exact");
    for (const auto& [reason, count] : report.left_out)
      text +=
          fmt::format("left out before building{}: {}: {}\n", report.listed ? "" : ", of the last part", count, reason);
    text += counters_text(report.counters);
    if (!report.started_anew.empty()) text += fmt::format("started anew: {}\n", report.started_anew);
    std::map<std::string, size_t> failures;
    for (const work::TunedConfiguration& each : report.evaluated) {
      if (!each.failure.empty()) ++failures[each.failure];
    }
    text += fmt::format("{} of {} configurations evaluated", report.evaluated.size(),
                        report.listed             ? fmt::format("{}", report.configurations)
                        : report.legal_error == 0 ? fmt::format("{:.6g}", report.legal)
                                                  : fmt::format("about {:.3g}", report.legal));
    if (report.recalled > 0) text += fmt::format(", {} of them by the run that was interrupted", report.recalled);
    for (const auto& [failure, count] : failures)
      text += fmt::format("; {}: {}", replace_all(failure, "_", " "), count);
    text += "\n";
    for (const work::TunedConfiguration& each : report.evaluated) {
      if (each.failure == "incorrect") text += fmt::format("incorrect: {}: {}\n", each.configuration, each.message);
    }
    if (report.interrupted) text += "stopped by --seconds; --resume goes on\n";
    if (report.answer.empty()) return text + "no configuration was found that runs\n";
    report::Table table({"configuration", report.unit, "registers", "shared bytes", ""});
    std::vector<const work::TunedConfiguration*> best;
    for (const work::TunedConfiguration& each : report.evaluated) {
      if (each.value) best.push_back(&each);
    }
    std::ranges::stable_sort(best, [](const auto* a, const auto* b) { return *a->value < *b->value; });
    for (size_t i = 0; i < best.size() && i < 10; ++i) {
      const bool tied = std::ranges::find(report.tie_group, best[i]->configuration) != report.tie_group.end();
      const bool answer = best[i]->configuration == report.answer;
      table.add({{best[i]->configuration, answer ? report::Colour::green : report::Colour::none},
                 fmt::format("{:.5g}", *best[i]->value),
                 best[i]->registers ? fmt::format("{}", *best[i]->registers) : "",
                 best[i]->shared_bytes ? fmt::format("{}", *best[i]->shared_bytes) : "",
                 answer ? "answer"
                 : tied ? "ties"
                        : ""});
    }
    text += table.render(terminal);
    text += fmt::format("answer: {} ({})\n", report.answer, report.criterion);
    if (report.regret_bound)
      text += fmt::format("at most {:.2f} % behind the best of the {} evaluated\n", 100 * *report.regret_bound,
                          report.evaluated.size());
    if (report.shapes.size() > 1) {
      report::Table shapes({"shape", "configuration", report.unit, "with the answer"});
      for (const work::TuneWinner& each : report.winners)
        shapes.add({each.shape, each.configuration, fmt::format("{:.5g}", each.value),
                    fmt::format("{:.5g}", each.best_single)});
      text += shapes.render(terminal) + fmt::format("best in its worst shape: {}\n", report.best_worst);
    }
    text +=
        fmt::format("seconds: {:.1f} compiling, {:.1f} checking, {:.1f} {}, {:.1f} in all", report.compile_s,
                    report.check_s, report.measure_s, report.unit == "ms" ? "measuring" : "counting", report.wall_s);
    if (report.cost) text += fmt::format("; cost {:.4f}", *report.cost);
    return text + "\n";
  }

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

  work::TuneRequest tune_;
  KernelWords kernels_;
  std::vector<std::string> exports_;
  std::optional<size_t> batch_;
  RecordWords record_;
  work::TuneReplayRequest replay_;
  std::vector<std::string> strategies_;
  ExecutorWords executor_;
  bool ask_ = false;
  std::string baseline_;
  bool go_on_ = false;
  bool open_ = false;
  bool no_race_ = false;
  bool no_counters_ = false;
};

}  // namespace

CommandEntry tune_command() {
  return {"tune", "search the configurations; replay searches; lend the searcher",
          [] { return std::unique_ptr<Command>(new TuneCommand); }};
}

}  // namespace assay::cli
