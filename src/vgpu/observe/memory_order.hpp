// SPDX-License-Identifier: MIT
// How an instruction takes part in PTX's memory model, as its opcode says it.
#pragma once

#include <string_view>

namespace assay::vgpu {

struct MemoryOrder {
  bool strong = false;
  bool wide = false;  // its scope reaches beyond the block
  bool acquires = false;
  bool releases = false;
  bool reads_and_writes = false;  // in one step
  bool noncoherent = false;       // ld.global.nc
};
MemoryOrder memory_order_of(std::string_view opcode);

}  // namespace assay::vgpu
