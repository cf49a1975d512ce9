// SPDX-License-Identifier: MIT
// Runs the program on a terminal of its own, as a person does.
#pragma once

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "assay_program.hpp"
#include "base/text.hpp"

namespace assay::cli {

struct Screen {
  std::string raw;  // every byte that was written to the terminal
  int exit_status = -1;
  int updates = 0;  // writes that arrived apart from each other

  // What stands on the screen at the end: progress lines are gone, colours left out.
  std::vector<std::string> lines() const {
    std::vector<std::string> shown(1);
    for (size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\n') {
        shown.emplace_back();
      } else if (raw[i] == '\r') {
        if (i + 1 < raw.size() && raw[i + 1] != '\n') shown.back().clear();
      } else if (raw[i] == '\x1b') {
        while (i < raw.size() && std::isalpha(static_cast<unsigned char>(raw[i])) == 0) ++i;
      } else {
        shown.back() += raw[i];
      }
    }
    return shown;
  }
  std::string text() const { return join(lines(), "\n"); }
};

struct TerminalOptions {
  unsigned short columns = 80;
  std::map<std::string, std::string> environment{{"TERM", "xterm"}};
  std::filesystem::path folder = ASSAY_SOURCE_DIR;
  // Called once, as soon as the text stands in what was written: may send a signal to the process.
  std::string wait_for;
  std::function<void(pid_t)> then;
};

inline Screen on_terminal(const std::vector<std::string>& arguments, const TerminalOptions& options = {}) {
  Command command = assay_command(arguments);
  for (const auto& [name, value] : options.environment) command.environment[name] = value;
  Screen screen;
  int terminal = -1;
  const winsize size{24, options.columns, 0, 0};
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    ::unsetenv("NO_COLOR");
    for (const auto& [name, value] : command.environment) ::setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> argv;
    for (std::string& word : command.arguments) argv.push_back(word.data());
    argv.push_back(nullptr);
    if (::chdir(options.folder.c_str()) == 0) ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  EXPECT_GT(child, 0);
  bool told = false;
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(3);
  while (std::chrono::steady_clock::now() < deadline) {
    pollfd ready{terminal, POLLIN, 0};
    if (::poll(&ready, 1, 1000) <= 0) continue;
    char bytes[4096];
    const ssize_t count = ::read(terminal, bytes, sizeof bytes);
    if (count <= 0) break;  // the program has closed its end
    screen.raw.append(bytes, static_cast<size_t>(count));
    ++screen.updates;
    if (!told && options.then && screen.raw.find(options.wait_for) != std::string::npos) {
      told = true;
      options.then(child);
    }
  }
  ::kill(child, SIGKILL);  // only if it did not end by itself
  int status = 0;
  ::waitpid(child, &status, 0);
  ::close(terminal);
  screen.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return screen;
}

}  // namespace assay::cli
