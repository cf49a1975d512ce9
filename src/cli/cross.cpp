// SPDX-License-Identifier: MIT
// assay cross: the same kernel under every benchmark's rules.
#include "assay/cross.hpp"

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/cross_text.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class CrossCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    work::BenchRequest& bench = request_.bench;
    kernels_.declare(line);
    declare_device(line, bench.choice.device);
    declare_configuration(line, bench.choice.configuration);
    line.option("--baseline", bench.baselines,
                "NAME of the specification, sdpa[:BACKEND], torch_compile, a kernel folder");
    line.option("--candidate", bench.candidate, "a [baseline.NAME] that takes the kernel's place");
    declare_measuring(line, bench.measuring);
    line.option("--rules-budget", request_.seconds, "seconds of each contender by each set of rules, at most",
                kSeconds);
    declare_seed(line, bench.seed);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.bench.record, record_.read());
    return kernels_.each("cross", json(), [&](const std::string& kernel) -> Result<KernelWords::Outcome> {
      request_.bench.choice.kernel = kernel;
      CrossText text;
      ASSAY_TRY(const work::CrossReport report, work::cross(request_, context, json() ? nullptr : &text));
      return KernelWords::Outcome{report.exit_code, json() ? to_json(report) : ""};
    });
  }

 private:
  work::CrossRequest request_;
  KernelWords kernels_;
  RecordWords record_;
};

}  // namespace

CommandEntry cross_command() {
  return {"cross", "the same kernel under other benchmarks' rules, in one table",
          [] { return std::unique_ptr<Command>(new CrossCommand); }};
}

}  // namespace assay::cli
