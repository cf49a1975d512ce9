// SPDX-License-Identifier: MIT
#include "check/line_worker.hpp"

#include <fmt/format.h>

#include "base/progress.hpp"
#include "check/lost_process.hpp"

namespace assay::check {

Result<void> LineWorker::start() {
  ASSAY_TRY(child_, Child::start({context_.program, command_}));
  return {};
}

Result<std::string> LineWorker::ask(const std::string& request) {
  constexpr std::chrono::milliseconds kSlice{100};
  const auto end = std::chrono::steady_clock::now() + time_limit_;
  std::string line;
  Child::Answer answer = Child::Answer::ended;
  if (child_->send(request, time_limit_) == Child::Sent::all) {
    do {
      answer = child_->receive(line, kSlice);
      if (auto cancelled = check_cancelled(context_); !cancelled) {
        child_.reset();
        return cancelled.error();
      }
    } while (answer == Child::Answer::timed_out && std::chrono::steady_clock::now() < end);
  }
  if (answer == Child::Answer::line) return line;
  const std::string how = child_->stop();
  const std::string said = child_->errors();
  child_.reset();
  if (answer == Child::Answer::timed_out)
    return Error{fmt::format("no result after {:.3g} s; the process was ended",
                             std::chrono::duration<double>(time_limit_).count()),
                 {},
                 "raise --time-limit, or run fewer blocks: --blocks",
                 ExitCode::inconclusive};
  return lost_process(how, said, ExitCode::incorrect);
}

}  // namespace assay::check
