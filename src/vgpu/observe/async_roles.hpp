// SPDX-License-Identifier: MIT
// What instructions have to do with asynchronous copies and products.
#pragma once

#include <cstdint>
#include <vector>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

enum class AsyncRole : uint8_t {
  none,
  copy,  // cp.async, in the generic proxy
  copy_commit,
  copy_wait,
  copy_wait_all,
  bulk_load,   // into shared memory, in the async proxy
  bulk_store,  // out of shared memory
  bulk_commit,
  bulk_wait,
  product,  // wgmma.mma_async
  product_fence,
  product_commit,
  product_wait,
  proxy_fence,  // fence.proxy.async
  move,         // one register to another, or a constant
};

std::vector<AsyncRole> async_roles(const Program& program, const Function& function);

}  // namespace assay::vgpu
