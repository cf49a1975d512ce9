// SPDX-License-Identifier: MIT
#include "vgpu/execute/system_call.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "vgpu/execute/print_format.hpp"
#include "vgpu/machine/block.hpp"

namespace assay::vgpu {
namespace {

std::byte* argument_bytes(Warp& warp, int lane, uint32_t offset) {
  const Frame& frame = warp.frame();
  return frame.parameters.get() + static_cast<size_t>(lane) * frame.function->parameter_bytes + offset;
}

uint64_t argument(Warp& warp, const CallSite& site, size_t index, int lane) {
  uint64_t value = 0;
  if (index < site.arguments.size()) {
    std::memcpy(&value, argument_bytes(warp, lane, site.arguments[index].caller_offset),
                std::min<size_t>(8, site.arguments[index].bytes));
  }
  return value;
}

void set_result(Warp& warp, const CallSite& site, int lane, uint64_t value) {
  if (site.results.empty()) return;
  std::memcpy(argument_bytes(warp, lane, site.results[0].caller_offset), &value,
              std::min<size_t>(8, site.results[0].bytes));
}

// Reads memory behind a generic address, careful about its bounds: strings come from the kernel.
class LaneReader final : public ByteReader {
 public:
  LaneReader(const Warp& warp, int lane) : warp_(warp), lane_(lane) {}

  bool read(uint64_t address, void* into, size_t bytes) const override {
    const Grid& grid = warp_.block().grid();
    const SpaceAddress at = classify(address);
    const auto copy = [&](const std::byte* base, uint64_t size) {
      if (at.offset > size || bytes > size - at.offset) return false;
      std::memcpy(into, base + at.offset, bytes);
      return true;
    };
    switch (at.space) {
      case Space::global:
        if (!grid.memory.backed(address, bytes)) return false;
        std::memcpy(into, grid.memory.host(address), bytes);
        return true;
      case Space::local:
        return copy(warp_.local_memory(lane_), warp_.local_stride());
      case Space::shared:
        return copy(warp_.block().shared(), warp_.block().shared_bytes());
      case Space::constant:
        return copy(grid.launch.program->constant_bank.data(), grid.launch.program->constant_bank.size());
      case Space::parameter:
        return copy(grid.launch.parameters.data(), grid.launch.parameters.size());
      case Space::generic:
        break;
    }
    return false;
  }

 private:
  const Warp& warp_;
  const int lane_;
};

// What one block may print; more is dropped, as CUDA drops what its buffer cannot hold.
constexpr size_t kPrintedLimit = size_t{1} << 20;

void print(Warp& warp, const CallSite& site, int lane) {
  const PrintResult printed =
      print_format(LaneReader(warp, lane), argument(warp, site, 0, lane), argument(warp, site, 1, lane));
  const size_t room = kPrintedLimit - std::min(kPrintedLimit, warp.block().printed_.size());
  warp.block().print(printed.text.substr(0, room));
  set_result(warp, site, lane, static_cast<uint64_t>(printed.arguments));
}

void fail_assertion(Warp& warp, const CallSite& site, int lane) {
  const LaneReader reader(warp, lane);
  std::string message = fmt::format(
      "assertion failed: {} ({}:{}, {})", read_string(reader, argument(warp, site, 0, lane)),
      read_string(reader, argument(warp, site, 1, lane)), static_cast<uint32_t>(argument(warp, site, 2, lane)),
      read_string(reader, argument(warp, site, 3, lane)));
  warp.fault(FindingKind::assertion, std::move(message), lane);
}

void free_memory(Warp& warp, const CallSite& site, int lane) {
  const uint64_t address = argument(warp, site, 0, lane);
  if (address == 0) return;
  if (auto freed = warp.block().grid().memory.free(address); !freed) {
    Finding finding;
    finding.kind = FindingKind::invalid_free;
    finding.space = Space::global;
    finding.address = address;
    finding.message = freed.error().message;
    warp.fault(std::move(finding), lane);
    return;
  }
  warp.block().observe_free(address);
}

void allocate_memory(Warp& warp, const CallSite& site, int lane) {
  const uint64_t bytes = argument(warp, site, 0, lane);
  const auto address = warp.block().grid().memory.allocate(bytes, fmt::format("device malloc({})", bytes), 16);
  set_result(warp, site, lane, address ? *address : 0);  // a full heap gives a null pointer
  if (address) warp.block().observe_allocation(warp, lane, *address);
}

}  // namespace

void run_system_call(Warp& warp, const CallSite& site, int lane) {
  switch (site.system) {
    case CallSite::System::vprintf:
      return print(warp, site, lane);
    case CallSite::System::assertfail:
      return fail_assertion(warp, site, lane);
    case CallSite::System::malloc:
      return allocate_memory(warp, site, lane);
    case CallSite::System::free:
      return free_memory(warp, site, lane);
    case CallSite::System::none:
      return;
  }
}

}  // namespace assay::vgpu
