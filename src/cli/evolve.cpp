// SPDX-License-Identifier: MIT
// assay evolve: let a program propose changes of a kernel, and judge them.
#include "assay/evolve.hpp"

#include <filesystem>
#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"

namespace assay::cli {
namespace {

std::string percent_text(double ratio) {
  return ratio <= 1 ? fmt::format("{:.1f} % faster", 100 * (1 / ratio - 1))
                    : fmt::format("{:.1f} % slower", 100 * (ratio - 1));
}

std::string step_text(const work::EvolveStep& step) {
  std::string text = fmt::format("{:>4} {:<8} {:<10} {}\n", step.proposal, step.verdict, step.gate,
                                 step.hypothesis.empty() ? "" : escape_terminal(step.hypothesis));
  if (step.verdict != "passed") text += fmt::format("     {}\n", escape_lines(replace_all(step.text, "\n", "\n     ")));
  if (step.hypothesis_held)
    text += fmt::format("     {} changed {}\n", step.counter,
                        *step.hypothesis_held ? "as foreseen" : "otherwise than foreseen");
  for (const work::EvolvedShape& each : step.shapes) {
    text += fmt::format("     {}{}: {:.2f} us beside {:.2f} us, {}", each.shape, each.drawn ? " (drawn)" : "",
                        each.time_us, each.incumbent_us, percent_text(each.ratio));
    if (each.low && each.high) text += fmt::format(" (interval of the ratio {:.4f} to {:.4f})", *each.low, *each.high);
    text += "\n";
  }
  return text;
}

std::string report_text(const work::EvolveReport& report) {
  std::string text;
  if (!report.started_anew.empty()) text += fmt::format("started anew: {}\n", report.started_anew);
  text += fmt::format("{} on {}: {} judged, {} accepted; {:.3f} times as fast as at the beginning ({})\n",
                      report.kernel, report.device, counted(report.steps.size(), "proposal"), report.accepted,
                      report.speedup, report.known);
  text += fmt::format("ended: {}\n", escape_lines(report.stopped));
  for (const std::string& each : report.diagnosis) text += fmt::format("  {}\n", escape_terminal(each));
  if (!report.archive.empty()) {
    text += "kinds of kernels that passed every gate:\n";
    for (const work::EvolvedCell& each : report.archive)
      text += fmt::format("  {} {:.3f} of the first one's time: {}{}\n", each.id, each.ratio, each.cell,
                          each.id == report.best ? " (the best)" : "");
  }
  if (report.judged_again > 0)
    text += fmt::format("{} judged again, beside a new incumbent\n", counted(report.judged_again, "proposal"));
  for (const work::EvolveDevice& each : report.devices) {
    text += devices_text({each.worker});
    if (each.ratio) text += fmt::format("  the best beside the first one: {}\n", percent_text(*each.ratio));
    if (each.disagrees)
      text += fmt::format("  DISAGREES: {} at {}: {}\n", each.verdict, each.gate, escape_lines(each.text));
    if (!each.disagrees && each.verdict.empty() && !each.text.empty())
      text += fmt::format("  the best was not raced there: {}\n", escape_lines(each.text));
  }
  const work::EvolveCosts& costs = report.costs;
  text += fmt::format("costs: proposer {:.1f} s, compiling {:.1f} s, virtual GPU {:.1f} s, GPU {:.1f} s",
                      costs.proposer_s, costs.compile_s, costs.virtual_s, costs.gpu_s);
  if (costs.tokens_in + costs.tokens_out > 0)
    text += fmt::format(", {:.0f} tokens in and {:.0f} out", costs.tokens_in, costs.tokens_out);
  if (costs.money > 0) {
    text += fmt::format(", money {:.2f}", costs.money);
    if (report.speedup > 1) text += fmt::format(" ({:.3f} a percent)", costs.money / (100 * (report.speedup - 1)));
  }
  text += "\n";
  for (const std::string& each : report.written) text += fmt::format("written: {}\n", each);
  if (report.accepted > 0 && report.written.empty()) text += "the change:\n" + escape_lines(report.diff);
  return text;
}

class EvolveCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    line.behind_dashes(arguments_);
    line.option("--proposer", proposer_, "a program, or mutate, manual, command");
    line.option("--replay", request_.replay, "judge the accepted proposals of this journal again");
    line.option("--validate", validate_, "check a file with a request or an answer, and end");
    line.option("--answer-seconds", request_.answer_seconds, "time limit of one answer", kSeconds);
    line.option("--proposals", request_.proposals, "at most so many");
    line.option("--patience", request_.patience, "end after so many in a row that brought nothing");
    line.option("--target", request_.target, "end at this speedup", kPositive);
    line.option("--seconds", request_.seconds, "end after so long", kSeconds);
    line.option("--gpu-seconds", request_.gpu_seconds, "end when so much of the GPU was used", kSeconds);
    line.option("--money", request_.money, "end when so much was spent", kPositive);
    line.option("--gain", request_.gain, "accept a proposal that is faster by this share", {0.001, 10});
    line.option("--on", request_.gaining_shapes, "on so many of the canonical shapes", {1, 1000});
    line.option("--margin", request_.margin, "and on none slower by more than this share", {0.0001, 1});
    line.option("--baseline", request_.baseline, "a kernel folder to compare with first");
    line.flag("--anyway", request_.anyway, "evolve a kernel that is far behind its baseline all the same");
    line.flag("--resume", request_.resume, "go on with an interrupted evolution");
    line.option("--journal", request_.journal, "where it is kept");
    line.flag("--apply", request_.apply, "write the best kernel into the kernel's folder");
    line.option("--diff", request_.diff, "write the change there");
    line.option("--seed", seed_, "of the shapes and inputs that decide; the system's randomness otherwise");
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    declare_limits(line, request_.limits);
    executor_.declare(line);
    line.option("--in-flight", request_.in_flight, "proposals that are judged at once");
    line.option("--judge", judge_, "for workers: judge what this file asks for");
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (!validate_.empty()) return validate();
    if (!judge_.empty()) return judge(context);
    if (!proposer_.empty()) request_.proposer = {proposer_};
    if (proposer_.empty() && !arguments_.empty())
      return Error{fmt::format("'{}' is an argument of no proposer", arguments_.front()), {}, "--proposer PROGRAM"};
    request_.proposer.insert(request_.proposer.end(), arguments_.begin(), arguments_.end());
    ASSAY_CHECK(all_are_kernels());
    const bool one_journal = !request_.journal.empty() && request_.journal != "none";
    if (kernels_.several() && (one_journal || !(request_.replay.empty() && request_.diff.empty())))
      return Error{"--journal, --replay and --diff name files of one kernel, and several are to be evolved"};
    if (seed_) request_.seed = seed_;
    ASSAY_TRY(request_.executor, executor_.read());
    if (request_.in_flight && !request_.executor.divided())
      return Error{"--in-flight belongs to an executor", {}, "add --executor local or --executor slurm"};
    if (request_.in_flight && *request_.in_flight == 0) return Error{"--in-flight must be at least 1"};
    ASSAY_TRY(request_.record, record_.read());
    return kernels_.each("evolve", json(), [&](const std::string& kernel) { return evolve(kernel, context); });
  }

