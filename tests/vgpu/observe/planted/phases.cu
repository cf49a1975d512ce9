// SPDX-License-Identifier: MIT
// Kernels whose threads take turns with memory - stages, flags, locks, clusters, libcu++'s barriers and pipelines - with
// one turn out of order, and the same in order. Names and marks as in asynchronous.cu.
//   nvcc -arch=sm_90a -lineinfo -ptx phases.cu
#include "asynchronous.cuh"

#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cub/block/block_reduce.cuh>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

#define LANE (threadIdx.x % 32)
#define WARP (threadIdx.x / 32)
#define OUT data[4096 + blockIdx.x * 128 + threadIdx.x]

// --- stages

// The next tile is copied over the one that other warps still read.
template <bool Clean>
__device__ void copy_into_tile_in_use(unsigned* data, unsigned*) {
  __shared__ alignas(16) unsigned tile[512];
  unsigned sum = 0;
  for (int step = 0; step < 3; ++step) {
    COPY(tile + threadIdx.x * 4, data + 512 * step + threadIdx.x * 4);  // finds race
    COPY_COMMIT();
    COPY_WAIT(0);
    __syncthreads();
    for (int i = 0; i < 4; ++i) sum += tile[(threadIdx.x + 128 * i + 33) % 512];  // finds race
    if (Clean) __syncthreads();
  }
  OUT = sum;
}
PAIR(race, copy_into_tile_in_use)

// Two buffers, but both halves of the loop take the same one.
template <bool Clean>
__device__ void one_of_two_buffers(unsigned* data, unsigned*) {
  __shared__ unsigned tile[2][128];
  unsigned sum = 0;
  for (int step = 0; step < 4; ++step) {
    const int turn = Clean ? step % 2 : step / 2 % 2;
    tile[turn][threadIdx.x] = data[step * 128 + threadIdx.x];  // finds race // side
    __syncthreads();
    sum += tile[turn][127 - threadIdx.x];  // finds race
  }
  OUT = sum;
}
PAIR(race, one_of_two_buffers)

// The tile arrives in two copies, and the mbarrier expects the bytes of one.
template <bool Clean>
__device__ void half_of_the_bytes(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[256];
  __shared__ alignas(8) uint64_t full, other;
  if (threadIdx.x == 0) {
    INIT(&full, 1);
    INIT(&other, 1);
    PROXY_FENCE();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&full, Clean ? 1024 : 512);
    BULK_LOAD(tile, data, 512, &full);
    if (Clean) {
      BULK_LOAD(tile + 128, data + 128, 512, &full);
    } else {
      EXPECT(&other, 512);
      BULK_LOAD(tile + 128, data + 128, 512, &other);  // side
    }
  }
  WAIT(&full, 0);
  OUT = tile[threadIdx.x] + tile[255 - threadIdx.x];  // finds uninitialised // finds race
  if (!Clean) WAIT(&other, 0);
}
PAIR(uninitialised, half_of_the_bytes)

// The thread that arrives twice lets the others go before the last one has written.
template <bool Clean>
__device__ void arrives_twice(unsigned* data, unsigned*) {
  __shared__ unsigned value[128];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) INIT(&barrier, Clean ? 128 : 96);
  __syncthreads();
  value[threadIdx.x] = data[threadIdx.x];  // side
  if (Clean || threadIdx.x < 96) ARRIVE(&barrier);
  if (threadIdx.x < 96) {
    WAIT(&barrier, 0);
    OUT = value[127 - threadIdx.x];  // finds race // finds uninitialised
  }
}
PAIR(race, arrives_twice)

// The parity of the ring's second round is that of its first one: the producer does not wait for the slot, and completes
// phases that the consumer has yet to see.
template <bool Clean>
__device__ void slot_not_empty(unsigned* data, unsigned*) {
  __shared__ unsigned slot[2][32];
  __shared__ alignas(8) uint64_t full[2], empty[2];
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; ++i) {
      INIT(&full[i], 32);
      INIT(&empty[i], 32);
    }
  __syncthreads();
  if (WARP == 0) {
    for (int step = 0; step < 6; ++step) {
      const unsigned round = step / 2;
      if (round > 0) WAIT(&empty[step % 2], (Clean ? round + 1 : round) % 2);  // finds deadlock
      slot[step % 2][LANE] = data[step * 32 + LANE];
      ARRIVE(&full[step % 2]);
    }
  } else if (WARP == 1) {
    unsigned sum = 0;
    for (int step = 0; step < 6; ++step) {
      WAIT(&full[step % 2], step / 2 % 2);  // finds deadlock
      sum += slot[step % 2][31 - LANE];
      ARRIVE(&empty[step % 2]);
    }
    OUT = sum;
  }
}
PAIR(deadlock, slot_not_empty)

