// SPDX-License-Identifier: MIT
// assay diagnose: how far from the floor, and what keeps it there.
#include "assay/diagnose.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/diagnose_text.hpp"
#include "cli/open_page.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class DiagnoseCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--shape", request_.shape, "NAME=value,...: the shape; the first of the file otherwise");
    line.option("--sweep", request_.sweep, "NAME=first..last: shapes that double this variable");
    line.option("--findings", most_, "in the text");
    line.option("--baseline", request_.baseline,
                "what is measured and, with ncu, profiled beside it: a name or a folder");
    line.option("--keep", request_.keep, "with ncu: folder for both reports");
    line.option("--with", with_, "ncu: Nsight Compute on a GPU, beside the counts");
    line.option("--blocks", request_.blocks, "run at most so many blocks and scale; 0: all");
    line.flag("--open", open_, "show the page in the browser");
    declare_seed(line, request_.seed);
    declare_limits(line, request_.limits);
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    if (!with_.empty() && with_ != "ncu")
      return Error{fmt::format("there is no profiler '{}'", with_), {}, "--with ncu"};
    request_.with_ncu = !with_.empty();
    ASSAY_TRY(request_.record, record_.read());
    return kernels_.each("diagnose", json(), [&](const std::string& kernel) { return diagnose(kernel, context); });
  }

 private:
  Result<KernelWords::Outcome> diagnose(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    request_.page = true;
    ASSAY_TRY(const work::DiagnoseReport report, work::diagnose(request_, context));
    if (open_ && !report.page.empty()) ASSAY_CHECK(open_page(report.page));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(diagnose_text(report, most_));
    if (!report.page.empty()) print(fmt::format("page: {}\n", report.page));
    return KernelWords::Outcome{report.exit_code};
  }

  work::DiagnoseRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  std::string with_;
  size_t most_ = 5;
  bool open_ = false;
};

}  // namespace

CommandEntry diagnose_command() {
  return {"diagnose", "why is it not faster: distance to the floor, ranked findings",
          [] { return std::unique_ptr<Command>(new DiagnoseCommand); }};
}

}  // namespace assay::cli
