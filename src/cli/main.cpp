// SPDX-License-Identifier: MIT
#include <algorithm>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <iostream>
#include <new>
#include <unistd.h>
#include <vector>

#include "base/escape.hpp"
#include "base/scratch_folder.hpp"
#include "base/screen.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "check/experiments.hpp"
#include "check/reaching.hpp"
#include "check/tracing.hpp"
#include "check/worker.hpp"
#include "cli/command.hpp"
#include "cli/command_line.hpp"
#include "cli/error_report.hpp"
#include "cli/explain.hpp"
#include "cli/help.hpp"
#include "cli/interruption.hpp"
#include "cli/terminal_listener.hpp"
#include "measure/contender.hpp"
#include "measure/cuda/kernel_provider.hpp"

namespace assay::cli {
namespace {

std::vector<CommandEntry> commands() {
  // clang-format off: one a line
  return {
      doctor_command(),
      new_command(),
      build_command(),
      sanitize_command(),
      check_command(),
      bench_command(),
      compare_command(),
      gate_command(),
      calibrate_command(),
      cross_command(),
      judge_command(),
      suite_command(),
      tune_command(),
      evolve_command(),
      board_command(),
      work_command(),
      profile_command(),
      diagnose_command(),
      estimate_command(),
      invert_command(),
      run_command(),
      report_command(),
      log_command(),
      learn_command(),
      advise_command(),
      evidence_command(),
      claims_command(),
      bisect_command(),
      import_command(),
      export_command(),
      explain_command(),
      mcp_command(),
  };
  // clang-format on
}

// A name or an instruction in a message may be a megabyte long. JSON has all of it.
std::string without_endless_lines(const std::string& text) {
  constexpr size_t kMost = 4000;
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    if (line.data() != text.data()) result += '\n';
    size_t end = std::min(line.size(), kMost);
    while (end > 0 && end < line.size() && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    result += line.substr(0, end);
    if (end < line.size()) result += fmt::format(" ... ({} more characters)", line.size() - end);
  }
  return result;
}

// Where nothing can be printed, the exit code still says it.
void say_error(const std::string& text) {
  std::fputs(fmt::format("assay: {}\n", text).c_str(), stderr);
}

int report_error(const Error& error, bool as_json, const std::string& command) {
  if (as_json) {
    print_document(error_document(error, command));
  } else {
    make_room_for_output();
    say_error(without_endless_lines(to_string(error)));
  }
  return static_cast<int>(error.exit_code);
}

// Help is the documentation itself (docs/cli), so it is looked for before anything is parsed.
std::optional<std::string> wanted_help(const std::vector<std::string>& arguments) {
  const auto is_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
  if (arguments.empty()) return "assay";
  if (arguments[0] == "help") return arguments.size() > 1 ? arguments[1] : "assay";
  if (is_help(arguments[0])) return "assay";
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  return std::any_of(arguments.begin(), end, is_help) ? std::optional(arguments[0]) : std::nullopt;
}

// No path or name that we take has any; what stands behind "--" is another program's business.
std::optional<Error> with_control_characters(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") break;
    if (std::ranges::any_of(argument, [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; }))
      return Error{fmt::format("an argument holds control characters: '{}'", escape_terminal(argument))};
  }
  return std::nullopt;
}

// A descriptor that was closed before we began is the first that a file gets: a ledger would then be standard output.
// What is written to a closed standard output is an error; to a closed standard error, nobody's loss.
void fill_closed_descriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int opened = ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// What commands that were killed left where temporary files go.
void remove_leftovers() {
  std::error_code failed;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(failed);
  if (!failed) remove_abandoned_folders(folder);
}

int run_command_line(const std::vector<std::string>& arguments) {
  if (!arguments.empty() && arguments[0] == "--version") {
    print(fmt::format("assay {}\n", kVersion));
    return 0;
  }
  if (const auto topic = wanted_help(arguments)) {
    const std::string_view text = help_text(*topic);
    if (text.empty()) return report_error(no_such_command(*topic, commands()), false, *topic);
    print(text);
    return arguments.empty() ? static_cast<int>(ExitCode::usage) : 0;
  }
  if (const auto unclean = with_control_characters(arguments)) return report_error(*unclean, false, "assay");
  const auto command = read_command_line(commands(), arguments);
  if (!command) {
    const auto end = std::find(arguments.begin(), arguments.end(), "--");
    const bool as_json = std::find(arguments.begin(), end, "--json") != end;
    return report_error(command.error(), as_json, arguments[0]);
  }
  catch_interruptions();
  TerminalListener listener((*command)->json(), arguments[0]);
  const auto result = (*command)->run({&listener, &interruption(), "/proc/self/exe"});
  // A child that the same signal ended looks like an error of its own.
  if (!result && interruption().cancelled()) return report_interruption();
  return result ? static_cast<int>(*result) : report_error(result.error(), (*command)->json(), arguments[0]);
}

}  // namespace
}  // namespace assay::cli

int main(int count, char** values) {
  try {
    std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of writing, with its message
    assay::cli::fill_closed_descriptors();
    const std::vector<std::string> arguments(values + 1, values + count);
    if (!arguments.empty() && arguments[0] == assay::check::kWorkerCommand)
      return assay::check::serve_worker(std::cin, std::cout);
    if (!arguments.empty() && arguments[0] == assay::check::kTracingCommand)
      return assay::check::serve_tracing(std::cin, std::cout);
    if (!arguments.empty() && arguments[0] == assay::check::kExperimentsCommand)
      return assay::check::serve_experiments(std::cin, std::cout);
    if (!arguments.empty() && arguments[0] == assay::check::kReachCommand)
      return assay::check::serve_reach(std::cin, std::cout);
    if (!arguments.empty() && arguments[0] == assay::measure::kProviderCommand)
      return assay::measure::cuda::serve_kernel_provider(std::cin);
    assay::guard_standard_streams();
    assay::cli::remove_leftovers();
    const int exit_code = assay::cli::run_command_line(arguments);
    const auto printed = assay::cli::everything_printed();
    if (printed) return exit_code;
    assay::cli::say_error(to_string(printed.error()));
    return static_cast<int>(printed.error().exit_code);
  } catch (const std::bad_alloc&) {
    std::fputs("assay: not enough memory for this on this machine\n", stderr);
    return static_cast<int>(assay::ExitCode::environment);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "assay: internal error: %s\n", problem.what());
  } catch (...) {
    std::fputs("assay: internal error (unknown exception)\n", stderr);
  }
  return static_cast<int>(assay::ExitCode::internal);
}
