// SPDX-License-Identifier: MIT
// The registers of a block, which setmaxnreg moves between its warps: what one gives away another may take, and nobody
// gets more than the block got at its launch.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/gpu_model.hpp"
#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

// Of a thread, at the launch of a kernel that moves registers: .maxnreg, or all that a multiprocessor has for as many
// threads and blocks as the kernel was compiled for. 0: neither is known, and moving registers has no effect.
inline uint32_t registers_at_launch(const Function& kernel, const gpu::GpuModel& model) {
  constexpr uint64_t kUnit = 8;
  const auto most = static_cast<uint64_t>(model.max_registers_per_thread) + 1;
  uint64_t share = kernel.max_registers + (kUnit - 1);
  if (kernel.max_registers == 0) {
    const uint64_t threads = kernel.required_threads.x != 0 ? kernel.required_threads.volume() : kernel.max_threads;
    if (threads == 0) return 0;
    const uint64_t blocks =
        std::clamp(kernel.min_blocks, 1u, static_cast<uint32_t>(std::max(1, model.max_blocks_per_sm)));
    share = static_cast<uint64_t>(model.registers_per_sm) / ((threads + kLanes - 1) / kLanes * kLanes * blocks);
  }
  return static_cast<uint32_t>(std::min(share, most) / kUnit * kUnit);
}

class RegisterPool {
 public:
  // 0 registers: every move is granted.
  void start(size_t warps, uint32_t per_thread) {
    at_launch_ = per_thread;
    held_.assign(warps, per_thread);
    free_ = 0;
  }
  // The warp has `per_thread` from now on. False: there are not that many, and nothing changes.
  bool set(size_t warp, uint32_t per_thread) {
    if (at_launch_ == 0) return true;
    if (per_thread > held_[warp] + free_) return false;
    free_ += held_[warp] - per_thread;  // modulo 2^32: also when it takes some
    held_[warp] = per_thread;
    return true;
  }

  uint32_t at_launch() const { return at_launch_; }
  uint32_t held(size_t warp) const { return held_[warp]; }
  uint32_t free() const { return free_; }

 private:
  // Registers of one thread; a warp has as many for each of its threads.
  uint32_t at_launch_ = 0;
  std::vector<uint32_t> held_;
  uint32_t free_ = 0;
};

}  // namespace assay::vgpu
