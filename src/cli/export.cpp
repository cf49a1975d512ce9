// SPDX-License-Identifier: MIT
// assay export: what the project has, for other tools.
#include <fmt/format.h>
#include <vector>

#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/export_mode.hpp"

namespace assay::cli {
namespace {

class ExportCommand final : public Command {
 public:
  ExportCommand() {
    modes_.push_back(export_results_mode());
    modes_.push_back(export_torch_mode());
  }

  void declare(CommandLine& line) override {
    for (const auto& mode : modes_) mode->declare(line);
    line.option("--out", out_, "the file or folder that it goes to");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    std::vector<std::string> options;
    ExportMode* chosen = nullptr;
    for (const auto& mode : modes_) {
      options.emplace_back(mode->option());
      if (!mode->chosen()) continue;
      if (chosen != nullptr)
        return Error{fmt::format("{} and {} exclude each other", chosen->option(), mode->option())};
      chosen = mode.get();
    }
    if (chosen != nullptr) return chosen->run(out_, context, json());
    return Error{"assay export does not know what to write", {}, fmt::format("say {}", join(options, " or "))};
  }

 private:
  std::vector<std::unique_ptr<ExportMode>> modes_;
  std::string out_;
};

}  // namespace

CommandEntry export_command() {
  return {"export", "results for other tools; a kernel as a PyTorch operator",
          [] { return std::unique_ptr<Command>(new ExportCommand); }};
}

}  // namespace assay::cli
