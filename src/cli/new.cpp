// SPDX-License-Identifier: MIT
// assay new: describes a kernel that nobody has described yet.
#include "assay/new.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"

namespace assay::cli {
namespace {

class NewCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("SOURCE", words_, "a .cu or .ptx file; with --like: the name of the new kernel", {1, 1});
    line.option("--like", request_.like, "copy this kernel, shipped or a folder");
    line.option("--name", request_.name, "of the folder that is made");
    line.option("--kernel", request_.kernel, "only this kernel of the source: a name or a pattern");
    line.choice("--reference", request_.reference, "language of the reference to be written", {"cpp", "python"});
    line.option("--target", request_.target, "compile for this one, for example sm_90a");
    line.flag("--no-trial", no_trial_, "do not run the kernel on a virtual GPU");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    request_.trial = !no_trial_;
    (request_.like.empty() ? request_.source : request_.name) = words_.front();
    ASSAY_TRY(const work::NewReport report, work::describe(request_, context));
    if (json()) {
      print_document(to_json(report));
      return report.exit_code;
    }
    print(text_of(report));
    return report.exit_code;
  }

 private:
  static std::string text_of(const work::NewReport& report) {
    std::string text;
    for (const work::NewKernel& kernel : report.kernels) {
      text += fmt::format("{}: {}\n", kernel.folder, kernel.entry);
      if (!kernel.signature.empty()) text += fmt::format("  names and types: from {}", kernel.signature);
      for (const std::string& missing : kernel.missing) text += fmt::format("; {}", missing);
      if (!kernel.signature.empty()) text += "\n";
      if (kernel.verdict == "clean") text += "  ran on a virtual GPU: no access out of bounds\n";
      if (kernel.verdict == "finding") text += fmt::format("  ran on a virtual GPU: {}\n", kernel.message);
      if (kernel.verdict == "not run" && !kernel.message.empty())
        text += fmt::format("  did not run: {}\n", kernel.message);
      for (const work::OpenPoint& point : kernel.open)
        text += fmt::format("  open  {}:{}: {}\n", point.file, point.line, point.text);
      text += fmt::format("  next: assay sanitize {0}, and with a reference assay check {0}\n", kernel.folder);
    }
    return text;
  }

  work::NewRequest request_;
  std::vector<std::string> words_;
  bool no_trial_ = false;
};

}  // namespace

CommandEntry new_command() {
  return {"new", "describe a kernel: kernel.toml and a reference to be written, from its source",
          [] { return std::unique_ptr<Command>(new NewCommand); }};
}

}  // namespace assay::cli
