// SPDX-License-Identifier: MIT
// Kernels that hand data from one to another by a protocol of their own, with one step of it left out, and the same
// without the mistake; and correct ones that look as if they had one. Names and marks as in asynchronous.cu.
//   nvcc -arch=sm_90a -lineinfo -ptx protocols.cu
#include "asynchronous.cuh"

#include <cooperative_groups.h>
#include <cuda/atomic>

namespace cg = cooperative_groups;

#define LANE (threadIdx.x % 32)
#define WARP (threadIdx.x / 32)
#define NAMED_SYNC(barrier, threads) asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory")
#define NAMED_ARRIVE(barrier, threads) asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory")

// --- warps

// A scan of Kogge and Stone by each warp: a lane must have read before its left neighbour writes.
template <bool Clean>
__device__ void warp_scan(unsigned* data, unsigned*) {
  __shared__ unsigned sums[4][32];
  unsigned* const s = sums[WARP];
  s[LANE] = data[threadIdx.x];
  __syncwarp();
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const unsigned left = LANE >= distance ? s[LANE - distance] : 0;  // finds race
    if (Clean) __syncwarp();
    s[LANE] += left;  // finds race
    __syncwarp();
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = s[LANE];
}
PAIR(race, warp_scan)

// Bins of a warp's own, without atomics: of lanes with equal keys one adds for all.
template <bool Clean>
__device__ void warp_bins(unsigned* data, unsigned*) {
  __shared__ unsigned bins[4][16];
  if (LANE < 16) bins[WARP][LANE] = 0;
  unsigned keys[2], peers[2];
  for (unsigned i = 0; i < 2; ++i) {
    keys[i] = (data[i * 128 + threadIdx.x] + threadIdx.x / (i + 1)) % 16;
    peers[i] = __match_any_sync(~0u, keys[i]);
  }
  __syncwarp();
  if (LANE == __ffs(peers[0]) - 1) bins[WARP][keys[0]] += __popc(peers[0]);  // side
  if (Clean) __syncwarp();
  if (LANE == __ffs(peers[1]) - 1) bins[WARP][keys[1]] += __popc(peers[1]);  // finds race
  __syncthreads();
  if (threadIdx.x < 16) {
    const unsigned sum = bins[0][threadIdx.x] + bins[1][threadIdx.x] + bins[2][threadIdx.x] + bins[3][threadIdx.x];
    atomicAdd(data + 8192 + threadIdx.x, sum);
  }
}
PAIR(race, warp_bins)

// Lanes hand values on through shared memory, and a reduction by shuffles lies between: all lanes have come to it, but a
// shuffle orders no memory.
template <bool Clean>
__device__ void shuffle_between(unsigned* data, unsigned*) {
  __shared__ unsigned rows[4][32];
  const unsigned mine = data[threadIdx.x] + threadIdx.x;
  rows[WARP][LANE] = mine;  // side
  unsigned sum = mine;
  for (int distance = 16; distance > 0; distance /= 2) sum += __shfl_xor_sync(~0u, sum, distance);
  if (Clean) __syncwarp();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = sum - rows[WARP][31 - LANE];  // finds race
}
PAIR(race, shuffle_between)

// The same with a vote: lanes with a bit set compact their values, and the first lane adds them up.
template <bool Clean>
__device__ void vote_between(unsigned* data, unsigned*) {
  __shared__ unsigned queue[4][32];
  const unsigned value = data[threadIdx.x] + threadIdx.x;
  const unsigned taken = __ballot_sync(~0u, value % 3 == 0);
  if (value % 3 == 0) queue[WARP][__popc(taken & ((1u << LANE) - 1))] = value;  // side
  const unsigned others = __ballot_sync(~0u, value % 5 == 0);
  if (Clean) __syncwarp();
  if (LANE != 0) return;
  unsigned sum = __popc(others);
  for (int i = 0; i < __popc(taken); ++i) sum += queue[WARP][i];  // finds race
  data[4096 + blockIdx.x * 4 + WARP] = sum;
}
PAIR(race, vote_between)

// A ring of two stages: one lane tells the producer that its warp has read a stage. Before, all lanes must have.
template <bool Clean>
__device__ void elected_release(unsigned* data, unsigned*) {
  __shared__ unsigned stages[2][32];
  __shared__ alignas(8) uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      INIT(&full[i], 32);
      INIT(&empty[i], 3);
    }
  }
  __syncthreads();
  unsigned sum = 0;
  for (int step = 0; step < 6; ++step) {
    const int stage = step % 2;
    if (WARP == 0) {
      WAIT(&empty[stage], (step / 2 + 1) % 2);
      stages[stage][LANE] = data[step * 32 + LANE];  // finds race
      ARRIVE(&full[stage]);
    } else {
      WAIT(&full[stage], step / 2 % 2);
      sum += stages[stage][(LANE + step) % 32];  // finds race
      if (Clean) __syncwarp();
      if (LANE == 0) ARRIVE(&empty[stage]);
    }
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;
}
PAIR(race, elected_release)

