// SPDX-License-Identifier: MIT
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void dot_cg(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ result, int n) {
  auto grid = cg::this_grid();
  auto block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  if (grid.thread_rank() == 0) *result = 0;
  grid.sync();
  float s = 0;
  for (unsigned i = grid.thread_rank(); i < n; i += grid.size()) s += a[i] * b[i];
  s = cg::reduce(warp, s, cg::plus<float>());
  if (warp.thread_rank() == 0) atomicAdd(result, s);
}
