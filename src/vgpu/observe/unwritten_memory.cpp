// SPDX-License-Identifier: MIT
#include "vgpu/observe/unwritten_memory.hpp"

#include <algorithm>

namespace assay::vgpu {

void UnwrittenMemory::add(uint64_t address, uint64_t bytes) {
  forget(address);
  if (bytes > 0) ranges_.push_back({address, std::vector<Code>(bytes, code::kUnwritten)});
}

void UnwrittenMemory::wrote(uint64_t address, uint64_t bytes) {
  const std::span<Code> written = codes(address, bytes);
  std::fill(written.begin(), written.end(), code::kDefined);
}

void UnwrittenMemory::forget(uint64_t address) {
  std::erase_if(ranges_, [&](const Range& range) { return range.address == address; });
}

bool UnwrittenMemory::touches(uint64_t first, uint64_t end) const {
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return first < range.address + range.codes.size() && end > range.address;
  });
}

std::span<Code> UnwrittenMemory::codes(uint64_t address, uint64_t bytes) {
  for (Range& range : ranges_) {
    const uint64_t offset = address - range.address;
    if (offset < range.codes.size() && bytes <= range.codes.size() - offset)
      return std::span(range.codes).subspan(offset, bytes);
  }
  return {};
}

}  // namespace assay::vgpu
