// SPDX-License-Identifier: MIT
// A gate's result as Markdown, for a comment on a pull request.
#pragma once

#include <string>

#include "judge/gate.hpp"

namespace assay::judge {

std::string markdown(const GateResult& result);

}  // namespace assay::judge
