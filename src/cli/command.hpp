// SPDX-License-Identifier: MIT
// A command: which words it takes, and what it says. The work itself is done behind include/assay.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::cli {

class CommandLine;

class Command {
 public:
  virtual ~Command() = default;

  virtual void declare(CommandLine& line) = 0;
  virtual Result<ExitCode> run(const Context& context) = 0;

  bool json() const { return json_; }

 protected:
  void declare_json(CommandLine& line);

 private:
  bool json_ = false;
};

// A row of the table of commands.
struct CommandEntry {
  const char* name;
  const char* summary;
  std::unique_ptr<Command> (*make)();
};

CommandEntry doctor_command();
CommandEntry build_command();
CommandEntry sanitize_command();
CommandEntry check_command();
CommandEntry run_command();
CommandEntry log_command();
CommandEntry learn_command();
CommandEntry advise_command();
CommandEntry profile_command();
CommandEntry estimate_command();
CommandEntry invert_command();
CommandEntry diagnose_command();
CommandEntry bench_command();
CommandEntry compare_command();
CommandEntry gate_command();
CommandEntry calibrate_command();
CommandEntry suite_command();
CommandEntry tune_command();
CommandEntry evolve_command();
CommandEntry board_command();
CommandEntry new_command();
CommandEntry mcp_command();
CommandEntry work_command();
CommandEntry report_command();
CommandEntry evidence_command();
CommandEntry claims_command();
CommandEntry bisect_command();
CommandEntry import_command();
CommandEntry export_command();
CommandEntry judge_command();
CommandEntry cross_command();

void print(std::string_view text);              // to standard output, at once, as wide as the terminal
void print_to_errors(const std::string& text);  // to standard error; where nothing can be written, nobody hears it
void print_document(std::string_view text);     // as it is, and a newline
// An error if something that was printed did not arrive, as on a full disk.
Result<void> everything_printed();

}  // namespace assay::cli