 private:
  // Before the first is evolved: that may take hours, and a word may have been meant for the proposer.
  Result<void> all_are_kernels() const {
    if (!kernels_.several()) return {};
    for (const std::string& each : kernels_.all()) {
      if (std::filesystem::is_directory(each) || each.ends_with(".toml")) continue;
      return Error{fmt::format("'{}' is no kernel's folder", each), {}, "arguments of the proposer stand behind --"};
    }
    return {};
  }

  Result<KernelWords::Outcome> evolve(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    const auto on_step = [&](const work::EvolveStep& step) {
      if (!json()) print(step_text(step));
    };
    ASSAY_TRY(const work::EvolveReport report, work::evolve(request_, context, on_step));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(report_text(report));
    return KernelWords::Outcome{report.exit_code};
  }

  Result<ExitCode> validate() const {
    ASSAY_TRY(const std::string what, work::validate_proposer_document(validate_));
    print(fmt::format("{}: {} {} of version 1\n", escape_terminal(validate_), what == "answer" ? "an" : "a", what));
    return ExitCode::good;
  }

  Result<ExitCode> judge(const Context& context) const {
    ASSAY_TRY(const std::string document, work::judge_for_another(judge_, context));
    print_document(document);
    return ExitCode::good;
  }

  work::EvolveRequest request_;
  KernelWords kernels_;
  std::vector<std::string> arguments_;  // of the proposer
  std::string proposer_;
  std::string validate_;
  std::string judge_;
  ExecutorWords executor_;
  std::optional<size_t> seed_;
  RecordWords record_;
};

}  // namespace

CommandEntry evolve_command() {
  return {"evolve", "let a program propose changes, and judge them",
          [] { return std::unique_ptr<Command>(new EvolveCommand); }};
}

}  // namespace assay::cli
