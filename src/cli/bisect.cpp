// SPDX-License-Identifier: MIT
// assay bisect: the commit that changed a counter or broke a check.
#include "assay/bisect.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

std::string bisect_text(const work::BisectReport& report) {
  size_t skipped = 0;
  std::string text;
  for (const work::JudgedCommit& each : report.judged) {
    if (each.mark != "skipped") continue;
    ++skipped;
    text += fmt::format("  skipped {}: {}\n", each.id.substr(0, 10), escape_terminal(each.reason));
  }
  if (report.suspects.empty()) {
    text += fmt::format("no change: {}\n", escape_terminal(report.reason));
  } else {
    text += report.suspects.size() == 1
                ? "found: " + escape_terminal(report.reason) + "\n"
                : "one of these, as those between cannot be judged: " + escape_terminal(report.reason) + "\n";
    for (const work::SuspectCommit& each : report.suspects)
      text += fmt::format("  {} {} {}: {}\n", escape_terminal(each.short_id), escape_terminal(each.date.substr(0, 10)),
                          escape_terminal(each.author), escape_terminal(each.subject));
  }
  return text + fmt::format("{} on {}: {} judged, {} of them skipped{}\n", escape_terminal(report.kernel),
                            escape_terminal(report.device), counted(report.judged.size(), "commit"), skipped,
                            report.reused > 0 ? fmt::format(", {} by an earlier run", report.reused) : "");
}

class BisectCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line, "folders with a kernel.toml, in a git repository");
    line.option("--counter", request_.counter, "a counter that changed (docs/counters.md)");
    line.option("--threshold", request_.threshold, "a counter that changes by no more is the same", {0, 10});
    line.flag("--check", check_, "results that became wrong");
    line.flag("--sanitize", sanitize_, "findings of assay sanitize that appeared");
    line.option("--good", request_.good, "a commit that is good");
    line.option("--bad", request_.bad, "a commit that is bad");
    line.option("--shape", request_.shape, "NAME=value,...: only this shape");
    line.option("--fuzz", request_.fuzz, "random shapes of --check");
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    const int ways = (request_.counter.empty() ? 0 : 1) + (check_ ? 1 : 0) + (sanitize_ ? 1 : 0);
    if (ways != 1) return Error{"one thing says what is bad", {}, "--counter NAME, --check or --sanitize, one of them"};
    request_.judge = check_ ? "check" : sanitize_ ? "sanitize" : "counter";
    ASSAY_TRY(request_.record, record_.read());
    return kernels_.each("bisect", json(), [&](const std::string& kernel) { return bisect(kernel, context); });
  }

 private:
  Result<KernelWords::Outcome> bisect(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    ASSAY_TRY(const work::BisectReport report, work::bisect(request_, context));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(bisect_text(report));
    return KernelWords::Outcome{report.exit_code};
  }

  work::BisectRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  bool check_ = false;
  bool sanitize_ = false;
};

}  // namespace

CommandEntry bisect_command() {
  return {"bisect", "the commit that changed a counter or broke a check, without a GPU",
          [] { return std::unique_ptr<Command>(new BisectCommand); }};
}

}  // namespace assay::cli
