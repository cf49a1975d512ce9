// SPDX-License-Identifier: MIT
// The best correct measurement for each kernel, shape, type and device contract.
#pragma once

#include <cstdint>
#include <string>

namespace assay::ledger {

struct LeaderboardRow {
  std::string kernel;
  std::string shape;
  std::string dtype;
  std::string device;
  std::string comparable;  // see Attempt
  std::string protocol;
  double p50_us = 0;
  int64_t attempt = 0;
  int64_t time_us = 0;
  std::string configuration;
  std::string source_hash;
};

}  // namespace assay::ledger
