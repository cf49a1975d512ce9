// SPDX-License-Identifier: MIT
#include "vgpu/execute/mbarrier_misuse.hpp"

#include <cstring>
#include <fmt/format.h>

#include "vgpu/machine/block.hpp"
#include "vgpu/machine/mbarrier.hpp"

namespace assay::vgpu {

void mbarrier_misuse(Warp& warp, int lane, uint32_t address, std::string message) {
  Finding finding;
  finding.kind = FindingKind::barrier;
  finding.space = Space::shared;
  finding.address = address;
  finding.bytes = Mbarrier::kBytes;
  finding.message = std::move(message);
  warp.fault(std::move(finding), lane);
}

void no_mbarrier(Warp& warp, int lane, uint32_t address) {
  uint64_t there = 0;
  const Block& block = warp.block();
  if (address + Mbarrier::kBytes <= block.shared_bytes())
    std::memcpy(&there, const_cast<Block&>(block).shared() + address, sizeof there);
  mbarrier_misuse(warp, lane, address,
                  fmt::format("there is no mbarrier at 0x{:x}: it was {}", address,
                              there == Mbarrier::kInvalidated ? "invalidated" : "never initialised"));
}

}  // namespace assay::vgpu
