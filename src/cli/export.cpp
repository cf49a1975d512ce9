// SPDX-License-Identifier: MIT
// assay export: kernels in the forms that others use.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/export_torch.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class ExportCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("kernel", words_, "a folder with a kernel.toml; the current one if absent", {0, 1});
    line.flag("--torch", torch_, "a Python package with a PyTorch operator");
    line.option("--out", out_, "where it goes: a new folder");
    declare_configuration(line, configuration_);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    const std::string kernel = words_.empty() ? "." : words_[0];
    if (torch_) return run_export_torch({{kernel, configuration_, ""}, out_}, json(), context);
    return Error{"nothing says what is to be exported", {}, "--torch"};
  }

 private:
  std::vector<std::string> words_;
  std::string configuration_;
  std::string out_;
  bool torch_ = false;
};

}  // namespace

CommandEntry export_command() {
  return {"export", "a kernel as a PyTorch operator, without PyTorch's ABI",
          [] { return std::unique_ptr<Command>(new ExportCommand); }};
}

}  // namespace assay::cli
