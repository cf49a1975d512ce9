// SPDX-License-Identifier: MIT
#include "base/process.hpp"

#include <csignal>
#include <cstring>
#include <fmt/format.h>

#include "base/child.hpp"

namespace assay {

std::string signal_name(int signal) {
  const char* abbreviation = ::sigabbrev_np(signal);
  return abbreviation != nullptr ? fmt::format("SIG{}", abbreviation) : fmt::format("signal {}", signal);
}

std::string describe_end(const ProcessOutcome& outcome) {
  if (outcome.timed_out) {
    return fmt::format("was stopped at its time limit after {:.1f} s",
                       std::chrono::duration<double>(outcome.duration).count());
  }
  if (outcome.signal != 0) return "was killed by " + signal_name(outcome.signal);
  return fmt::format("exited with {}", outcome.exit_status);
}

Result<ProcessOutcome> run(const Command& command) {
  return run(command, {});
}

Result<ProcessOutcome> run(const Command& command, const std::function<bool()>& unwanted) {
  const auto start = std::chrono::steady_clock::now();
  ASSAY_TRY(const std::unique_ptr<Child> child, Child::start(command));
  ProcessOutcome outcome;
  outcome.timed_out = !child->finish(command.input, start + command.time_limit, unwanted);
  child->stop();
  outcome.duration = std::chrono::steady_clock::now() - start;
  if (const auto& end = child->end(); end && !outcome.timed_out) {
    outcome.exit_status = end->exit_status;
    outcome.signal = end->signal;
  }
  outcome.output_cut = child->output_cut();
  outcome.output = child->take_output();
  outcome.errors = child->errors();
  return outcome;
}

}  // namespace assay
