// SPDX-License-Identifier: MIT
#include "vgpu/observe/memory_order.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace assay::vgpu {

MemoryOrder memory_order_of(std::string_view opcode) {
  const auto parts = split(opcode, '.');
  const auto has = [&](std::string_view name) { return std::ranges::find(parts, name) != parts.end(); };
  MemoryOrder order;
  const bool fence = (parts.front() == "fence" || parts.front() == "membar") && !has("proxy") && !has("mbarrier_init");
  order.reads_and_writes = parts.front() == "atom" || parts.front() == "red" || opcode.starts_with("cp.reduce");
  order.strong = order.reads_and_writes || fence || has("volatile") || has("relaxed") || has("acquire") ||
                 has("acq_rel") || has("release") || has("mmio");
  if (parts.front() == "fence" && !fence) order.strong = false;
  order.wide = order.strong && !has("cta");
  order.acquires = order.strong && (has("acquire") || has("acq_rel") || fence);
  order.noncoherent = parts.front() == "ld" && has("nc");
  order.releases = order.strong && (has("release") || has("acq_rel") || fence);
  return order;
}

}  // namespace assay::vgpu
