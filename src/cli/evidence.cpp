// SPDX-License-Identifier: MIT
// assay evidence: an attempt, packed for somebody who was not there.
#include "assay/evidence.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class EvidenceCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.needs("attempt", attempt_, "the number of an attempt");
    line.option("--against", against_, "the attempt that it is compared with");
    line.option("--out", request_.out, "a new folder, or a file *.tar.gz");
    line.option("--ledger", request_.ledger, "the file");
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    static_cast<void>(context);
    ASSAY_TRY(request_.attempt, attempt_number(attempt_));
    if (!against_.empty()) {
      ASSAY_TRY(request_.against, attempt_number(against_));
    }
    ASSAY_TRY(const work::EvidenceReport report, work::evidence(request_));
    if (json()) {
      print_document(to_json(report));
      return ExitCode::good;
    }
    for (const std::string& path : report.left_out)
      print(fmt::format("not packed, because its path leads elsewhere: {}\n", escape_terminal(path)));
    print(fmt::format("attempt {} of {}{}: {}, {} KB in {}\n", report.attempt, escape_terminal(report.kernel),
                      report.predecessor ? fmt::format(" beside attempt {}", *report.predecessor) : "",
                      counted(report.files.size(), "file"), (report.bytes + 1023) / 1024, escape_terminal(report.out)));
    return ExitCode::good;
  }

 private:
  work::EvidenceRequest request_;
  std::string attempt_;
  std::string against_;
};

}  // namespace

CommandEntry evidence_command() {
  return {"evidence", "an attempt with sources, changes, samples, report and commands, packed",
          [] { return std::unique_ptr<Command>(new EvidenceCommand); }};
}

}  // namespace assay::cli
