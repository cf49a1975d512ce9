// SPDX-License-Identifier: MIT
// Pairs of kernels for the race check: clean_X has no race, racy_X is the same with one thing left out. A line of a racy
// kernel that takes part in its race says so. Launched with 8 blocks of 128 threads; `data` is 65536 zeroed words.
//   nvcc -arch=sm_80 -lineinfo -ptx races.cu        (races.ptx beside this file; the test reads both)
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

#define KERNEL extern "C" __global__ void __launch_bounds__(128)
namespace cg = cooperative_groups;

// --- shared memory and block barriers
template <bool Clean>
__device__ void reduce_block(unsigned* data) {
  __shared__ unsigned s[128];
  s[threadIdx.x] = data[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];  // race
    if (Clean) __syncthreads();
  }
  if (threadIdx.x == 0) data[4096 + blockIdx.x] = s[0];
}
KERNEL clean_reduction(unsigned* data) { reduce_block<true>(data); }
KERNEL racy_reduction(unsigned* data) { reduce_block<false>(data); }

template <bool Clean>
__device__ void histogram(unsigned* data) {
  __shared__ unsigned bins[128];
  bins[threadIdx.x] = 0;  // race
  if (Clean) __syncthreads();
  atomicAdd(&bins[data[threadIdx.x] * 7 % 128 + (threadIdx.x + 40) % 64], 1);  // race
  __syncthreads();
  atomicAdd(&data[4096 + threadIdx.x], bins[threadIdx.x]);
}
KERNEL clean_histogram(unsigned* data) { histogram<true>(data); }
KERNEL racy_histogram(unsigned* data) { histogram<false>(data); }

template <bool Clean>
__device__ void histogram_flush(unsigned* data) {
  __shared__ unsigned bins[128];
  bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[(threadIdx.x * 5) % 128], 1);  // race
  if (Clean) __syncthreads();
  atomicAdd(&data[4096 + threadIdx.x], bins[threadIdx.x]);  // race
}
KERNEL clean_histogram_flush(unsigned* data) { histogram_flush<true>(data); }
KERNEL racy_histogram_flush(unsigned* data) { histogram_flush<false>(data); }

template <bool Clean>
__device__ void transpose(const unsigned* in, unsigned* out) {
  __shared__ unsigned tile[16][17];
  for (int part = 0; part < 2; ++part) {
    const int x = threadIdx.x % 16, y = threadIdx.x / 16 + 8 * part;
    tile[y][x] = in[blockIdx.x * 256 + y * 16 + x];  // race
  }
  if (Clean) __syncthreads();
  for (int part = 0; part < 2; ++part) {
    const int x = threadIdx.x % 16, y = threadIdx.x / 16 + 8 * part;
    out[blockIdx.x * 256 + y * 16 + x] = tile[x][y];  // race
  }
}
KERNEL clean_transpose(unsigned* data) { transpose<true>(data, data + 8192); }
KERNEL racy_transpose(unsigned* data) { transpose<false>(data, data + 8192); }

// The barrier behind the product is missing: the next tile overwrites what others still read.
template <bool Clean>
__device__ void multiply(const unsigned* a, unsigned* c) {
  __shared__ unsigned s[128];
  unsigned sum = 0;
  for (int k = 0; k < 4; ++k) {
    s[threadIdx.x] = a[k * 128 + threadIdx.x];  // race
    __syncthreads();
    for (int i = 0; i < 128; i += 16) sum += s[(i + threadIdx.x) % 128] * k;  // race
    if (Clean) __syncthreads();
  }
  c[blockIdx.x * 128 + threadIdx.x] = sum;
}
KERNEL clean_tiles(unsigned* data) { multiply<true>(data, data + 8192); }
KERNEL racy_tiles(unsigned* data) { multiply<false>(data, data + 8192); }