// A warp leaves a tile for TMA, but its fence stands before the stores.
template <bool Clean>
__device__ void fence_before_stores(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[4][32];
  if (!Clean) PROXY_FENCE();
  tile[WARP][LANE] = data[threadIdx.x] + 1;  // side
  if (Clean) PROXY_FENCE();
  __syncwarp();
  if (LANE == 0) {
    BULK_STORE(data + 4096 + blockIdx.x * 128 + WARP * 32, tile[WARP], 128);  // finds proxy_fence
    BULK_COMMIT();
    BULK_WAIT_READ(0);
  }
}
PAIR(proxy_fence, fence_before_stores)

// --- libraries

// CUB's temporary storage is used a second time without a barrier.
template <bool Clean>
__device__ void storage_used_twice(unsigned* data, unsigned*) {
  using Reduce = cub::BlockReduce<unsigned, 128>;
  __shared__ typename Reduce::TempStorage storage;
  unsigned sum = Reduce(storage).Sum(data[threadIdx.x]);  // finds race // side
  if (Clean) __syncthreads();
  sum += Reduce(storage).Sum(data[threadIdx.x + 128]);  // finds race // side
  if (threadIdx.x == 0) data[4096 + blockIdx.x] = sum;
}
PAIR(race, storage_used_twice)

// A tile of more than one warp hands its sum around through memory that the library orders itself.
KERNEL clean_sum_of_large_tiles(unsigned* data, unsigned*) {
  __shared__ cg::block_tile_memory<128> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
  const unsigned sum = cg::reduce(tile, data[threadIdx.x], cg::plus<unsigned>());
  const unsigned most = cg::reduce(tile, data[threadIdx.x], cg::greater<unsigned>());
  OUT = sum + most + tile.shfl(data[threadIdx.x], 40);
}

