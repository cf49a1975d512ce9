// SPDX-License-Identifier: MIT
// ReachCase in a process of its own, so that a kernel that hangs or crashes costs its run and no more.
#pragma once

#include <iosfwd>
#include <optional>

#include "check/line_worker.hpp"
#include "check/reach_case.hpp"

namespace assay::check {

inline constexpr const char* kReachCommand = "--reach-worker";

// The worker's side: a setup, then shapes, until its input ends.
int serve_reach(std::istream& input, std::ostream& output);

// The command's side.
class Reaching {
 public:
  Reaching(ReachSetup setup, std::chrono::milliseconds time_limit, const Context& context)
      : setup_(std::move(setup)), worker_(kReachCommand, time_limit, context) {}

  // Nothing if the kernel cannot run with this shape; an error ends the work.
  Result<std::optional<std::map<std::string, int64_t>>> run(const std::string& shape);

 private:
  ReachSetup setup_;
  LineWorker worker_;
};

}  // namespace assay::check
