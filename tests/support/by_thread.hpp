// SPDX-License-Identifier: MIT
// Findings with a thread each, for tests that ask which threads showed them.
#pragma once

#include <vector>

#include "gpu/finding.hpp"

namespace assay {

inline std::vector<gpu::Finding> by_thread(const std::vector<gpu::Finding>& findings) {
  std::vector<gpu::Finding> result;
  for (const gpu::Finding& finding : findings) {
    for (const gpu::FindingThread& thread : finding.threads) {
      gpu::Finding one = finding;
      one.block = thread.block;
      one.thread = thread.thread;
      one.address = thread.address;
      one.allocation = thread.allocation;
      one.count = thread.count;
      result.push_back(one);
    }
  }
  return result;
}

}  // namespace assay
