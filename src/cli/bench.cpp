// SPDX-License-Identifier: MIT
// assay bench: how fast, beside the real alternatives.
#include "assay/bench.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/cross_text.hpp"
#include "cli/goal_text.hpp"
#include "cli/words.hpp"
#include "report/terminal.hpp"
#include "work/bench_details.hpp"

namespace assay::cli {
namespace {

// Shows each case as soon as it is measured.
class BenchText final : public work::BenchListener {
 public:
  explicit BenchText(const work::BenchRequest& request) : request_(request) {}

  void on_kernel(const work::KernelBench& kernel) override {
    print(fmt::format("{}  {}  on {} ({})  {} {}  seed {}\n", terminal_.paint(report::Colour::bold, kernel.kernel),
                      kernel.configuration, kernel.gpu, kernel.device, request_.measuring.protocol,
                      request_.measuring.cache, kernel.seed));
  }
  void on_case(const work::BenchCase& measured) override {
    print(report::bench_case_text(measured.details->judged, terminal_));
  }
  void on_goal(const work::KernelBench& kernel) override { print(goal_text(kernel.goal)); }

 private:
  const work::BenchRequest& request_;
  const report::Terminal terminal_;
};

class BenchCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line, "folders with a kernel.toml, the files, or folders of such folders");
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--baseline", request_.baselines,
                "NAME of the specification, sdpa[:BACKEND], torch_compile, a kernel folder");
    line.option("--candidate", request_.candidate, "a [baseline.NAME] that takes the kernel's place");
    declare_measuring(line, request_.measuring);
    line.option("--save", request_.save, "keep the measurement under this name, for gate and compare");
    line.choice("--format", format_, "csv or markdown", {"csv", "markdown"});
    line.choice("--rules", rules_, "time it by this benchmark's rules as well",
                {"kernelbench", "gpumode", "solexec", "nvbench", "triton"});
    declare_seed(line, request_.seed);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    if (!rules_.empty()) return by_rules(context);
    ASSAY_TRY(const ExitCode code,
              kernels_.each("bench", json(), [&](const std::string& kernel) { return bench(kernel, context); }));
    if (!json() && !format_.empty()) {
      const report::BenchTable table = report::bench_table(cases_);
      print(format_ == "csv" ? report::to_csv(table) : report::to_markdown(table));
    }
    return code;
  }

 private:
  Result<ExitCode> by_rules(const Context& context) {
    if (!format_.empty() || !request_.save.empty())
      return Error{"--rules shows figures of two protocols: --format and --save have no place for them"};
    return kernels_.each("bench", json(), [&](const std::string& kernel) -> Result<KernelWords::Outcome> {
      request_.choice.kernel = kernel;
      CrossText text;
      ASSAY_TRY(const work::CrossReport report, work::cross({request_, {rules_}}, context, json() ? nullptr : &text));
      return KernelWords::Outcome{report.exit_code, json() ? to_json(report) : ""};
    });
  }

  Result<KernelWords::Outcome> bench(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    BenchText text(request_);
    ASSAY_TRY(const work::BenchReport report,
              work::bench(request_, context, json() || !format_.empty() ? nullptr : &text));
    for (const work::KernelBench& each : report.kernels) {
      for (const work::BenchCase& measured : each.cases) cases_.push_back(measured.details->judged);
    }
    return KernelWords::Outcome{report.exit_code, json() ? to_json(report) : ""};
  }

  work::BenchRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  std::string format_;
  std::string rules_;
  std::vector<report::BenchCase> cases_;
};

}  // namespace

CommandEntry bench_command() {
  return {"bench", "timing with statistics, beside the baselines, in one run",
          [] { return std::unique_ptr<Command>(new BenchCommand); }};
}

}  // namespace assay::cli
