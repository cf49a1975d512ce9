// SPDX-License-Identifier: MIT
// The page of a run or a suite, written by the command that did it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "assay/context.hpp"
#include "ledger/ledger.hpp"

namespace assay::work {

// Beside the ledger: reports/NAME.html. Its path; nothing, and a warning, where it cannot be written: a page that is
// missing is no verdict on the kernel.
std::optional<std::string> write_page(ledger::Ledger& ledger, int64_t attempt, const Context& context);

}  // namespace assay::work
