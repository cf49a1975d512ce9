// SPDX-License-Identifier: MIT
// assay explain's row in the table of commands.
#pragma once

#include "cli/command.hpp"

namespace assay::cli {

CommandEntry explain_command();

}  // namespace assay::cli
