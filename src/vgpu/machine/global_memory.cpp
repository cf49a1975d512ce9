// SPDX-License-Identifier: MIT
#include "vgpu/machine/global_memory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <new>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

namespace assay::vgpu {
namespace {

constexpr uint64_t kLargestReservation = uint64_t{1} << 37;  // 128 GiB of addresses; pages come when they are touched
constexpr uint64_t kSmallestReservation = uint64_t{1} << 28;

uint64_t round_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

GlobalMemory::GlobalMemory() {
  for (uint64_t bytes = kLargestReservation; bytes >= kSmallestReservation; bytes /= 2) {
    void* range = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range != MAP_FAILED) {
      base_ = static_cast<std::byte*>(range);
      reserved_ = bytes;
      return;
    }
  }
  throw std::bad_alloc();
}

GlobalMemory::~GlobalMemory() {
  ::munmap(base_, reserved_);
}

Result<uint64_t> GlobalMemory::allocate(uint64_t bytes, std::string name, uint64_t alignment) {
  const std::lock_guard lock(mutex_);
  const uint64_t address = round_up(next_, alignment);
  const uint64_t physical =
      static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  if (bytes > physical || address - kGlobalWindow + bytes + kGap > reserved_) {
    return Error{fmt::format("out of memory: '{}' asks for {} bytes of global memory", name, bytes),
                 {},
                 "use a smaller shape: the virtual GPU keeps its memory in this machine's",
                 ExitCode::environment};
  }
  allocations_.emplace(address, Allocation{address, bytes, std::move(name)});
  next_ = address + bytes + kGap;
  return address;
}

Result<void> GlobalMemory::free(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(address);
  if (found == allocations_.end() || found->second.freed) {
    return Error{fmt::format("cannot free 0x{:x}: {}", address,
                             found == allocations_.end() ? "no allocation starts there" : "freed already")};
  }
  found->second.freed = true;
  const auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const uint64_t first = round_up(address - kGlobalWindow, page);
  const uint64_t last = (found->second.end() - kGlobalWindow) / page * page;
  if (last > first) ::madvise(base_ + first, last - first, MADV_DONTNEED);
  return {};
}

const Allocation* GlobalMemory::containing(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return nullptr;
  const Allocation& below = std::prev(above)->second;
  return address < below.end() ? &below : nullptr;
}

std::vector<const Allocation*> GlobalMemory::live() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Allocation*> result;
  for (const auto& [address, allocation] : allocations_) {
    if (!allocation.freed) result.push_back(&allocation);
  }
  return result;
}

const Allocation* GlobalMemory::nearest(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  if (allocations_.empty()) return nullptr;
  const auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return &above->second;
  const Allocation& below = std::prev(above)->second;
  if (above == allocations_.end() || address < below.end()) return &below;
  return address - below.end() <= above->second.address - address ? &below : &above->second;
}

}  // namespace assay::vgpu
