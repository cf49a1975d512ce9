// SPDX-License-Identifier: MIT
// A gate's result as Markdown, for a comment on a pull request.
#pragma once

#include <string>

#include "judge/gate.hpp"

namespace assay::report {

std::string markdown(const judge::GateResult& result);

}  // namespace assay::report
