// SPDX-License-Identifier: MIT
// Ctrl-C and SIGTERM: the work stops where it can, what is finished is kept; a second signal ends the program at once.
#pragma once

#include "assay/context.hpp"

namespace assay::cli {

void catch_interruptions();
const CancellationToken& interruption();  // the token that these signals cancel

// Says what is kept and how to go on, then ends as the signal would have: a shell sees its number.
int report_interruption();

}  // namespace assay::cli
