// SPDX-License-Identifier: MIT
// A process of ours that ran a kernel and ended without an answer: whose fault it was.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::check {

// `how` as Child::stop() says it, `errors` what it wrote. Nothing that a kernel does sends SIGKILL or SIGXCPU: that is
// a machine that is out of memory, or a limit that somebody has set. `otherwise` for all other ends.
Error lost_process(const std::string& how, std::string_view errors, ExitCode otherwise);

}  // namespace assay::check
