// SPDX-License-Identifier: MIT
// assay build: compiles configurations ahead of time and judges their resources against every GPU model.
#include "assay/build.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/build_text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"
#include "work/document.hpp"

namespace assay::cli {
namespace {

class BuildCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    kernels_.declare(line);
    declare_configuration(line, request_.configurations);
    line.option("--target", request_.target, "only this one, for example sm_89");
    line.option("--device", request_.device, "only the target that this device runs, for example cuda:0");
    line.flag("--all", all_, "every entry and target, on all GPUs side by side");
    line.option("--jobs", request_.jobs, "compilations at a time");
    line.option("--time-limit", request_.time_limit_s, "seconds that one compilation may take", kSeconds);
    line.flag("--prebuilt,--carry", prebuilt_, "write the default configuration's PTX into the kernel's folder");
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    return kernels_.each("build", json(), [&](const std::string& kernel) {
      return prebuilt_ ? write_prebuilt(kernel, context) : build(kernel, context);
    });
  }

 private:
  Result<KernelWords::Outcome> write_prebuilt(const std::string& kernel, const Context& context) const {
    ASSAY_TRY(const std::vector<std::string> files, work::write_prebuilt(kernel, context));
    if (json()) {
      nlohmann::json document = work::document_head("build");
      document["verdict"] = "good";
      document["prebuilt"] = files;
      return KernelWords::Outcome{ExitCode::good, work::document_text(document)};
    }
    for (const std::string& file : files) print(fmt::format("wrote {}\n", file));
    return KernelWords::Outcome{};
  }

  Result<KernelWords::Outcome> build(const std::string& kernel, const Context& context) {
    request_.kernel = kernel;
    ASSAY_TRY(const work::BuildReport report, work::build(request_, context));
    if (json()) return KernelWords::Outcome{report.exit_code, to_json(report)};
    print(all_ ? build_matrix(report) : build_text(report));
    return KernelWords::Outcome{report.exit_code};
  }

  work::BuildRequest request_;
  KernelWords kernels_;
  RecordWords record_;
  bool prebuilt_ = false;
  bool all_ = false;
};

}  // namespace

CommandEntry build_command() {
  return {"build", "compile every configuration; registers, spills, shared memory, occupancy",
          [] { return std::unique_ptr<Command>(new BuildCommand); }};
}

}  // namespace assay::cli
