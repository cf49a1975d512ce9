// SPDX-License-Identifier: MIT
// Exercises cuda::barrier, cuda::pipeline and memcpy_async.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
namespace cg = cooperative_groups;
extern "C" __global__ void bar(const float* g, float* o, int n) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ float s[256];
  auto blk = cg::this_thread_block();
  if (blk.thread_rank() == 0) init(&b, blk.size());
  blk.sync();
  for (int k = 0; k < n; k++) {
    cuda::memcpy_async(blk, s, g + k * 256, cuda::aligned_size_t<16>(sizeof(s)), b);
    b.arrive_and_wait();
    o[k * 256 + threadIdx.x] = s[255 - threadIdx.x];
    auto t = b.arrive();
    b.wait(std::move(t));
  }
}
extern "C" __global__ void pipe(const float* g, float* o, int n) {
  constexpr int ST = 3;
  __shared__ float s[ST][128];
  auto blk = cg::this_thread_block();
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, ST> st;
  auto p = cuda::make_pipeline(blk, &st);
  for (int c = 0, f = 0; c < n; c++) {
    for (; f < n && f < c + ST; f++) {
      p.producer_acquire();
      cuda::memcpy_async(blk, s[f % ST], g + f * 128, sizeof(float) * 128, p);
      p.producer_commit();
    }
    p.consumer_wait();
    o[c * 128 + threadIdx.x] = s[c % ST][threadIdx.x ^ 1];
    p.consumer_release();
  }
}
extern "C" __global__ void pipe_thread(const float4* g, float4* o, int n) {
  __shared__ float4 s[2][128];
  auto p = cuda::make_pipeline();
  for (int i = 0; i < n; i++) {
    p.producer_acquire();
    cuda::memcpy_async(&s[i & 1][threadIdx.x], &g[i * 128 + threadIdx.x], cuda::aligned_size_t<16>(16), p);
    p.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(p);
    __syncthreads();
    o[i] = s[i & 1][threadIdx.x];
    p.consumer_release();
  }
}
#include <cuda_pipeline_primitives.h>
extern "C" __global__ void prim(const float4* g, float4* o) {
  __shared__ float4 s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &g[threadIdx.x], 16);
  __pipeline_memcpy_async(((float*)&s[threadIdx.x + 1]), ((const float*)&g[threadIdx.x]), 4, 2);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  o[threadIdx.x] = s[127 - threadIdx.x];
}