template <bool Clean>
__device__ void scan(unsigned* data) {
  __shared__ unsigned s[128];
  s[threadIdx.x] = data[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    const unsigned left = threadIdx.x >= step ? s[threadIdx.x - step] : 0;  // race
    if (Clean) __syncthreads();
    s[threadIdx.x] += left;  // race
    __syncthreads();
  }
  data[8192 + blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}
KERNEL clean_scan(unsigned* data) { scan<true>(data); }
KERNEL racy_scan(unsigned* data) { scan<false>(data); }

// --- warps
template <bool Clean>
__device__ void warp_reduction(unsigned* data) {
  __shared__ unsigned s[128];
  const int lane = threadIdx.x % 32;
  unsigned* mine = s + threadIdx.x / 32 * 32;
  mine[lane] = data[threadIdx.x];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    unsigned other = 0;
    if (lane < half) other = mine[lane + half];  // race
    if (Clean) __syncwarp();
    if (lane < half) mine[lane] += other;  // race
    if (Clean) __syncwarp();
  }
  if (lane == 0) data[4096 + blockIdx.x * 4 + threadIdx.x / 32] = mine[0];
}
KERNEL clean_warp_reduction(unsigned* data) { warp_reduction<true>(data); }
KERNEL racy_warp_reduction(unsigned* data) { warp_reduction<false>(data); }

// Tiles of 16 threads, each with its own mask; in the racy one a thread reads from the other tile.
template <bool Clean>
__device__ void tiles_of_16(unsigned* data) {
  __shared__ unsigned s[128];
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = threadIdx.x;  // race
  tile.sync();
  data[blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x ^ (Clean ? 5 : 16)];  // race
}
KERNEL clean_subwarp(unsigned* data) { tiles_of_16<true>(data); }
KERNEL racy_subwarp(unsigned* data) { tiles_of_16<false>(data); }

// One lane stages for its warp.
template <bool Clean>
__device__ void broadcast(unsigned* data) {
  __shared__ unsigned s[4];
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = data[blockIdx.x];  // race
  if (Clean) __shfl_sync(0xffffffff, 0, 0), __syncwarp();
  data[8192 + blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x / 32];  // race
}
KERNEL clean_broadcast(unsigned* data) { broadcast<true>(data); }
KERNEL racy_broadcast(unsigned* data) { broadcast<false>(data); }

// --- named barriers: warps 0 and 1 produce, warps 2 and 3 consume
__device__ void bar_sync(int n, int count) { asm volatile("bar.sync %0, %1;" ::"r"(n), "r"(count) : "memory"); }
__device__ void bar_arrive(int n, int count) { asm volatile("bar.arrive %0, %1;" ::"r"(n), "r"(count) : "memory"); }
template <bool Clean>
__device__ void producer_consumer(unsigned* data) {
  __shared__ unsigned s[64];
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x < 64) {
      if (round > 0) bar_sync(2, 128);
      if (!Clean) bar_arrive(1, 128);
      s[threadIdx.x] = round + threadIdx.x;  // race
      if (Clean) bar_arrive(1, 128);
    } else {
      bar_sync(1, 128);
      data[blockIdx.x * 64 + threadIdx.x - 64] += s[(threadIdx.x + 17) % 64];  // race
      if (round < 2) bar_arrive(2, 128);
    }
  }
}
KERNEL clean_named_barriers(unsigned* data) { producer_consumer<true>(data); }
KERNEL racy_named_barriers(unsigned* data) { producer_consumer<false>(data); }

// --- a flag in shared memory, between warps
template <bool Clean>
__device__ void shared_flag(unsigned* data) {
  __shared__ unsigned value;
  __shared__ volatile unsigned flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    value = blockIdx.x + 5;  // race
    if (Clean) __threadfence_block();
    flag = 1;
  } else if (threadIdx.x == 32) {
    while (flag == 0) {
    }
    __threadfence_block();
    data[blockIdx.x] = value;  // race
  }
}
KERNEL clean_shared_flag(unsigned* data) { shared_flag<true>(data); }
KERNEL racy_shared_flag(unsigned* data) { shared_flag<false>(data); }

