// SPDX-License-Identifier: MIT
// assay work: do what a shared folder asks for.
#include <fmt/format.h>

#include "assay/labour.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"

namespace assay::cli {
namespace {

class WorkCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.needs("folder", request_.folder, "the folder of the work");
    line.option("--name", request_.name, "of this worker");
    line.option("--unattended", request_.unattended_s, "end when nobody waits for results for so many seconds",
                kSeconds);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(const work::LabourReport report, work::labour(request_, context));
    if (json()) {
      print_document(to_json(report));
    } else {
      print(fmt::format("{} on {}: {} finished, {} given back, {} done by another one\n", report.worker, report.device,
                        report.finished, report.given_back, report.overtaken));
    }
    return report.exit_code;
  }

 private:
  work::LabourRequest request_;
};

}  // namespace

CommandEntry work_command() {
  return {"work", "do what a shared folder asks for", [] { return std::unique_ptr<Command>(new WorkCommand); }};
}

}  // namespace assay::cli
