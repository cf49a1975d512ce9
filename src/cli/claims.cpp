// SPDX-License-Identifier: MIT
// assay claims: are the figures of these documents those that were recorded?
#include "assay/claims.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"

namespace assay::cli {
namespace {

constexpr size_t kShown = 20;

class ClaimsCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("files", request_.files, "Markdown documents, or folders of them", {1, kMany});
    line.option("--ledger", request_.ledger, "the file, for claims about attempts");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    static_cast<void>(context);
    ASSAY_TRY(const work::ClaimsReport report, work::claims(request_));
    if (json()) {
      print_document(to_json(report));
      return report.exit_code;
    }
    for (size_t i = 0; i < std::min(report.wrong.size(), kShown); ++i) {
      const work::WrongFigure& each = report.wrong[i];
      print(fmt::format("{}:{}: {}, but {} has {}\n", escape_terminal(each.file), each.line,
                        escape_terminal(each.figure), escape_terminal(each.source), escape_terminal(each.recorded)));
    }
    if (report.wrong.size() > kShown)
      print(fmt::format("... and {} more: --json lists them\n", report.wrong.size() - kShown));
    print(fmt::format("{} in {}: {} compared, {}\n", counted(report.claims, "claim"),
                      counted(report.files_with_claims, "document"), counted(report.figures, "figure"),
                      report.wrong.empty() ? "all agree" : fmt::format("{} disagree", report.wrong.size())));
    return report.exit_code;
  }

 private:
  work::ClaimsRequest request_;
};

}  // namespace

CommandEntry claims_command() {
  return {"claims", "are the figures of these documents those that were recorded?",
          [] { return std::unique_ptr<Command>(new ClaimsCommand); }};
}

}  // namespace assay::cli
