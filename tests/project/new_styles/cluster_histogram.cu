// SPDX-License-Identifier: MIT
// A histogram in the shared memory of a cluster.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
template <int kBins>
__global__ void __cluster_dims__(2, 1, 1) histogram(int* bins, const unsigned* __restrict__ keys, size_t num_keys) {
  __shared__ int s_bins[kBins / 2];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < kBins / 2; i += blockDim.x) s_bins[i] = 0;
  cluster.sync();
  for (size_t i = cg::this_grid().thread_rank(); i < num_keys; i += cg::this_grid().num_threads()) {
    const unsigned bin = keys[i] % kBins;
    int* remote = cluster.map_shared_rank(s_bins, bin / (kBins / 2));
    atomicAdd(remote + bin % (kBins / 2), 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < kBins / 2; i += blockDim.x)
    atomicAdd(bins + cluster.block_rank() * (kBins / 2) + i, s_bins[i]);
}
template __global__ void histogram<64>(int*, const unsigned*, size_t);
