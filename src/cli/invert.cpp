// SPDX-License-Identifier: MIT
// assay invert: experiments that add or remove work.
#include "assay/invert.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/invert_text.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class InvertCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--shape", request_.shape, "NAME=value,...: the shape; the first of the file otherwise");
    line.option("--only", only_, "NAME,...: these experiments alone");
    line.flag("--quick", request_.quick, "ablations and first doses, 15 s of GPU time");
    line.flag("--list", list_, "the catalogue of experiments");
    line.flag("--all", all_, "every experiment in the text, not only resources");
    line.option("--budget", request_.budget_s, "seconds of GPU time", {0, 86'400});
    line.option("--seconds", request_.seconds, "begin no further proof after so many seconds", {0, 86'400});
    line.option("--blocks", request_.blocks, "run at most so many blocks and scale; 0: all");
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (list_) {
      print(json() ? catalogue_json() + "\n" : catalogue_text());
      return ExitCode::good;
    }
    for (const std::string_view name : split(only_, ',')) {
      if (!trim(name).empty()) request_.experiments.emplace_back(trim(name));
    }
    ASSAY_TRY(request_.record, record_.read());
    return kernels_.each("invert", json(), [&](const std::string& kernel) { return invert(kernel, context); });
  }

 private:
  Result<KernelWords::Outcome> invert(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    ASSAY_TRY(const work::InvertReport report, work::invert(request_, context));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(invert_text(report, all_));
    return KernelWords::Outcome{report.exit_code};
  }

  work::InvertRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  std::string only_;
  bool list_ = false;
  bool all_ = false;
};

}  // namespace

CommandEntry invert_command() {
  return {"invert", "experiments that add or remove work: what limits the kernel",
          [] { return std::unique_ptr<Command>(new InvertCommand); }};
}

}  // namespace assay::cli
