// SPDX-License-Identifier: MIT
// Reads out of the ledger what a report is about.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/ledger.hpp"
#include "page/content.hpp"

namespace assay::page {

// A kernel, or one attempt (a run and a suite stand for all that they did), or two to be compared, or a period.
struct Subject {
  std::string kernel;             // its name; with `since_us`: only this kernel
  std::vector<int64_t> attempts;  // at most two
  std::optional<int64_t> since_us;
  std::string since;  // as it was asked for
};

// An error if the ledger has nothing of the subject.
Result<Content> gather(ledger::Ledger& ledger, const Subject& subject);

}  // namespace assay::page
