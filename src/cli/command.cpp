// SPDX-License-Identifier: MIT
#include "cli/command.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

#include "base/version.hpp"
#include "cli/command_line.hpp"
#include "cli/terminal_listener.hpp"
#include "report/terminal.hpp"

namespace assay::cli {

void Command::declare_json(CommandLine& line) {
  line.flag("--json", json_, "print one JSON document");
}

namespace {

int trouble = 0;  // why something that was printed did not arrive

void note_trouble(bool arrived) {
  if (!arrived && trouble == 0) trouble = errno;
}

void write(const std::string& text) {
  make_room_for_output();
  note_trouble(std::fwrite(text.data(), 1, text.size(), stdout) == text.size());
  note_trouble(std::fflush(stdout) == 0);
}

}  // namespace

void print(std::string_view text) {
  write(report::fitted(report::Terminal(), std::string(text)));
}

void print_document(std::string_view text) {
  write(std::string(text) + "\n");
}

// fmt::print would throw, and end the command for want of a place for its progress.
void print_to_errors(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

Result<void> everything_printed() {
  note_trouble(std::fflush(stdout) == 0);
  // Whoever reads from us may stop when they have seen enough.
  if (trouble == 0 || trouble == EPIPE) return {};
  return Error{
      fmt::format("cannot write to standard output: {}", std::strerror(trouble)), {}, "", ExitCode::environment};
}

}  // namespace assay::cli
