// SPDX-License-Identifier: MIT
// The swizzle that tensor maps and matrix descriptors share.
#pragma once

#include <cstdint>

namespace assay::vgpu {

// Where an address of shared memory lies: chunks of 16 bytes change places in a row of 128 bytes, in another way for
// each of eight rows. `bits`: 0 for none; 1, 2, 3 for 32, 64, 128 bytes.
inline uint64_t swizzle(uint64_t shared_address, uint32_t bits) {
  return shared_address ^ ((shared_address >> 7 & ((uint64_t{1} << bits) - 1)) << 4);
}

}  // namespace assay::vgpu
