// SPDX-License-Identifier: MIT
// Which attempts a query wants. Empty fields admit everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ledger/attempt.hpp"

namespace assay::ledger {

struct Filter {
  std::optional<Kind> kind;
  std::string kernel;         // '*' stands for any text, '?' for one character
  std::string verdict;        // the same; capitals do not matter
  std::string device;         // as kernel
  int64_t since_us = 0;       // begun at this time or later
  size_t limit = 0;           // the newest that many; 0: all
  bool oldest_first = false;  // the order of the answer; otherwise the newest comes first
};

}  // namespace assay::ledger
