// SPDX-License-Identifier: MIT
// assay check: correctness against a float64 reference.
#include "assay/check.hpp"

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/verdict_text.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class CheckCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--shape", request_.shape, "NAME=value,...: only this shape");
    line.option("--distribution", request_.distribution, "of the inputs, with --shape");
    line.option("--fuzz", request_.fuzz, "random shapes after the specified ones", {0, 1000000});
    line.option("--fmad", request_.fmad, "on, off or both: fuse products and sums that ptxas may contract");
    line.option("--repeat", request_.repetitions, "launches that must give the same bits", {1, 1000000});
    line.flag("--no-memory-check", no_memory_check_, "guard bytes around buffers instead of checking every access");
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    request_.check_memory = !no_memory_check_;
    return kernels_.each("check", json(), [&](const std::string& kernel) { return check(kernel, context); });
  }

 private:
  Result<KernelWords::Outcome> check(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    const auto show = [&](const work::ConfigurationCheck& checked) {
      if (!json()) print(check_text(checked, kernel));
    };
    ASSAY_TRY(const work::CheckReport report, work::check(request_, context, show));
    return KernelWords::Outcome{report.exit_code, json() ? to_json(report) : ""};
  }

  work::CheckRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  bool no_memory_check_ = false;
};

}  // namespace

CommandEntry check_command() {
  return {"check", "correctness against float64: specified shapes, then fuzzing, failures shrunk",
          [] { return std::unique_ptr<Command>(new CheckCommand); }};
}

}  // namespace assay::cli
