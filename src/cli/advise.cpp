// SPDX-License-Identifier: MIT
// assay advise: what to try next.
#include <fmt/format.h>

#include "assay/learn.hpp"
#include "base/escape.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class AdviseCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    line.option("--device", request_.choice.device, "as the ledger names it; that of the newest result otherwise");
    line.option("--shape", request_.shape, "NAME=value,...: as the ledger names it");
    line.option("--count", request_.count, "suggestions", {1, 1000});
    line.option("--ledger", request_.ledger, "the file");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    static_cast<void>(context);
    return kernels_.each("advise", json(), [&](const std::string& kernel) { return advise(kernel); });
  }

 private:
  Result<KernelWords::Outcome> advise(const std::string& kernel) {
    request_.choice.kernel = kernel;
    ASSAY_TRY(const work::AdviceReport report, work::advise(request_));
    if (json()) return KernelWords::Outcome{ExitCode::good, to_json(report)};
    print(fmt::format("{}{} on {}: {} results here, {} elsewhere\n", escape_terminal(report.kernel),
                      report.shape.empty() ? "" : " at " + escape_terminal(report.shape),
                      escape_terminal(report.device), report.trials_here, report.trials_elsewhere));
    if (!report.best.empty())
      print(fmt::format("best here: {:.2f} us with {}\n", report.best_us, escape_terminal(report.best)));
    if (!report.nothing.empty()) print(report.nothing + "\n");
    for (const work::Suggestion& each : report.suggestions) {
      print(fmt::format("try {}: expected {:.3f}x of {}\n", escape_terminal(each.configuration), each.expected_ratio,
                        report.best.empty() ? "the default configuration" : "the best"));
      for (const std::string& line : each.because) print("    " + escape_terminal(line) + "\n");
    }
    if (report.advised > 0)
      print(fmt::format("earlier advice: {} of {} that were tried came out in the best quarter\n", report.advice_held,
                        report.advised));
    return KernelWords::Outcome{};
  }

  work::AdviceRequest request_;
  KernelWords kernels_;
};

}  // namespace

CommandEntry advise_command() {
  return {"advise", "what to try next, from what was learned",
          [] { return std::unique_ptr<Command>(new AdviseCommand); }};
}

}  // namespace assay::cli
