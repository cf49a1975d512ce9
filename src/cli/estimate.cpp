// SPDX-License-Identifier: MIT
// assay estimate: the time on a GPU that is not here.
#include "assay/estimate.hpp"

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/estimate_text.hpp"
#include "cli/words.hpp"
#include "work/estimate_details.hpp"

namespace assay::cli {
namespace {

class EstimateCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--shape", request_.shape, "NAME=value,...: the shape; the first of the file otherwise");
    line.option("--blocks", request_.blocks, "run at most so many blocks and scale; 0: all");
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    return kernels_.each("estimate", json(), [&](const std::string& kernel) { return estimate(kernel, context); });
  }

 private:
  Result<KernelWords::Outcome> estimate(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    ASSAY_TRY(const work::EstimateReport report, work::estimate(request_, context));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(estimate_text(report.details->estimated));
    return KernelWords::Outcome{report.exit_code};
  }

  work::EstimateRequest request_;
  KernelWords kernels_;
  RecordWords record_;
};

}  // namespace

CommandEntry estimate_command() {
  return {"estimate", "the time on a GPU that is not here, from exact counts",
          [] { return std::unique_ptr<Command>(new EstimateCommand); }};
}

}  // namespace assay::cli
