// SPDX-License-Identifier: MIT
// The command's side of a worker that answers each line with a line: this same program, started with a hidden command.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "assay/context.hpp"
#include "base/child.hpp"

namespace assay::check {

class LineWorker {
 public:
  // `time_limit`: of one answer.
  LineWorker(const char* command, std::chrono::milliseconds time_limit, Context context)
      : command_(command), time_limit_(time_limit), context_(std::move(context)) {}

  bool running() const { return child_ != nullptr; }
  Result<void> start();
  void end() { child_.reset(); }
  // A worker that gives no answer is ended; the next one has to be started. Somebody who wants to stop is heard soon.
  Result<std::string> ask(const std::string& request);

 private:
  const char* command_;
  std::chrono::milliseconds time_limit_;
  Context context_;
  std::unique_ptr<Child> child_;
};

}  // namespace assay::check
