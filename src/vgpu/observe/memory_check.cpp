// SPDX-License-Identifier: MIT
#include "vgpu/observe/memory_check.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fmt/format.h>

#include "ptx/demangle.hpp"
#include "vgpu/machine/access_fault.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

// The lanes' addresses as one interval, and all their bits together.
struct Extent {
  uint64_t first = ~uint64_t{0};
  uint64_t last = 0;
  uint64_t bits = 0;
};

Extent extent_of(const Access& access) {
  Extent extent;
  if (access.lanes == kAllLanes) {
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint64_t address = access.addresses[lane];
      extent.first = address < extent.first ? address : extent.first;
      extent.last = address > extent.last ? address : extent.last;
      extent.bits |= address;
    }
    return extent;
  }
  for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
    const uint64_t address = access.addresses[std::countr_zero(left)];
    extent.first = address < extent.first ? address : extent.first;
    extent.last = address > extent.last ? address : extent.last;
    extent.bits |= address;
  }
  return extent;
}

class BlockMemoryCheck final : public BlockObserver {
 public:
  BlockMemoryCheck(const MemoryCheck& check, const Block& block) : check_(check), block_(block) {}

  LaneMask access(const Access& access) override {
    const Extent extent = extent_of(access);
    const bool aligned = (extent.bits & (access.bytes - 1)) == 0;
    const bool good = aligned && inside(access, extent.first, extent.last + access.bytes);
    if (access.space != Space::shared || !check_.has_neighbours()) return good ? access.lanes : look_closely(access);
    const SharedRange& variable = check_.bounds(*access.warp.frame().function, access.instruction);
    const bool in_variable =
        variable.end == 0 || (extent.first >= variable.first && extent.last + access.bytes <= variable.end);
    if (good && in_variable) return access.lanes;
    return look_for_neighbours(access, look_closely(access), variable);
  }

  bool outside(const Warp& warp, const Instruction& instruction, int lane, const Finding& problem) override {
    found.add(placed(warp.describe(instruction, lane), problem));
    return true;
  }

  void heap_allocated(const Warp& warp, int lane, uint64_t address) override {
    const Instruction* const at = warp.current_instruction();
    if (!heap.places.contains(at)) heap.places.emplace(at, warp.describe(*at, lane));
    heap.taken.push_back({address, at, warp.thread_of(lane)});
  }

  gpu::FindingList found;
  MemoryCheck::HeapUse heap;

 private:
  // All lanes in one allocation, or inside the space: the usual case, decided without looking at single lanes.
  bool inside(const Access& access, uint64_t first, uint64_t end) {
    switch (access.space) {
      case Space::global:
        return inside_global(first, end);
      case Space::shared:
        return end <= block_.shared_bytes();
      case Space::local:
        return end <= access.warp.frame().local_top;
      default:
        return false;
    }
  }

  bool inside_global(uint64_t first, uint64_t end) {
    for (const Allocation* allocation : recent_) {
      if (allocation != nullptr && !allocation->freed && allocation->covers(first, end)) return true;
    }
    const Allocation* allocation = block_.grid().memory.containing(first);
    if (allocation == nullptr || allocation->freed || !allocation->covers(first, end)) return false;
    recent_[next_++ % recent_.size()] = allocation;
    return true;
  }

  LaneMask look_closely(const Access& access) {
    LaneMask good = access.lanes;
    for (LaneMask left = access.lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      auto problem = access_fault(access.warp, access.space, access.kind, access.bytes, access.addresses[lane]);
      if (!problem) continue;
      good &= ~(LaneMask{1} << lane);
      found.add(placed(access.warp.describe(access.instruction, lane), std::move(*problem)));
    }
    return good;
  }

  // Of the lanes that are good otherwise: those that stay in the variable that their address was computed from.
  LaneMask look_for_neighbours(const Access& access, LaneMask lanes, const SharedRange& variable) {
    if (variable.end == 0 || access.kind == AccessKind::mbarrier || access.owner != &block_) return lanes;
    LaneMask good = lanes;
    for (LaneMask left = lanes; left != 0; left &= left - 1) {
      const int lane = std::countr_zero(left);
      const uint64_t address = access.addresses[lane];
      if (address >= variable.first && address + access.bytes <= variable.end) continue;
      good &= ~(LaneMask{1} << lane);
      Finding finding = access.warp.describe(access.instruction, lane);
      finding.kind = FindingKind::out_of_bounds;
      finding.access = access.kind;
      finding.space = Space::shared;
      finding.address = address;
      finding.bytes = access.bytes;
      finding.message = fmt::format(
          "{} of {} bytes of shared memory at 0x{:x}, outside of '{}' ({} bytes), which the "
          "address was computed from",
          to_string(access.kind), access.bytes, address, name_of(variable), variable.end - variable.first);
      finding.allocation = place_of(access.warp, Space::shared, address);
      found.add(std::move(finding));
    }
    return good;
  }
  std::string name_of(const SharedRange& range) const {
    const Launch& launch = block_.grid().launch;
    const auto kernel = static_cast<int32_t>(launch.program->index_of(*launch.kernel));
    for (const SharedVariable& variable : launch.program->shared_variables) {
      if (variable.offset == range.first && (variable.function == -1 || variable.function == kernel))
        return ptx::demangle(variable.name);
    }
    return "";
  }

