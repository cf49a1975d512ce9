// SPDX-License-Identifier: MIT
// One measured result of a kernel, as far as it can teach something: what was run, where, and how long it took.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

namespace assay::learn {

using Values = std::map<std::string, std::string>;  // of tunables

Values read_values(const std::string& configuration);  // "STAGES=3,BLOCK=128"
std::string to_text(const Values& values);

struct Trial {
  int64_t attempt = 0;
  std::string kernel;
  std::string device;
  std::string shape;  // with the element type
  std::string rules;  // protocol and contract: times of different rules are never compared
  std::string source;
  Values values;
  double time_us = 0;
  double seconds = 0;                               // that it took to find out
  double cost = 0;                                  // in the user's currency
  std::optional<std::set<std::string>> findings{};  // of assay diagnose on this source; empty: nobody asked

  // Trials that agree in all this differ by their tunables alone.
  std::string place() const { return kernel + '\n' + device + '\n' + shape + '\n' + rules; }
};

}  // namespace assay::learn
