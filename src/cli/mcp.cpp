// SPDX-License-Identifier: MIT
// assay mcp: the commands as tools of the Model Context Protocol, on standard input and output.
#include "work/mcp.hpp"

#include <iostream>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/help.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

class McpCommand final : public Command {
 public:
  void declare(CommandLine& line) override {
    line.words("FOLDER", words_, "nothing outside of it is touched", {0, 1});
    declare_json(line);
  }

  Result<ExitCode> run(const Context& context) override {
    std::error_code failed;
    const fs::path folder = fs::canonical(words_.empty() ? fs::path(".") : fs::path(words_.front()), failed);
    if (failed || !fs::is_directory(folder, failed))
      return Error{"there is no such folder", Place{words_.empty() ? "." : words_.front()}, ""};
    // Without evolve, whose proposer is any program of the machine, and work, which takes what other machines ask for.
    std::vector<work::McpTool> tools;
    for (const char* name :
         {"doctor", "new",   "build",  "sanitize", "check",   "bench",    "compare",  "gate",   "calibrate", "cross",
          "judge",  "suite", "tune",   "board",    "profile", "diagnose", "estimate", "invert", "run",       "report",
          "log",    "learn", "advise", "evidence", "claims",  "bisect",   "import",   "export", "explain"})
      tools.push_back({name, std::string(help_text(name))});
    const work::McpServer server(folder, std::move(tools), context);
    std::string line;
    while (!context.cancelled() && std::getline(std::cin, line)) {
      if (line.empty()) continue;
      if (const auto answer = server.answer(line)) print_document(*answer);
    }
    return ExitCode::good;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

CommandEntry mcp_command() {
  return {"mcp", "the commands as tools for programs: a server of the Model Context Protocol",
          [] { return std::unique_ptr<Command>(new McpCommand); }};
}

}  // namespace assay::cli
