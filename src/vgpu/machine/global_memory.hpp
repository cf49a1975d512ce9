// SPDX-License-Identifier: MIT
// Global memory: one reserved range of the host's address space, handed out in named allocations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "vgpu/machine/address_space.hpp"

namespace assay::vgpu {

struct Allocation {
  uint64_t address = 0;
  uint64_t bytes = 0;
  std::string name;
  bool freed = false;

  uint64_t end() const { return address + bytes; }
  bool covers(uint64_t first, uint64_t last_end) const { return first >= address && last_end <= end(); }
};

// Addresses are never reused, so that a use after free is always seen; the host's pages are given back.
class GlobalMemory {
 public:
  GlobalMemory();
  ~GlobalMemory();
  GlobalMemory(const GlobalMemory&) = delete;
  GlobalMemory& operator=(const GlobalMemory&) = delete;

  Result<uint64_t> allocate(uint64_t bytes, std::string name, uint64_t alignment = 256);
  Result<void> free(uint64_t address);

  // Where an address lies in the host's memory. Any address inside the reserved range has a place, whether it is
  // allocated or not: a wild access is wrong, but never a crash of ours.
  std::byte* host(uint64_t address) const { return base_ + (address - kGlobalWindow); }
  uint64_t reserved() const { return reserved_; }
  bool backed(uint64_t address, uint64_t bytes) const {
    const uint64_t offset = address - kGlobalWindow;
    return offset < reserved_ && bytes <= reserved_ - offset;
  }

  // The allocation that contains the address, freed ones included; else the nearest one below, else above; else none.
  const Allocation* containing(uint64_t address) const;
  const Allocation* nearest(uint64_t address) const;
  std::vector<const Allocation*> live() const;  // those that are not freed, by address

 private:
  // Red space between allocations: an index one past the end never lands in a neighbour.
  static constexpr uint64_t kGap = 512;

  mutable std::mutex mutex_;  // the kernel's malloc runs on several host threads
  std::byte* base_ = nullptr;
  uint64_t reserved_ = 0;
  uint64_t next_ = kGlobalWindow;
  std::map<uint64_t, Allocation> allocations_;
};

}  // namespace assay::vgpu
