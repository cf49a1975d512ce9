// SPDX-License-Identifier: MIT
// One launch of a kernel: its geometry and parameters, and the running of its blocks over the host's cores.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gpu/gpu_model.hpp"
#include "vgpu/machine/global_memory.hpp"
#include "vgpu/machine/observer.hpp"
#include "vgpu/machine/program.hpp"
#include "vgpu/machine/texture.hpp"

namespace assay::vgpu {

struct Launch {
  const Program* program = nullptr;
  const Function* kernel = nullptr;
  Dim3 grid;
  Dim3 block;
  Dim3 cluster;  // blocks of one cluster
  uint32_t dynamic_shared_bytes = 0;
  std::vector<std::byte> parameters;  // laid out as the kernel's parameter list says
  std::vector<Observer*> observers;
  unsigned host_threads = 0;                 // 0: all cores
  uint64_t instruction_limit = 100'000'000;  // of one block, in warp instructions
};

struct LaunchResult {
  std::optional<Finding> fault;      // what stopped it, if something did
  std::string printed;               // by printf, in the order of the blocks
  uint64_t instructions = 0;         // executed by warps
  uint64_t thread_instructions = 0;  // by lanes
  uint64_t idle_instructions = 0;    // by warps that waited for memory in a loop; in none of the others
};

// What blocks share while they run. All of it is constant during the launch, except the memory itself.
struct Grid {
  const Launch& launch;
  const gpu::GpuModel& model;
  GlobalMemory& memory;
  const TextureTable& textures;
  uint64_t cooperative_workspace = 0;  // what %envreg1 and %envreg2 point to

  // Without a dynamic part there is nothing behind the last static variable, not even the padding up to its base.
  uint32_t own_shared_bytes() const {
    const Function& kernel = *launch.kernel;
    return launch.dynamic_shared_bytes > 0 ? kernel.dynamic_shared_base + launch.dynamic_shared_bytes
                                           : kernel.static_shared_bytes;
  }
  // What the system reserves lies behind the kernel's own, and is there for kernels that name it: cooperative groups
  // keep the barriers of tiles of several warps in it.
  uint32_t reserved_shared_begin() const {
    return (own_shared_bytes() + kReservedAlignment - 1) & ~(kReservedAlignment - 1);
  }
  uint32_t reserved_shared_end() const {
    return reserved_shared_begin() + static_cast<uint32_t>(model.shared_bytes_reserved_per_block);
  }
  uint32_t shared_bytes() const { return launch.kernel->reserved_shared ? reserved_shared_end() : own_shared_bytes(); }
  static constexpr uint32_t kReservedAlignment = 128;
};

LaunchResult run_grid(const Grid& grid);

}  // namespace assay::vgpu
