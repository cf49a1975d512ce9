// SPDX-License-Identifier: MIT
// Which bytes of global memory nothing has written: neither the host nor a kernel. It outlives a launch, as memory
// does.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vgpu/observe/definedness.hpp"

namespace assay::vgpu {

class UnwrittenMemory {
 public:
  void add(uint64_t address, uint64_t bytes);    // fresh, or as good as fresh
  void wrote(uint64_t address, uint64_t bytes);  // the host
  void forget(uint64_t address);                 // a range that was added: it is no longer in use

  bool empty() const { return ranges_.empty(); }
  bool touches(uint64_t first, uint64_t end) const;  // whether a range has some of these addresses
  // The codes of these bytes; empty if all of them are written, or lie in no range.
  std::span<Code> codes(uint64_t address, uint64_t bytes);

 private:
  struct Range {
    uint64_t address;
    std::vector<Code> codes;
  };
  std::vector<Range> ranges_;  // few: one for each output and scratch buffer
};

}  // namespace assay::vgpu
