// SPDX-License-Identifier: MIT
// assay export --torch: a kernel folder as a Python package with a PyTorch operator.
#include "assay/export_torch.hpp"

#include <fmt/format.h>
#include <vector>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/export_mode.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class ExportTorch final : public ExportMode {
 public:
  void declare(CommandLine& line) override {
    line.words("kernel", words_, "with --torch: a folder with a kernel.toml; the current one if absent", {0, 1});
    line.flag("--torch", chosen_, "a Python package with a PyTorch operator");
    declare_configuration(line, configuration_);
  }

  bool chosen() const override { return chosen_; }
  const char* option() const override { return "--torch"; }

  Result<ExitCode> run(const std::string& out, const Context& context, bool json) override {
    const std::string kernel = words_.empty() ? "." : words_[0];
    ASSAY_TRY(const work::ExportTorchReport report, work::export_torch({{kernel, configuration_, ""}, out}, context));
    if (json) {
      print_document(to_json(report));
      return ExitCode::good;
    }
    print(fmt::format("{} [{}] for {}: {} in {}\n", escape_terminal(report.kernel), report.configuration,
                      join(report.modules, ", "), counted(report.files.size(), "file"), escape_terminal(report.out)));
    print(fmt::format("import {0}; {0}.{1}\n", report.package, report.call));
    for (const std::string& remark : report.remarks) print("note: " + escape_terminal(remark) + "\n");
    return ExitCode::good;
  }

 private:
  std::vector<std::string> words_;
  std::string configuration_;
  bool chosen_ = false;
};

}  // namespace

std::unique_ptr<ExportMode> export_torch_mode() {
  return std::make_unique<ExportTorch>();
}

}  // namespace assay::cli