// The same ring, and the consumer's phase turns over with every step instead of every second one.
template <bool Clean>
__device__ void ring_phase(unsigned* data, unsigned*) {
  __shared__ unsigned stages[2][32];
  __shared__ alignas(8) uint64_t full[2], empty[2];
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; ++i) {
      INIT(&full[i], 32);
      INIT(&empty[i], 96);
    }
  }
  __syncthreads();
  unsigned sum = 0;
  for (int step = 0; step < 6; ++step) {
    const int stage = step % 2;
    if (WARP == 0) {
      WAIT(&empty[stage], (step / 2 + 1) % 2);  // finds deadlock
      stages[stage][LANE] = data[step * 32 + LANE];  // finds race
      ARRIVE(&full[stage]);
    } else {
      WAIT(&full[stage], Clean ? step / 2 % 2 : step % 2);  // finds deadlock
      sum += stages[stage][(LANE + step) % 32];  // finds race // finds uninitialised
      ARRIVE(&empty[stage]);
    }
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;  // finds uninitialised
}
PAIR(deadlock, ring_phase)

// Three stages of cp.async. At the end no group is committed any more, so that the last wait covers too little.
template <bool Clean>
__device__ void copies_at_the_end(unsigned* data, unsigned*) {
  __shared__ alignas(16) unsigned tile[3][512];
  constexpr int kSteps = 5;
  unsigned sum = 0;
  for (int step = 0; step < 2; ++step) {
    COPY(&tile[step][threadIdx.x * 4], data + 512 * step + threadIdx.x * 4);
    COPY_COMMIT();
  }
  for (int step = 0; step < kSteps; ++step) {
    if (step + 2 < kSteps) {
      COPY(&tile[(step + 2) % 3][threadIdx.x * 4], data + 512 * (step + 2) + threadIdx.x * 4);  // side
      COPY_COMMIT();
    } else if (Clean) {
      COPY_COMMIT();  // an empty one, so that the count is the same
    }
    COPY_WAIT(2);  // finds idle_wait
    __syncthreads();
    sum += tile[step % 3][(threadIdx.x * 4 + 29) % 512];  // finds race // finds uninitialised
    __syncthreads();
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;  // side
}
PAIR(uninitialised, copies_at_the_end)

// --- blocks

// A chain of blocks, each of which adds to what the one before has left. The fence is one for the block alone.
__device__ unsigned chain_flags[8];
template <bool Clean>
__device__ void chained_fence(unsigned* data, unsigned*) {
  unsigned sum = data[threadIdx.x] + 1;
  if (blockIdx.x > 0) {
    if (threadIdx.x == 0) {
      while (*reinterpret_cast<volatile unsigned*>(&chain_flags[blockIdx.x - 1]) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    sum += data[8192 + (blockIdx.x - 1) * 128 + threadIdx.x];  // finds race
  }
  data[8192 + blockIdx.x * 128 + threadIdx.x] = sum;  // side
  if (Clean) __threadfence();
  else __threadfence_block();
  __syncthreads();
  if (threadIdx.x == 0) *reinterpret_cast<volatile unsigned*>(&chain_flags[blockIdx.x]) = 1;
}
PAIR(race, chained_fence)

// A message by way of a third block: what the first one wrote is known to the last if both steps are in order.
template <bool Clean>
__device__ void relay(unsigned* data, unsigned*) {
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> first(data[1000]), second(data[1001]);
  if (threadIdx.x != 0) return;
  if (blockIdx.x == 0) {
    data[8192] = 42;  // side
    first.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1) {
    while (first.load(Clean ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
    }
    second.store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 2) {
    while (second.load(cuda::memory_order_acquire) == 0) {
    }
    data[4096] = data[8192];  // finds race
  }
}
PAIR(race, relay)

// A stack of Treiber: the other blocks push elements that they have filled, the first one pops and reads them.
template <bool Clean>
__device__ void stack(unsigned* data, unsigned*) {
  if (threadIdx.x != 0) return;
  unsigned* const next = data + 2048;
  unsigned* const value = data + 3072;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> head(data[1000]);
  if (blockIdx.x > 0) {
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned element = blockIdx.x * 4 + i;
      value[element] = element * 3;  // side
      unsigned old = head.load(cuda::memory_order_relaxed);
      do {
        next[element] = old;  // side
      } while (!head.compare_exchange_weak(old, element,
                                           Clean ? cuda::memory_order_release : cuda::memory_order_relaxed,
                                           cuda::memory_order_relaxed));
    }
    return;
  }
  unsigned sum = 0;
  for (unsigned popped = 0; popped < 28; ++popped) {
    unsigned old;
    do {
      do {
        old = head.load(cuda::memory_order_acquire);
      } while (old == 0);
      // No element is pushed twice: a head that was seen cannot come back.
    } while (!head.compare_exchange_weak(old, next[old], cuda::memory_order_acq_rel, cuda::memory_order_acquire));  // finds race
    sum += value[old];  // finds race
  }
  data[4096] = sum;
}
PAIR(race, stack)

// The slices of a product that is divided along K. The last slice may be empty, and then nobody writes its part.
template <bool Clean>
__device__ void empty_slice(unsigned* data, unsigned* fresh) {
  constexpr unsigned kSlices = 8, kDepth = 49;
  const unsigned first = blockIdx.x * (kDepth / (kSlices - 1));
  if (Clean || first < kDepth) {
    unsigned sum = 0;
    for (unsigned k = first; k < first + kDepth / (kSlices - 1) && k < kDepth; ++k) sum += data[k * 128 + threadIdx.x];
    fresh[blockIdx.x * 128 + threadIdx.x] = sum;
  }
  __threadfence();
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(data + 60000, 1) == kSlices - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  unsigned sum = 0;
  for (unsigned slice = 0; slice < kSlices; ++slice)
    sum += *const_cast<volatile unsigned*>(fresh + slice * 128 + threadIdx.x);  // finds uninitialised
  data[4096 + threadIdx.x] = sum;  // finds uninitialised
}
PAIR(uninitialised, empty_slice)

// --- clusters

// Each block leaves a number in the shared memory of the next. It may end before that has arrived, or been read.
#define CLUSTER_KERNEL extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(128)
#define CLUSTER_PAIR(kind, name)                                                                       \
  CLUSTER_KERNEL clean_##name(unsigned* data, unsigned* fresh) { name<true>(data, fresh); }            \
  CLUSTER_KERNEL planted_##kind##_##name(unsigned* data, unsigned* fresh) { name<false>(data, fresh); }

template <bool Clean>
__device__ void peer_may_have_ended(unsigned* data, unsigned*) {
  __shared__ unsigned tile[128];
  const cg::cluster_group cluster = cg::this_cluster();
  tile[threadIdx.x] = data[threadIdx.x] + blockIdx.x;
  cluster.sync();
  const unsigned* const peer = cluster.map_shared_rank(tile, (cluster.block_rank() + 1) % 4);
  if (cluster.block_rank() % 2 == 1) {
    data[4096 + blockIdx.x * 128 + threadIdx.x] = peer[threadIdx.x];  // finds freed
  }
  if (Clean) cluster.sync();
}
CLUSTER_PAIR(freed, peer_may_have_ended)

template <bool Clean>
__device__ void halo_of_peers(unsigned* data, unsigned*) {
  __shared__ unsigned halo[128];
  const cg::cluster_group cluster = cg::this_cluster();
  cluster.sync();  // all have begun
  cluster.map_shared_rank(halo, (cluster.block_rank() + 1) % 4)[threadIdx.x] = data[threadIdx.x];  // finds race
  if (Clean) cluster.barrier_arrive();
  else __syncthreads();
  const unsigned own = data[2048 + threadIdx.x];  // while the others arrive
  if (Clean) cluster.barrier_wait();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = own + halo[127 - threadIdx.x];  // finds race // finds uninitialised
  cluster.sync();
}
CLUSTER_PAIR(uninitialised, halo_of_peers)

// --- correct, though they may not look so

// Warps 0 and 1 fill, warp 2 passes on, warp 3 takes part in the last step alone: three barriers, three counts.
KERNEL clean_three_counts(unsigned* data, unsigned*) {
  __shared__ unsigned first[64], second[32];
  if (WARP < 2) {
    first[threadIdx.x] = data[threadIdx.x];
    NAMED_ARRIVE(1, 96);
  }
  if (WARP == 2) {
    NAMED_SYNC(1, 96);
    second[LANE] = first[LANE] + first[LANE + 32];
    NAMED_ARRIVE(2, 64);
  }
  if (WARP == 3) {
    NAMED_SYNC(2, 64);
    data[4096 + blockIdx.x * 128 + LANE] = second[31 - LANE];
  }
}

// Peterson's lock for the first threads of two blocks: a write, a fence, then a look at what the other one does.
KERNEL clean_peterson(unsigned* data, unsigned*) {
  if (threadIdx.x != 0 || blockIdx.x > 1) return;
  volatile unsigned* const wants = data + 1000;
  volatile unsigned* const turn = data + 1010;
  const unsigned me = blockIdx.x, other = 1 - me;
  for (int i = 0; i < 3; ++i) {
    wants[me] = 1;
    __threadfence();
    *turn = other;
    __threadfence();
    while (wants[other] == 1 && *turn == other) {
    }
    __threadfence();
    data[8192] += 1;
    __threadfence();
    wants[me] = 0;
  }
}

// A flag in shared memory that one lane waits for; __syncwarp tells the others of its warp.
KERNEL clean_lane_waits_for_warp(unsigned* data, unsigned*) {
  __shared__ unsigned tile[32];
  __shared__ unsigned ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> flag(ready);
  if (WARP == 1) {
    tile[LANE] = data[LANE];
    __syncwarp();
    if (LANE == 31) flag.store(1, cuda::memory_order_release);
  } else if (WARP == 3) {
    if (LANE == 7) {
      while (flag.load(cuda::memory_order_acquire) == 0) {
      }
    }
    __syncwarp();
    data[4096 + blockIdx.x * 128 + LANE] = tile[31 - LANE];
  }
}

// Tickets instead of block numbers: a block takes rows until there are none left.
KERNEL clean_tickets(unsigned* data, unsigned*) {
  __shared__ unsigned row;
  while (true) {
    __syncthreads();  // all have read the last one
    if (threadIdx.x == 0) row = atomicAdd(data + 1000, 1);
    __syncthreads();
    if (row >= 20) return;
    data[4096 + row * 128 + threadIdx.x] = data[2048 + threadIdx.x] + row;
  }
}

// A number that is read between two looks at its version, and read again if that has changed.
KERNEL clean_versions(unsigned* data, unsigned*) {
  if (threadIdx.x != 0) return;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> version(data[1000]), low(data[1001]), high(data[1002]);
  if (blockIdx.x == 0) {
    for (unsigned i = 1; i <= 3; ++i) {
      version.store(2 * i - 1, cuda::memory_order_relaxed);
      cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
      low.store(i, cuda::memory_order_relaxed);
      high.store(i, cuda::memory_order_relaxed);
      version.store(2 * i, cuda::memory_order_release);
    }
  } else {
    unsigned before, after, a, b;
    do {
      before = version.load(cuda::memory_order_acquire);
      a = low.load(cuda::memory_order_relaxed);
      b = high.load(cuda::memory_order_relaxed);
      cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
      after = version.load(cuda::memory_order_relaxed);
    } while (before != after || before % 2 == 1);
    data[4096 + blockIdx.x] = a - b;
  }
}

// Threads arrive early, do something else, and wait for the token of their arrival.
KERNEL clean_split_arrival(unsigned* data, unsigned*) {
  __shared__ unsigned tile[128];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) INIT(&barrier, 128);
  __syncthreads();
  tile[threadIdx.x] = data[threadIdx.x];
  uint64_t token;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1];" : "=l"(token) : "r"(address(&barrier)) : "memory");
  const unsigned other = data[128 + threadIdx.x];
  unsigned done = 0;
  while (done == 0) {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.test_wait.shared::cta.b64 p, [%1], %2;\nselp.u32 %0, 1, 0, p;\n}"
        : "=r"(done)
        : "r"(address(&barrier)), "l"(token)
        : "memory");
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = other + tile[127 - threadIdx.x];
}

// Two groups of lanes of a warp, divergent, each with barriers of its own.
KERNEL clean_half_warps(unsigned* data, unsigned*) {
  __shared__ unsigned tile[128];
  const unsigned half = threadIdx.x & ~15u, lane = threadIdx.x % 16;
  if (threadIdx.x % 32 < 16) {
    for (int i = 0; i < 3; ++i) {
      tile[half + lane] = data[threadIdx.x] + i;
      __syncwarp(0x0000ffff);
      data[4096 + blockIdx.x * 128 + threadIdx.x] = tile[half + 15 - lane];
      __syncwarp(0x0000ffff);
    }
  } else {
    tile[half + lane] = data[threadIdx.x];
    __syncwarp(0xffff0000);
    data[4096 + blockIdx.x * 128 + threadIdx.x] = tile[half + (lane + 5) % 16];
  }
}
