// SPDX-License-Identifier: MIT
// What one case asks of each part of a GPU. It runs on a virtual GPU in a process of its own, which is this same
// program with a hidden command; nothing is compared.
#pragma once

#include <chrono>
#include <iosfwd>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "base/result.hpp"
#include "check/case_runner.hpp"
#include "gpu/launch_work.hpp"

namespace assay::check {

inline constexpr const char* kTracingCommand = "--tracing-worker";

// The worker's side: reads one request, writes one answer.
int serve_tracing(std::istream& input, std::ostream& output);

struct TracingRequest {
  RunnerSetup setup;  // its checks watch
  Case test;
  uint64_t blocks = 0;   // run at most so many, if they can stand for the others; 0: all
  bool several = false;  // the call may have several kernels; else that is an error
  std::chrono::milliseconds time_limit{std::chrono::minutes(2)};
  Context context{};  // its program is the one that is started
};

// A kernel of the call.
struct TracedLaunch {
  std::string entry;
  uint32_t shared_bytes = 0;  // dynamic ones
  gpu::LaunchWork work;
};

// The command's side. In the order of the call.
Result<std::vector<TracedLaunch>> trace(const TracingRequest& request);

}  // namespace assay::check