// --- asynchronous copies
template <bool Wait, bool Barrier>
__device__ void copy_async(unsigned* data) {
  __shared__ unsigned s[128];
  __pipeline_memcpy_async(&s[threadIdx.x], &data[threadIdx.x], 4);  // race
  __pipeline_commit();
  if (Wait) __pipeline_wait_prior(0);
  if (Barrier) __syncthreads();
  data[8192 + blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];  // race
  if (!Wait) __pipeline_wait_prior(0);
}
KERNEL clean_copy(unsigned* data) { copy_async<true, true>(data); }
KERNEL racy_copy_without_wait(unsigned* data) { copy_async<false, true>(data); }
KERNEL racy_copy_without_barrier(unsigned* data) { copy_async<true, false>(data); }

template <bool Clean>
__device__ void copy_stages(unsigned* data) {
  __shared__ unsigned s[2][128];
  unsigned sum = 0;
  __pipeline_memcpy_async(&s[0][threadIdx.x], &data[threadIdx.x], 4);
  __pipeline_commit();
  for (int k = 0; k < 4; ++k) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k + 1 < 4) __pipeline_memcpy_async(&s[Clean ? (k + 1) % 2 : 0][threadIdx.x], &data[threadIdx.x], 4);  // race
    __pipeline_commit();
    sum += s[Clean ? k % 2 : 0][127 - threadIdx.x];  // race
  }
  data[8192 + blockIdx.x * 128 + threadIdx.x] = sum;
}
KERNEL clean_copy_stages(unsigned* data) { copy_stages<true>(data); }
KERNEL racy_copy_stages(unsigned* data) { copy_stages<false>(data); }

// --- global memory, between blocks
template <bool Clean>
__device__ void stencil(unsigned* data) {
  const unsigned i = blockIdx.x * 128 + threadIdx.x;
  const unsigned left = i > 0 ? data[i - 1] : 0, right = data[i + 1];  // race
  data[Clean ? 8192 + i : i] = left + right;  // race
}
KERNEL clean_stencil(unsigned* data) { stencil<true>(data); }
KERNEL racy_stencil(unsigned* data) { stencil<false>(data); }

template <bool Clean>
__device__ void count(unsigned* data) {
  if (threadIdx.x != 0) return;
  if (Clean) atomicAdd(data, 1);
  else data[0] = data[0] + 1;  // race
}
KERNEL clean_counter(unsigned* data) { count<true>(data); }
KERNEL racy_counter(unsigned* data) { count<false>(data); }

KERNEL racy_flag_of_equal_values(unsigned* data) { data[0] = 1; }  // race
KERNEL racy_mixed_atomic(unsigned* data) {
  if (threadIdx.x == 0) atomicAdd(data, 1);  // race
  if (threadIdx.x == 1) data[100 + blockIdx.x] = data[0];  // race
}
KERNEL racy_narrow_scope(unsigned* data) { atomicAdd_block(data, 1); }  // race
KERNEL clean_narrow_scope(unsigned* data) { atomicAdd_block(data + blockIdx.x, 1); }

// The last block adds up what all have left (NVIDIA's threadFenceReduction).
template <bool Clean>
__device__ void fence_reduction(unsigned* data) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    data[1024 + blockIdx.x] = blockIdx.x * 3;  // race
    if (Clean) __threadfence();
    last = atomicInc(&data[0], gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) atomicAdd(&data[1], data[1024 + threadIdx.x]);  // race
}
KERNEL clean_fence_reduction(unsigned* data) { fence_reduction<true>(data); }
KERNEL racy_fence_reduction(unsigned* data) { fence_reduction<false>(data); }

