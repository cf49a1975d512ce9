// SPDX-License-Identifier: MIT
// Exercises cooperative groups: tiles, coalesced groups, reductions and the grid barrier.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void cg_reduce(const float* x, float* o, int* oi, int n) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<32>(b);
  auto t8 = cg::tiled_partition<8>(b);
  float v = x[b.thread_rank()];
  float s = cg::reduce(t, v, cg::plus<float>());
  float m = cg::reduce(t8, v, cg::greater<float>());
  int c = cg::reduce(t, (int)v, cg::plus<int>());
  int sc = cg::inclusive_scan(t, (int)v);
  b.sync();
  t.sync();
  if (v > 0) {
    auto a = cg::coalesced_threads();
    oi[a.thread_rank()] = a.size();
    oi[7] = cg::reduce(a, (int)v, cg::plus<int>());
    auto lp = cg::labeled_partition(a, (int)v);
    oi[8] = lp.size();
  }
  o[b.thread_rank()] = s + m + c + sc + t.shfl_xor(v, 1) + t.any(v > 2) + t.ballot(v > 1) + t.match_any((int)v);
}
extern "C" __global__ void cg_grid(float* x, int n) {
  auto g = cg::this_grid();
  for (int i = g.thread_rank(); i < n; i += g.size()) x[i] += 1;
  g.sync();
  for (int i = g.thread_rank(); i < n - 1; i += g.size()) x[i] += x[i + 1];
}
extern "C" __global__ void cg_memcpy(const int* x, int* o) {
  __shared__ int s[256];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, x, sizeof(int) * 256);
  cg::wait(b);
  o[b.thread_rank()] = s[255 - b.thread_rank()];
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) cg_cluster(int* o) {
  __shared__ int s[64];
  auto c = cg::this_cluster();
  s[threadIdx.x] = c.block_rank();
  c.sync();
  int* r = c.map_shared_rank(s, c.block_rank() ^ 1);
  atomicAdd(r + threadIdx.x, 1);
  c.sync();
  o[c.thread_rank()] = s[threadIdx.x] + c.num_blocks();
}
#endif
