// SPDX-License-Identifier: MIT
// assay mcp: the commands as tools of the Model Context Protocol, on standard input and output.
#include "work/mcp.hpp"

#include <array>
#include <optional>
#include <poll.h>
#include <unistd.h>

#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/help.hpp"

namespace assay::cli {
namespace {

namespace fs = std::filesystem;

// Lines of standard input, until it ends or the command is interrupted. A last line may lack its newline.
class InputLines {
 public:
  explicit InputLines(const Context& context) : context_(context) {}

  std::optional<std::string> next() {
    while (true) {
      if (const size_t end = buffer_.find('\n', searched_); end != std::string::npos) {
        std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        searched_ = 0;
        return line;
      }
      searched_ = buffer_.size();
      if (!more()) break;
    }
    if (buffer_.empty() || context_.cancelled()) return std::nullopt;
    searched_ = 0;
    return std::exchange(buffer_, "");
  }

 private:
  bool more() {
    std::array<char, 1 << 16> bytes;
    while (!context_.cancelled()) {
      pollfd input{STDIN_FILENO, POLLIN, 0};
      constexpr int kBetweenLooks = 500;  // ms: a signal may come just before we wait
      if (::poll(&input, 1, kBetweenLooks) <= 0) continue;
      const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
      if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (count <= 0) return false;
      buffer_.append(bytes.data(), static_cast<size_t>(count));
      return true;
    }
    return false;
  }

  const Context& context_;
  std::string buffer_;
  size_t searched_ = 0;  // bytes of it that are known to hold no end of line
};

// Whoever read the answers has closed their end.
bool nobody_listens() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

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
    work::McpServer server(folder, std::move(tools), context, [](const std::string& text) { print_document(text); });
    InputLines lines(context);
    while (const auto line = lines.next()) {
      if (line->find_first_not_of(" \t\r") != std::string::npos) server.take(*line);
    }
    server.finish(nobody_listens);
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