// A chained scan with look-back: status words in 0 ... 63, aggregates and prefixes behind them.
template <bool Clean>
__device__ void look_back(unsigned* data) {
  volatile unsigned* status = data;
  unsigned* aggregate = data + 64;
  unsigned* prefix = data + 128;
  __shared__ unsigned before;
  if (threadIdx.x == 0) {
    aggregate[blockIdx.x] = blockIdx.x + 1;  // race
    if (Clean) __threadfence();
    status[blockIdx.x] = 1;
    unsigned sum = 0;
    for (int at = static_cast<int>(blockIdx.x) - 1; at >= 0;) {
      const unsigned found = status[at];
      if (found == 0) continue;
      __threadfence();
      if (found == 2) {
        sum += prefix[at];  // race
        break;
      }
      sum += aggregate[at--];  // race
    }
    prefix[blockIdx.x] = sum + blockIdx.x + 1;  // race
    if (Clean) __threadfence();
    status[blockIdx.x] = 2;
    before = sum;
  }
  __syncthreads();
  data[8192 + blockIdx.x * 128 + threadIdx.x] = before;
}
KERNEL clean_look_back(unsigned* data) { look_back<true>(data); }
KERNEL racy_look_back(unsigned* data) { look_back<false>(data); }

// Two blocks share a tile of a stream-K product: the first leaves its part, the second adds it.
__device__ unsigned load_acquire(unsigned* at) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
template <bool Clean>
__device__ void stream_k(unsigned* data) {
  unsigned* part = data + 4096 + blockIdx.x / 2 * 128;
  unsigned* flag = data + blockIdx.x / 2;
  if (blockIdx.x % 2 == 0) {
    part[threadIdx.x] = threadIdx.x;  // race
    if (Clean) __syncthreads();
    if (threadIdx.x == 0) asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
  } else {
    if (threadIdx.x == 0) {
      while (load_acquire(flag) == 0) {
      }
    }
    __syncthreads();
    data[8192 + blockIdx.x * 128 + threadIdx.x] = part[threadIdx.x];  // race
  }
}
KERNEL clean_stream_k(unsigned* data) { stream_k<true>(data); }
KERNEL racy_stream_k(unsigned* data) { stream_k<false>(data); }

template <bool Clean>
__device__ void lock(unsigned* data) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(data, 0, 1) != 0) {
  }
  __threadfence();
  data[1] += 1;  // race
  if (Clean) __threadfence();
  atomicExch(data, 0);
}
KERNEL clean_lock(unsigned* data) { lock<true>(data); }
KERNEL racy_lock(unsigned* data) { lock<false>(data); }

// A barrier of the whole grid, as cooperative groups have it.
template <bool Clean>
__device__ void grid_wide(unsigned* data) {
  data[blockIdx.x * 128 + threadIdx.x] = threadIdx.x;  // race
  if (Clean) cg::this_grid().sync();
  data[8192 + blockIdx.x * 128 + threadIdx.x] = data[((blockIdx.x + 1) % gridDim.x) * 128 + threadIdx.x];  // race
}
KERNEL clean_grid_sync(unsigned* data) { grid_wide<true>(data); }
KERNEL racy_grid_sync(unsigned* data) { grid_wide<false>(data); }

// Threads that have nothing to do end before the barrier, which hardware allows.
KERNEL clean_early_exit(unsigned* data) {
  __shared__ unsigned s[128];
  if (threadIdx.x >= 96) return;
  s[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[8192 + blockIdx.x * 128 + threadIdx.x] = s[95 - threadIdx.x];
}
// Bytes of one word belong to different threads.
KERNEL clean_bytes(unsigned* data) {
  __shared__ unsigned char s[128];
  s[threadIdx.x] = static_cast<unsigned char>(threadIdx.x);
  reinterpret_cast<unsigned char*>(data)[8192 + blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x];
}
// Warp-aggregated atomics (NVIDIA's sample): one lane of each group adds for all.
KERNEL clean_aggregated_atomics(unsigned* data) {
  if (threadIdx.x % 3 == 0) {
    auto group = cg::coalesced_threads();
    unsigned first = 0;
    if (group.thread_rank() == 0) first = atomicAdd(data, group.size());
    data[8192 + group.shfl(first, 0) + group.thread_rank()] = threadIdx.x;
  }
}
