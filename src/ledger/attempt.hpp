// SPDX-License-Identifier: MIT
// One attempt: something that a command did to a kernel, with everything needed to judge or repeat it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::ledger {

enum class Kind {
  build,
  sanitize,
  check,
  measure,
  compare,
  gate,
  calibrate,
  profile,
  tune,
  evolve,
  suite,
  run,
  bisect,
  imported,  // a result that others measured: never the best, never a baseline, never compared with ours
};

std::string_view to_string(Kind kind);
std::optional<Kind> kind_from_name(std::string_view name);
const std::vector<Kind>& all_kinds();

struct Attempt {
  int64_t id = 0;  // given by the ledger
  Kind kind = Kind::check;
  int64_t time_us = 0;    // when it began, microseconds since 1970, UTC; 0: now
  double duration_s = 0;  // on the host's clock
  std::string machine;    // its id; empty: this machine
  std::string assay;      // version of the program
  std::string kernel;     // name in the specification
  std::string specification;
  std::string configuration;
  std::string shape;  // empty: several, or none
  std::string dtype;
  std::string device;  // "vgpu:l4", "cuda:0 NVIDIA H200"
  uint64_t seed = 0;
  std::string verdict;          // "correct", "failed", "FASTER", ...
  std::optional<bool> correct;  // whether results were verified, and right; empty: not looked at
  int exit_code = 0;
  std::string contract;       // JSON object: all that the figures depend on; empty: none
  std::string contract_hash;  // of the contract with sorted keys; set by the ledger
  std::string comparable;     // names the part of the contract that must agree for figures to be compared
                              // (device, clocks, driver, protocol; not the source); empty: the device
  std::string source_hash;
  std::string cubin_hash;
  std::optional<double> cost_per_hour;  // in the user's currency
  std::optional<double> cost;           // set by the ledger from the duration
  std::optional<double> p50_us;         // of the candidate, if it was measured
  std::string details;                  // JSON object: whatever else the command found; empty: nothing

  bool operator==(const Attempt&) const = default;
};

// The attempt as it will be stored: hashes and cost computed, JSON in one form. An error names what cannot be stored.
Result<Attempt> completed(Attempt attempt);

int64_t now_us();

}  // namespace assay::ledger