// One lane of each warp waits for a flag and tells the others by a vote.
template <bool Clean>
__device__ void flag_seen_by_one_lane(unsigned* data, unsigned*) {
  __shared__ unsigned value[32];
  __shared__ unsigned flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (WARP == 0) {
    value[LANE] = data[LANE] + 3;  // side
    __syncwarp();
    if (LANE == 0) asm volatile("st.release.cta.shared.u32 [%0], 1;" ::"r"(address(&flag)) : "memory");
  } else {
    unsigned seen = 0;
    while (!__any_sync(~0u, seen))
      if (LANE == 0) {
        if (Clean) asm volatile("ld.acquire.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(address(&flag)) : "memory");
        else asm volatile("ld.relaxed.cta.shared.u32 %0, [%1];" : "=r"(seen) : "r"(address(&flag)) : "memory");
      }
    OUT = value[31 - LANE];  // finds race
  }
}
PAIR(race, flag_seen_by_one_lane)

template <bool Clean>
__device__ void arrival_not_awaited(unsigned* data, unsigned*) {
  using Barrier = cuda::barrier<cuda::thread_scope_block>;
  __shared__ alignas(Barrier) unsigned char space[sizeof(Barrier)];
  __shared__ unsigned value[128];
  Barrier* const barrier = reinterpret_cast<Barrier*>(space);
  if (threadIdx.x == 0) init(barrier, 128);
  __syncthreads();
  value[threadIdx.x] = data[threadIdx.x];  // finds race // side
  auto token = barrier->arrive();
  if (Clean) barrier->wait(std::move(token));
  const unsigned other = value[(threadIdx.x + 64) % 128];  // finds race // finds uninitialised
  if (!Clean) barrier->wait(std::move(token));
  OUT = other;  // side
}
PAIR(race, arrival_not_awaited)

// The stage is released before its last element has been read.
template <bool Clean>
__device__ void released_too_early(unsigned* data, unsigned*) {
  __shared__ alignas(16) unsigned stage[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto pipeline = cuda::make_pipeline(cg::this_thread_block(), &state);
  unsigned sum = 0;
  for (int ahead = 0, step = 0; step < 5; ++step) {
    for (; ahead < 5 && ahead < step + 2; ++ahead) {
      pipeline.producer_acquire();
      cuda::memcpy_async(&stage[ahead % 2][threadIdx.x], data + ahead * 128 + threadIdx.x, sizeof(unsigned), pipeline);  // finds race
      pipeline.producer_commit();
    }
    pipeline.consumer_wait();
    if (Clean) sum += stage[step % 2][127 - threadIdx.x];
    pipeline.consumer_release();
    if (!Clean) sum += stage[step % 2][127 - threadIdx.x];  // side // finds race // finds uninitialised
  }
  OUT = sum;
}
PAIR(race, released_too_early)

template <bool Clean>
__device__ void group_copy_not_awaited(unsigned* data, unsigned*) {
  __shared__ alignas(16) unsigned tile[256];
  const auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, data, 512);  // side
  cg::memcpy_async(block, tile + 128, data + 128, 512);  // side
  if (Clean) cg::wait(block);
  else cg::wait_prior<1>(block);
  OUT = tile[threadIdx.x] + tile[255 - threadIdx.x];  // finds race // finds uninitialised
  if (!Clean) cg::wait(block);
}
PAIR(uninitialised, group_copy_not_awaited)

// --- flags and locks

// The lock is given back by a plain store, and nothing keeps what it guards before it.
template <bool Clean>
__device__ void lock_without_fence(unsigned* data, unsigned*) {
  if (threadIdx.x == 0) {
    while (atomicCAS(data + 8000, 0u, 1u) != 0) {}
    if (Clean) __threadfence();
    data[8001] = data[8001] + 1;  // finds race // side
    if (Clean) __threadfence();
    atomicExch(data + 8000, 0u);
  }
}
PAIR(race, lock_without_fence)

// Two blocks hand one cell to and fro by a flag that counts the turns; the way back is not fenced.
template <bool Clean>
__device__ void to_and_fro(unsigned* data, unsigned*) {
  volatile unsigned* const flag = data + 8010;
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  for (unsigned turn = 0; turn < 6; ++turn) {
    if (turn % 2 != blockIdx.x) continue;
    while (*flag != turn) {}
    if (Clean || turn % 2 == 0) __threadfence();
    data[8011] = data[8011] * 3 + turn;  // finds race // side
    if (Clean || turn % 2 == 1) __threadfence();
    *flag = turn + 1;
  }
}
PAIR(race, to_and_fro)

// Blocks count in bins of global memory without atomics.
template <bool Clean>
__device__ void global_bins(unsigned* data, unsigned*) {
  const unsigned bin = 8100 + (data[threadIdx.x] + threadIdx.x * 7 + blockIdx.x) % (Clean ? 1024 : 32);
  if (Clean) atomicAdd(data + bin, 1u);
  else data[bin] = data[bin] + 1;  // finds race // side
}
PAIR(race, global_bins)

// A counter in shared memory is read while others still add.
template <bool Clean>
__device__ void counter_read_early(unsigned* data, unsigned*) {
  __shared__ unsigned count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  if (data[threadIdx.x] == 0) atomicAdd(&count, 1u);  // side // finds race
  if (Clean) __syncthreads();
  OUT = count;  // finds race // side
}
PAIR(race, counter_read_early)

// Atomics of floats, made of atomicCAS() as the CUDA guide shows it: the first guess need not be ordered. The result
// must be.
__device__ __forceinline__ void add_by_exchange(float* to, float value) {
  int* const at = reinterpret_cast<int*>(to);
  int old = *at, seen;
  do {
    seen = old;
    old = atomicCAS(at, seen, __float_as_int(value + __int_as_float(seen)));  // finds race // side
  } while (old != seen);
}

template <bool Clean>
__device__ void sum_by_exchange(unsigned* data, unsigned*) {
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  add_by_exchange(&sum, static_cast<float>(data[threadIdx.x]));
  add_by_exchange(reinterpret_cast<float*>(data) + 8200 + threadIdx.x % 4, 1.0f);
  if (Clean) __syncthreads();
  OUT = static_cast<unsigned>(sum);  // finds race // side
}
PAIR(race, sum_by_exchange)

// Only half of the warp meets, and the other half's values are read.
template <bool Clean>
__device__ void half_mask(unsigned* data, unsigned*) {
  __shared__ unsigned value[128];
  value[threadIdx.x] = data[threadIdx.x] + 1;  // side
  if (Clean) __syncwarp();
  else if (LANE < 16) __syncwarp(0xffffu);
  if (LANE < 16) OUT = value[threadIdx.x + 16];  // finds race
}
PAIR(race, half_mask)

// Threads write pairs at odd places: neighbours overlap by half.
template <bool Clean>
__device__ void overlapping_pairs(unsigned* data, unsigned*) {
  __shared__ alignas(8) unsigned short value[512];
  unsigned short* const mine = value + threadIdx.x * (Clean ? 2 : 1);
  mine[0] = static_cast<unsigned short>(data[threadIdx.x] + threadIdx.x);      // finds race // side
  mine[1] = static_cast<unsigned short>(data[threadIdx.x] + 2 * threadIdx.x);  // finds race // side
  __syncthreads();
  OUT = value[threadIdx.x];
}
PAIR(race, overlapping_pairs)

// --- clusters

#define CLUSTER_PAIR(kind, name)                                                                                    \
  KERNEL __cluster_dims__(4, 1, 1) clean_##name(unsigned* data, unsigned* fresh) { name<true>(data, fresh); }       \
  KERNEL __cluster_dims__(4, 1, 1) planted_##kind##_##name(unsigned* data, unsigned* fresh) { name<false>(data, fresh); }

// Each block writes into its neighbour, which reads after its own barrier only.
template <bool Clean>
__device__ void written_by_neighbour(unsigned* data, unsigned*) {
  __shared__ unsigned value[128];
  const auto cluster = cg::this_cluster();
  value[threadIdx.x] = 0;
  cluster.sync();
  cluster.map_shared_rank(value, (cluster.block_rank() + 1) % 4)[threadIdx.x] = data[threadIdx.x] + 1;  // side // finds race
  if (Clean) cluster.sync();
  else __syncthreads();
  OUT = value[127 - threadIdx.x];  // finds race // side
  cluster.sync();
}
CLUSTER_PAIR(race, written_by_neighbour)

// The barrier of the cluster is arrived at, and waited for only after the read.
template <bool Clean>
__device__ void cluster_wait_late(unsigned* data, unsigned*) {
  __shared__ unsigned value[128];
  const auto cluster = cg::this_cluster();
  value[threadIdx.x] = data[threadIdx.x];  // finds race // side
  auto token = cluster.barrier_arrive();
  if (Clean) cluster.barrier_wait(std::move(token));
  const unsigned other = cluster.map_shared_rank(value, (cluster.block_rank() + 2) % 4)[threadIdx.x];  // finds race // finds uninitialised
  if (!Clean) cluster.barrier_wait(std::move(token));
  OUT = other;  // side
  cluster.sync();
}
CLUSTER_PAIR(race, cluster_wait_late)

// A value sent with st.async is read by who has not waited for the mbarrier that counts it.
template <bool Clean>
__device__ void sent_not_awaited(unsigned* data, unsigned*) {
  __shared__ alignas(16) unsigned value[128];
  __shared__ alignas(8) uint64_t barrier;
  const auto cluster = cg::this_cluster();
  const unsigned next = (cluster.block_rank() + 1) % 4;
  if (threadIdx.x == 0) {
    INIT(&barrier, 1);
    EXPECT(&barrier, 512);
  }
  cluster.sync();
  uint32_t to, counter;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(to) : "r"(address(value + threadIdx.x)), "r"(next));
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(counter) : "r"(address(&barrier)), "r"(next));
  asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(to), "r"(data[threadIdx.x] + 1), "r"(counter) : "memory");  // side
  if (Clean || WARP == 0) WAIT(&barrier, 0);
  OUT = value[threadIdx.x];  // finds race // finds uninitialised
  WAIT(&barrier, 0);
  cluster.sync();
}
CLUSTER_PAIR(uninitialised, sent_not_awaited)
