// SPDX-License-Identifier: MIT
#include "cli/open_page.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/command.hpp"

namespace assay::cli {

// The one program that is to outlive us: base/process.hpp would end it with us. It becomes a child of init, with no
// terminal to write to.
Result<void> open_page(const std::string& file) {
  const char* browser = std::getenv("BROWSER");
  const std::string program = browser != nullptr && *browser != '\0' ? browser : "xdg-open";
  const std::filesystem::path path = find_program(program);
  if (path.empty())
    return Error{fmt::format("cannot open {}: there is no program '{}'", file, program),
                 {},
                 "open the file in a browser, or set BROWSER to the name of one",
                 ExitCode::environment};
  const std::string absolute = std::filesystem::absolute(file).string();
  const pid_t child = fork();
  if (child < 0) return Error{"cannot start " + program, {}, "", ExitCode::environment};
  if (child == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
    execl(path.c_str(), path.c_str(), absolute.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  waitpid(child, nullptr, 0);
  return {};
}

}  // namespace assay::cli
