// SPDX-License-Identifier: MIT
#include "profiling/profile.hpp"

#include <algorithm>
#include <tuple>

namespace assay::profiling {
namespace {

using enum gpu::Counter;

// Memory decides the speed of most kernels: a sector or a wavefront weighs more than an instruction.
std::tuple<uint64_t, uint64_t> cost(const gpu::Counters& counters) {
  constexpr std::array kMoved = {global_load_sectors,     global_store_sectors,     global_atomic_sectors,
                                 async_copy_sectors,      global_reduction_sectors, shared_load_wavefronts,
                                 shared_store_wavefronts, shared_atomic_wavefronts, shared_copy_wavefronts,
                                 local_load_sectors,      local_store_sectors};
  uint64_t moved = 0;
  for (const gpu::Counter counter : kMoved) moved += counters[counter];
  return {moved, counters[ptx_instructions]};
}

}  // namespace

std::vector<const gpu::LineCounters*> costly_lines(const gpu::LaunchCounters& counters, size_t most) {
  std::vector<const gpu::LineCounters*> lines;
  lines.reserve(counters.lines.size());
  for (const gpu::LineCounters& line : counters.lines) lines.push_back(&line);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto* a, const auto* b) { return cost(a->counters) > cost(b->counters); });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

}  // namespace assay::profiling
