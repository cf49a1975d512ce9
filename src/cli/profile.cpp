// SPDX-License-Identifier: MIT
// assay profile: counters of the virtual GPU, in all and for each source line; beside them Nsight Compute's.
#include "assay/profile.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/profile_text.hpp"
#include "cli/words.hpp"
#include "report/source_text.hpp"
#include "work/profile_details.hpp"

namespace assay::cli {
namespace {

class ProfileCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_device(line, request_.choice.device);
    declare_configuration(line, request_.choice.configuration);
    line.option("--shape", request_.shape,
                "NAME=value,...: the shape; the first canonical one that is affordable otherwise");
    line.option("--lines", lines_, "source lines in the table");
    line.option("--with", with_, "ncu: Nsight Compute on a GPU, beside the counts");
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
    return kernels_.each("profile", json(), [&](const std::string& kernel) { return profile(kernel, context); });
  }

 private:
  Result<KernelWords::Outcome> profile(const std::string& kernel, const Context& context) {
    request_.choice.kernel = kernel;
    ASSAY_TRY(const work::ProfileReport report, work::profile(request_, context));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(profile_text(report.details->profile, lines_, report::source_root(report.details->spec.folder)));
    return KernelWords::Outcome{report.exit_code};
  }

  work::ProfileRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  std::string with_;
  size_t lines_ = 12;
};

}  // namespace

CommandEntry profile_command() {
  return {"profile", "counters of one case, in all and for each source line",
          [] { return std::unique_ptr<Command>(new ProfileCommand); }};
}

}  // namespace assay::cli