  const MemoryCheck& check_;
  const Block& block_;
  std::array<const Allocation*, 4> recent_{};
  size_t next_ = 0;
};

// Allocations of the heap, and which of them can be reached from the others.
class HeapReach {
 public:
  HeapReach(const GlobalMemory& memory, const std::vector<MemoryCheck::HeapUse::Taken>& taken) : memory_(memory) {
    for (const auto& each : taken) {
      const Allocation* const allocation = memory.containing(each.address);
      if (allocation != nullptr && !allocation->freed) open_.push_back({allocation, false});
    }
    std::ranges::sort(open_, {}, [](const Entry& entry) { return entry.allocation->address; });
    if (open_.empty()) return;
    for (const Allocation* allocation : memory.live()) {
      if (find(allocation->address) == nullptr) follow(*allocation);
    }
    while (!reached_.empty()) {
      const Allocation& next = *reached_.back();
      reached_.pop_back();
      follow(next);
    }
  }
  bool is_lost(uint64_t address) {
    const Entry* const entry = find(address);
    return entry != nullptr && !entry->reached;
  }

 private:
  struct Entry {
    const Allocation* allocation;
    bool reached;
  };

  Entry* find(uint64_t address) {
    const auto above =
        std::ranges::upper_bound(open_, address, {}, [](const Entry& entry) { return entry.allocation->address; });
    if (above == open_.begin()) return nullptr;
    Entry& below = *std::prev(above);
    return address < std::max(below.allocation->end(), below.allocation->address + 1) ? &below : nullptr;
  }
  void follow(const Allocation& from) {
    const uint64_t first = open_.front().allocation->address;
    const uint64_t last = open_.back().allocation->end();
    const std::byte* const bytes = memory_.host(from.address);
    for (uint64_t at = 0; at + sizeof(uint64_t) <= from.bytes; at += sizeof(uint64_t)) {
      uint64_t word = 0;
      std::memcpy(&word, bytes + at, sizeof word);
      if (word < first || word > last) continue;
      Entry* const to = find(word);
      if (to == nullptr || to->reached) continue;
      to->reached = true;
      reached_.push_back(to->allocation);
    }
  }

  const GlobalMemory& memory_;
  std::vector<Entry> open_;  // by address
  std::vector<const Allocation*> reached_;
};

}  // namespace

void MemoryCheck::begin_launch(const LaunchView& view) {
  program_ = &view.program;
  bounds_.clear();
  size_t variables = 0;
  const auto kernel = static_cast<int32_t>(view.program.index_of(view.kernel));
  for (const SharedVariable& variable : view.program.shared_variables)
    variables += variable.function == -1 || variable.function == kernel ? 1 : 0;
  // One alone has a neighbour too: the dynamic part.
  has_neighbours_ = variables > 0;
  for (const Function& function : view.program.functions) {
    const bool runs = has_neighbours_ && (&function == &view.kernel || !function.is_entry);
    bounds_.push_back(runs ? shared_bounds(view.program, function, view.kernel) : std::vector<SharedRange>());
  }
}

std::unique_ptr<BlockObserver> MemoryCheck::begin_block(const Block& block) {
  return std::make_unique<BlockMemoryCheck>(*this, block);
}

void MemoryCheck::end_block(std::unique_ptr<BlockObserver> observer) {
  auto& ended = static_cast<BlockMemoryCheck&>(*observer);
  found_.merge(std::move(ended.found));
  heap_.places.merge(ended.heap.places);
  heap_.taken.insert(heap_.taken.end(), ended.heap.taken.begin(), ended.heap.taken.end());
}

void MemoryCheck::end_launch(const GlobalMemory& memory, bool completed) {
  if (!completed || heap_.taken.empty()) return;
  HeapReach reach(memory, heap_.taken);
  for (const HeapUse::Taken& each : heap_.taken) {
    if (!reach.is_lost(each.address)) continue;
    Finding finding = heap_.places.at(each.at);
    finding.kind = FindingKind::leak;
    finding.space = Space::global;
    finding.address = each.address;
    finding.thread = each.thread;
    finding.message = fmt::format(
        "{} bytes are allocated here, not freed, and nothing in global memory points to them "
        "when the kernel has ended",
        memory.containing(each.address)->bytes);
    found_.add(std::move(finding));
  }
}

}  // namespace assay::vgpu
