// SPDX-License-Identifier: MIT
// assay import: tasks and results of other benchmarks.
#include "assay/import.hpp"

#include <fmt/format.h>

#include "base/escape.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/lost_text.hpp"
#include "cli/words.hpp"

namespace assay::cli {
namespace {

class ImportCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.needs("FILE", request_.path, "a file or a folder");
    line.choice("--format", request_.format, "what it is of; otherwise known by what it holds",
                {"flashinfer", "solexec", "kernelbench", "gpumode", "robust-kbench", "cutlass", "nvbench", "t1",
                 "kernel-tuner", "t4"});
    line.option("--to", request_.to, "tasks become folders in this one");
    record_.declare(line);
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    ASSAY_TRY(request_.record, record_.read());
    ASSAY_TRY(const work::ImportReport report, work::import_files(request_, context));
    if (json()) {
      print_document(to_json(report));
    } else {
      print(text_of(report));
    }
    return report.exit_code;
  }

 private:
  static std::string text_of(const work::ImportReport& report) {
    std::string text = fmt::format("{}: {}, {}\n", report.format, counted(report.tasks.size(), "task"),
                                   counted(report.results, "result"));
    if (report.repaired) text += "the file was cut off: what is whole was taken\n";
    for (const work::ImportedTask& task : report.tasks) {
      text += fmt::format("{}\n", escape_terminal(task.folder));
      if (!task.problem.empty()) text += fmt::format("  cannot be used yet: {}\n", escape_lines(task.problem));
      for (const work::OpenPoint& point : task.open)
        text +=
            fmt::format("  open  {}:{}: {}\n", escape_terminal(point.file), point.line, escape_terminal(point.text));
      text += lost_text(task.lost, "  ");
    }
    if (report.results > 0 && report.ledger.empty()) text += "the results were recorded nowhere\n";
    if (!report.ledger.empty())
      text += fmt::format("recorded in {}, marked as imported: {}{}\n", escape_terminal(report.ledger), report.recorded,
                          report.known > 0 ? fmt::format("; {} were there already", report.known) : "");
    return text + lost_text(report.lost, "");
  }

  work::ImportRequest request_;
  RecordWords record_;
};

}  // namespace

CommandEntry import_command() {
  return {"import", "tasks and results of other benchmarks",
          [] { return std::unique_ptr<Command>(new ImportCommand); }};
}

}  // namespace assay::cli
