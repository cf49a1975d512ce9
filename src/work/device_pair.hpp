// SPDX-License-Identifier: MIT
// What explains a kernel: a virtual GPU that counts and, where there is one, a GPU that measures.
#pragma once

#include <string>

#include "base/result.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct DevicePair {
  std::string counts;    // a virtual one
  std::string measures;  // a GPU; empty: nothing is measured

  const std::string& main() const { return measures.empty() ? counts : measures; }
};

// `named`: by the user; empty: what this machine has.
Result<DevicePair> device_pair(const spec::KernelSpec& spec, const std::string& named, bool measure);

}  // namespace assay::work
