// SPDX-License-Identifier: MIT
// What was tried on a kernel, what it brought, what it cost, what failed and why: attempts, by their sources.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ledger/ledger.hpp"

namespace assay::work {

// One state of a kernel's sources, or an imported step, with all that was done to it.
struct Chapter {
  int64_t first = 0;  // attempt
  int64_t last = 0;
  int64_t begun_us = 0;
  std::string name;  // of the source: the first digits of its hash; of a step: its name
  std::string what;  // the first hypothesis or remark; of a step: the change
  size_t attempts = 0;
  size_t failed = 0;
  std::optional<size_t> before{};  // the chapter that this one came from
  double seconds = 0;
  std::optional<double> cost{};
  std::optional<double> brought{};           // time before over time now, over all cases that both measured
  std::string why{};                         // what failed last, in words
  std::string came{};                        // of a step, in words
  std::string decision{};                    // the last one
  std::map<std::string, double> times_us{};  // the best of each case
};

struct Story {
  std::string kernel;
  std::vector<Chapter> chapters;  // by the first attempt
  std::string retired;            // the reason, where the line of work has ended
  size_t attempts = 0;
  size_t failed = 0;
  double seconds = 0;
  std::optional<double> cost;
};

// One for each kernel that the filter admits.
Result<std::vector<Story>> stories(ledger::Ledger& ledger, const ledger::Filter& filter);

}  // namespace assay::work
