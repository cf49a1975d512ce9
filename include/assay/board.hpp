// SPDX-License-Identifier: MIT
// Who is fastest: for each kernel, device and shape the groups that measurements cannot tell apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::work {

// Which measurements; in texts * stands for any text.
struct BoardRequest {
  std::string ledger;  // a file; empty: $ASSAY_LEDGER, else the project's
  std::string kernel;
  std::string device;
  std::string since;  // as of `assay log`
};

struct BoardEntry {
  int group = 1;        // 1: nothing is faster
  std::string name;     // of the contender
  std::string variant;  // the configuration, and which source; "" for a baseline
  double p50_us = 0;
  double ratio = 1;  // time over that of the fastest
  double low = 1;    // of the ratio's interval, from the intervals of both medians
  double high = 1;
  int64_t attempt = 0;
  std::string time;            // of the attempt: ISO 8601, UTC
  std::string commit;          // of the kernel's repository; "" if it is in none
  std::optional<double> cost;  // of the attempt, where the machine's cost per hour was recorded
};

struct Board {
  std::string kernel;
  std::string shape;
  std::string gpu;
  std::string protocol;
  std::vector<BoardEntry> entries;  // the fastest first
};

struct BoardReport {
  std::string ledger;
  std::vector<Board> boards;
};

Result<BoardReport> board(const BoardRequest& request);
std::string to_json(const BoardReport& report);

}  // namespace assay::work
