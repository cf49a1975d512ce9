// SPDX-License-Identifier: MIT
#include "vgpu/machine/access_fault.hpp"

#include <fmt/format.h>

#include "ptx/demangle.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

constexpr uint64_t kNullPage = 4096;

std::string_view verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "read";
    case AccessKind::store:
      return "write";
    case AccessKind::atomic:
    case AccessKind::mbarrier:
      return "atomic access";
    case AccessKind::async_read:
    case AccessKind::async_write:
      return "asynchronous copy";
    case AccessKind::none:
      break;
  }
  return "access";
}

// "inside 'q', 4096 bytes", "4 bytes behind the end of 'q', 4096 bytes".
std::string describe_place(std::string_view what, std::string_view name, uint64_t start, uint64_t bytes,
                           uint64_t address) {
  const std::string range = fmt::format("{} '{}' of {} bytes", what, name, bytes);
  if (address < start) return fmt::format("{} bytes before {}", start - address, range);
  if (address < start + bytes) return fmt::format("at byte {} of {}", address - start, range);
  if (address == start + bytes) return fmt::format("right behind the end of {}", range);
  return fmt::format("{} bytes behind the end of {}", address - start - bytes, range);
}

std::string global_place(const Warp& warp, uint64_t address) {
  const Allocation* nearest = warp.block().grid().memory.nearest(address);
  if (nearest == nullptr) return "there is no allocation";
  return describe_place(nearest->freed ? "freed allocation" : "allocation", nearest->name, nearest->address,
                        nearest->bytes, address);
}

std::string shared_place(const Warp& warp, uint64_t address) {
  const Launch& launch = warp.block().grid().launch;
  const Program& program = *launch.program;
  const auto kernel = static_cast<int32_t>(launch.kernel - program.functions.data());
  const SharedVariable* below = nullptr;
  for (const SharedVariable& variable : program.shared_variables) {
    const bool mine = variable.function == -1 || variable.function == kernel;
    if (mine && variable.offset <= address && (below == nullptr || variable.offset > below->offset)) below = &variable;
  }
  if (launch.dynamic_shared_bytes > 0 && address >= launch.kernel->dynamic_shared_base) {
    return describe_place("dynamic", "shared memory", launch.kernel->dynamic_shared_base, launch.dynamic_shared_bytes,
                          address);
  }
  if (below != nullptr)
    return describe_place("shared variable", ptx::demangle(below->name), below->offset, below->bytes, address);
  return fmt::format("the block has {} bytes of shared memory", warp.block().shared_bytes());
}

std::string constant_place(const Warp& warp, uint64_t address) {
  const Program& program = *warp.block().grid().launch.program;
  for (const ConstantVariable& variable : program.constant_variables) {
    if (address < uint64_t{variable.offset} + variable.bytes) {
      return describe_place("constant", ptx::demangle(variable.name), variable.offset, variable.bytes, address);
    }
  }
  return fmt::format("the constants have {} bytes", program.constant_bank.size());
}

Finding make(FindingKind kind, Space space, AccessKind access, uint32_t bytes, uint64_t address, std::string message,
             std::string place) {
  Finding finding;
  finding.kind = kind;
  finding.space = space;
  finding.access = access;
  finding.bytes = bytes;
  finding.address = address;
  finding.message = std::move(message);
  finding.allocation = std::move(place);
  return finding;
}

bool in_bounds(const Warp& warp, Space space, uint64_t address, uint32_t bytes) {
  const auto within = [&](uint64_t size) { return address <= size && bytes <= size - address; };
  const Grid& grid = warp.block().grid();
  switch (space) {
    case Space::shared:
      return within(warp.block().shared_bytes());
    case Space::local:
      return within(warp.frame().local_top);
    case Space::constant:
      return within(grid.launch.program->constant_bank.size());
    case Space::parameter:
      return within(grid.launch.parameters.size());
    case Space::global: {
      const Allocation* allocation = grid.memory.containing(address);
      return allocation != nullptr && !allocation->freed && allocation->covers(address, address + bytes);
    }
    case Space::generic:
      break;
  }
  return false;
}

}  // namespace

std::string place_of(const Warp& warp, Space space, uint64_t address) {
  switch (space) {
    case Space::global:
      return global_place(warp, address);
    case Space::shared:
      return shared_place(warp, address);
    case Space::constant:
      return constant_place(warp, address);
    case Space::local:
      return fmt::format("the thread has {} bytes of local memory", warp.frame().local_top);
    case Space::parameter:
      return fmt::format("the kernel has {} bytes of parameters", warp.block().grid().launch.parameters.size());
    case Space::generic:
      break;
  }
  return "";
}

std::optional<Finding> access_fault(const Warp& warp, Space space, AccessKind kind, uint32_t bytes, uint64_t address) {
  if (address % bytes != 0) {
    return make(FindingKind::misaligned, space, kind, bytes, address,
                fmt::format("misaligned {} of {} bytes in {} memory: address 0x{:x} is {} bytes past a multiple of {}",
                            verb(kind), bytes, to_string(space), address, address % bytes, bytes),
                place_of(warp, space, address));
  }
  if (space == Space::generic) {
    if (address < kNullPage) {
      return make(FindingKind::null_pointer, Space::global, kind, bytes, address,
                  fmt::format("{} of {} bytes through a null pointer (address 0x{:x})", verb(kind), bytes, address),
                  "");
    }
    return make(FindingKind::illegal_address, space, kind, bytes, address,
                fmt::format("{} of {} bytes at 0x{:x}, which is in no memory space", verb(kind), bytes, address), "");
  }
  if (in_bounds(warp, space, address, bytes)) return std::nullopt;
  if (space == Space::global) {
    if (address < kNullPage) {
      return make(FindingKind::null_pointer, space, kind, bytes, address,
                  fmt::format("{} of {} bytes through a null pointer (address 0x{:x})", verb(kind), bytes, address),
                  "");
    }
    const Allocation* allocation = warp.block().grid().memory.containing(address);
    if (allocation != nullptr && allocation->freed) {
      return make(FindingKind::use_after_free, space, kind, bytes, address,
                  fmt::format("{} of {} bytes in memory that was freed", verb(kind), bytes),
                  global_place(warp, address));
    }
  }
  return make(
      FindingKind::out_of_bounds, space, kind, bytes, address,
      fmt::format("out-of-bounds {} of {} bytes in {} memory at 0x{:x}", verb(kind), bytes, to_string(space), address),
      place_of(warp, space, address));
}

Finding placed(Finding place, Finding problem) {
  place.kind = problem.kind;
  place.access = problem.access;
  place.space = problem.space;
  place.address = problem.address;
  place.bytes = problem.bytes;
  place.message = std::move(problem.message);
  place.allocation = std::move(problem.allocation);
  return place;
}

}  // namespace assay::vgpu
