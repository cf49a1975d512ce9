// SPDX-License-Identifier: MIT
// Bytes of device memory that belong together.
#pragma once

#include <cstdint>

namespace assay::gpu {

struct MemoryRange {
  uint64_t address = 0;
  uint64_t bytes = 0;
};

}  // namespace assay::gpu
