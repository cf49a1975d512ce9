// SPDX-License-Identifier: MIT
// The sum of each row of a matrix, by a cluster of blocks for each row: every block sums its share of the columns and
// adds it to a cell in the shared memory of the cluster's first block.
#include <cooperative_groups.h>

#ifndef BLOCK
#define BLOCK 256
#endif

namespace cg = cooperative_groups;

constexpr int kWarps = BLOCK / 32;

__device__ float warp_sum(float value) {
  for (int distance = 16; distance > 0; distance /= 2) value += __shfl_xor_sync(~0u, value, distance);
  return value;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    cluster_row_sum_f32(const float* __restrict__ g_x, float* __restrict__ g_y, int columns) {
  __shared__ float s_warp_sum[kWarps];
  __shared__ float s_row_sum;
  const cg::cluster_group cluster = cg::this_cluster();
  const int row = static_cast<int>(blockIdx.x / cluster.num_blocks());
  const int thread = static_cast<int>(threadIdx.x);

  float sum = 0.0f;
  for (unsigned column = cluster.thread_rank(); column < static_cast<unsigned>(columns);
       column += cluster.num_threads())
    sum += g_x[static_cast<int64_t>(row) * columns + column];
  sum = warp_sum(sum);
  if (thread % 32 == 0) s_warp_sum[thread / 32] = sum;
  if (thread == 0) s_row_sum = 0.0f;
  cluster.sync();  // the cell is empty, and the sums of this block's warps are there

  if (thread < 32) {
    const float block_sum = warp_sum(thread < kWarps ? s_warp_sum[thread] : 0.0f);
    if (thread == 0) atomicAdd(cluster.map_shared_rank(&s_row_sum, 0), block_sum);
  }
  cluster.sync();  // nobody leaves, and takes its shared memory along, before all have added
  if (cluster.thread_rank() == 0) g_y[row] = s_row_sum;
}
