// SPDX-License-Identifier: MIT
// The machine that an attempt ran on.
#pragma once

#include <cstdint>
#include <string>

namespace assay::ledger {

struct Machine {
  std::string id;           // the same at every start of this machine
  std::string description;  // JSON object: host, processor, cores, memory, system

  bool operator==(const Machine&) const = default;
};

// Read once. The id comes from /etc/machine-id, or from the host's name where there is none.
const Machine& this_machine();

}  // namespace assay::ledger
