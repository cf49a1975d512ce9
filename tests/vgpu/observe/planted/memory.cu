// SPDX-License-Identifier: MIT
// Kernels with a planted mistake in memory, initialisation, barriers and collectives, and the same without it. Entries
// and marks as in asynchronous.cu. 8 blocks of 128 threads.
//   nvcc -arch=sm_80 -lineinfo -ptx memory.cu
#include <cooperative_groups.h>

#define KERNEL extern "C" __global__ void __launch_bounds__(128)
#define PAIR(kind, name)                                                            \
  KERNEL clean_##name(unsigned* data, unsigned* fresh) { name<true>(data, fresh); } \
  KERNEL planted_##kind##_##name(unsigned* data, unsigned* fresh) { name<false>(data, fresh); }

constexpr unsigned kAll = 0xffffffffu;

// --- bounds

// A histogram of 64 bins, and a bin one behind them for what does not fit.
template <bool Clean>
__device__ void histogram_neighbour(unsigned* data, unsigned*) {
  __shared__ unsigned bins[64];
  __shared__ unsigned totals[64];
  if (threadIdx.x < 64) bins[threadIdx.x] = totals[threadIdx.x] = 0;
  __syncthreads();
  const unsigned bin = data[threadIdx.x] + threadIdx.x / 2 + (Clean ? 0 : 1);
  atomicAdd(&bins[bin], 1);  // finds out_of_bounds
  __syncthreads();
  if (threadIdx.x < 64) {
    atomicAdd(&totals[threadIdx.x / 8], bins[threadIdx.x]);
    data[4096 + blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x < 8) data[8192 + blockIdx.x * 8 + threadIdx.x] = totals[threadIdx.x];
}
PAIR(out_of_bounds, histogram_neighbour)

// Tiles of a GEMM: the loop over k runs one step too far in A and reads B.
template <bool Clean>
__device__ void gemm_tiles(unsigned* data, unsigned*) {
  __shared__ float a[8][16];
  __shared__ float b[16][8];
  const int row = threadIdx.x / 16, column = threadIdx.x % 16;
  a[row][column] = static_cast<float>(data[threadIdx.x]);
  b[column][row] = static_cast<float>(data[128 + threadIdx.x]);
  __syncthreads();
  float sum = 0;
  const int steps = 16 + (Clean ? 0 : 1 + static_cast<int>(data[200]));
  if (threadIdx.x < 64)
    for (int k = 0; k < steps; ++k) sum += (&a[threadIdx.x / 8][0])[k] * b[k % 16][threadIdx.x % 8];  // finds out_of_bounds
  data[4096 + blockIdx.x * 128 + threadIdx.x] = static_cast<unsigned>(sum);
}
PAIR(out_of_bounds, gemm_tiles)

// Carving of one array is no neighbourhood: dynamic pieces of a static buffer.
KERNEL clean_carved_buffer(unsigned* data, unsigned*) {
  __shared__ unsigned pool[256];
  __shared__ unsigned other[64];
  unsigned* left = pool;
  unsigned* right = pool + 128;
  left[threadIdx.x] = data[threadIdx.x];
  if (threadIdx.x < 64) other[threadIdx.x] = 1;
  __syncthreads();
  right[threadIdx.x] = left[127 - threadIdx.x] + other[threadIdx.x % 64];
  __syncthreads();
  unsigned* picked = data[5] == 0 ? right : other;  // of two arrays: their bounds are not known
  data[4096 + blockIdx.x * 128 + threadIdx.x] = picked[threadIdx.x];
}

// The last tile of a scan reads past the end of the input.
template <bool Clean>
__device__ void ragged_scan(unsigned* data, unsigned*) {
  const unsigned at = 65536 - 1024 + blockIdx.x * 128 + threadIdx.x + (Clean ? 0 : 64);
  unsigned value = data[at % (Clean ? 65536 : 131072)];  // finds out_of_bounds
  for (int step = 1; step < 32; step *= 2) {
    const unsigned below = __shfl_up_sync(kAll, value, step);
    if (threadIdx.x % 32 >= step) value += below;
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = value;
}
PAIR(out_of_bounds, ragged_scan)

template <bool Clean>
__device__ void vector_rows(unsigned* data, unsigned*) {
  const unsigned* row = data + (Clean ? 4 : 3) * threadIdx.x;
  const uint4 four = *reinterpret_cast<const uint4*>(row);  // finds misaligned
  data[8192 + blockIdx.x * 128 + threadIdx.x] = four.x + four.w;
}
PAIR(misaligned, vector_rows)

__device__ __noinline__ unsigned deep(const unsigned* data, unsigned left, unsigned* keep) {
  unsigned frame[64];
  for (int i = 0; i < 64; ++i) frame[i] = left + keep[i % 8];
  if (left == 0) return frame[data[0] % 64];
  return deep(data, left - 1, frame) + frame[left % 64];  // finds out_of_bounds
}
template <bool Clean>
__device__ void recursion(unsigned* data, unsigned*) {
  unsigned keep[8] = {};
  data[4096 + blockIdx.x * 128 + threadIdx.x] = deep(data, Clean ? 8 : 100000, keep);
}
PAIR(out_of_bounds, recursion)

// --- the device's heap

template <bool Clean>
__device__ void heap_leak(unsigned* data, unsigned*) {
  if (threadIdx.x != 0) return;
  auto* scratch = static_cast<unsigned*>(malloc(64));  // finds leak
  if (scratch == nullptr) return;
  for (int i = 0; i < 16; ++i) scratch[i] = data[i];
  data[4096 + blockIdx.x] = scratch[blockIdx.x];
  if (Clean) free(scratch);
}
PAIR(leak, heap_leak)

// What a later kernel finds by an address in global memory is no leak; nor what such memory points to.
KERNEL clean_heap_list(unsigned* data, unsigned*) {
  struct Node {
    Node* next;
    unsigned value;
  };
  if (threadIdx.x != 0) return;
  auto* first = static_cast<Node*>(malloc(sizeof(Node)));
  auto* second = static_cast<Node*>(malloc(sizeof(Node)));
  if (first == nullptr || second == nullptr) return;
  *first = {second, 1};
  *second = {nullptr, 2};
  reinterpret_cast<Node**>(data + 8192)[blockIdx.x] = first;
}

template <bool Clean>
__device__ void heap_freed_twice(unsigned* data, unsigned*) {
  if (threadIdx.x != 0 || blockIdx.x != 0) return;
  auto* scratch = static_cast<unsigned*>(malloc(64));
  if (scratch == nullptr) return;
  scratch[0] = data[0];
  data[4096] = scratch[0];
  free(scratch);
  if (!Clean) free(scratch);  // finds invalid_free
}
PAIR(invalid_free, heap_freed_twice)

template <bool Clean>
__device__ void heap_used_after_free(unsigned* data, unsigned*) {
  if (threadIdx.x != 0) return;
  auto* scratch = static_cast<volatile unsigned*>(malloc(64));
  if (scratch == nullptr) return;
  scratch[0] = data[0];
  if (!Clean) free((void*)scratch);
  data[4096 + blockIdx.x] = scratch[0];  // finds freed
  if (Clean) free((void*)scratch);
}
PAIR(freed, heap_used_after_free)

// --- the non-coherent path

// A stencil in place: neighbours come through the read-only cache.
template <bool Clean>
__device__ void stencil_in_place(unsigned* data, unsigned*) {
  const unsigned at = blockIdx.x * 256 + threadIdx.x * 2;
  const unsigned left = Clean ? data[at] : __ldg(data + at);  // finds noncoherent
  const unsigned right = data[at + 1];
  data[at] = left + right;  // finds noncoherent
}
PAIR(noncoherent, stencil_in_place)

template <bool Clean>
__device__ void written_then_read(unsigned* data, unsigned*) {
  data[1024 + threadIdx.x + 128 * blockIdx.x] = threadIdx.x;  // side
  __syncthreads();
  const unsigned* from = data + 1024 + 128 * blockIdx.x + (threadIdx.x ^ 1);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = Clean ? *from : __ldg(from);  // finds noncoherent
}
PAIR(noncoherent, written_then_read)

// --- what nothing has written

// A stencil whose tile has a halo, of which one side is not loaded.
template <bool Clean>
__device__ void halo(unsigned* data, unsigned*) {
  __shared__ unsigned tile[130];
  tile[threadIdx.x + 1] = data[128 + threadIdx.x];
  if (threadIdx.x == 0) tile[0] = data[127];
  if (Clean && threadIdx.x == 127) tile[129] = data[256];
  __syncthreads();
  data[4096 + blockIdx.x * 128 + threadIdx.x] =  // side
      tile[threadIdx.x] + tile[threadIdx.x + 1] + tile[threadIdx.x + 2];  // finds uninitialised
}
PAIR(uninitialised, halo)

// A layer norm whose last step adds up 32 partial sums where 4 warps have written 4.
template <bool Clean>
__device__ void layer_norm(unsigned* data, unsigned*) {
  __shared__ float partial[32];
  float value = __uint_as_float(data[blockIdx.x * 128 + threadIdx.x]);
  float sum = value;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAll, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = !Clean || threadIdx.x < 4 ? partial[threadIdx.x] : 0;  // finds uninitialised
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(kAll, sum, step);
    if (threadIdx.x == 0) partial[0] = sum;
  }
  __syncthreads();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(value - partial[0] / 128);  // side
}
PAIR(uninitialised, layer_norm)

template <bool Clean>
__device__ void running_max(unsigned* data, unsigned* fresh) {
  const unsigned at = blockIdx.x * 128 + threadIdx.x;
  if (Clean) fresh[at] = 0;
  fresh[at] = max(fresh[at], data[at]);  // finds uninitialised // side
}
PAIR(uninitialised, running_max)

template <bool Clean>
__device__ void split_counter(unsigned* data, unsigned* fresh) {
  if (Clean && threadIdx.x == 0) fresh[blockIdx.x] = 0;
  __syncthreads();
  atomicAdd(&fresh[blockIdx.x], data[threadIdx.x]);  // finds uninitialised
}
PAIR(uninitialised, split_counter)

// A softmax that keeps its row in local memory and reads more of it than it has filled.
template <bool Clean>
__device__ void local_row(unsigned* data, unsigned*) {
  float row[16];
  const int filled = Clean ? 16 : 15;
#pragma unroll 1
  for (int i = 0; i < filled; ++i) row[(i + data[i]) % 16] = __uint_as_float(data[threadIdx.x + i]);
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 16; ++i) sum += row[(i + data[i]) % 16];  // finds uninitialised
  data[4096 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(sum);  // side
}
PAIR(uninitialised, local_row)

// Padding is copied, and nobody looks at it.
KERNEL clean_padding(unsigned* data, unsigned* fresh) {
  struct Entry {
    unsigned char tag;
    unsigned value;
  };
  Entry* entries = reinterpret_cast<Entry*>(fresh) + blockIdx.x * 128;
  entries[threadIdx.x].tag = 1;
  entries[threadIdx.x].value = data[threadIdx.x];
  __syncthreads();
  const Entry copy = entries[127 - threadIdx.x];
  reinterpret_cast<Entry*>(data + 16384)[blockIdx.x * 128 + threadIdx.x] = copy;
}

// --- barriers and collectives

template <bool Clean>
__device__ void barrier_in_loop(unsigned* data, unsigned*) {
  __shared__ unsigned s[128];
  s[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (Clean) {
      if (threadIdx.x < half) s[threadIdx.x] += s[threadIdx.x + half];
      __syncthreads();
    } else if (threadIdx.x < half) {
      s[threadIdx.x] += s[threadIdx.x + half];  // finds race
      __syncthreads();  // finds barrier
    }
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = s[threadIdx.x / 64];  // finds race
}
PAIR(barrier, barrier_in_loop)

// A producer warp and consumers meet at a named barrier; they name different counts.
template <bool Clean>
__device__ void named_counts(unsigned* data, unsigned*) {
  __shared__ unsigned box[32];
  if (threadIdx.x < 32) {
    box[threadIdx.x] = data[threadIdx.x];
    asm volatile("bar.sync 1, 64;" ::: "memory");  // finds barrier
  } else if (threadIdx.x < 64) {
    if (Clean) asm volatile("bar.sync 1, 64;" ::: "memory");
    else asm volatile("bar.sync 1, 32;" ::: "memory");  // finds barrier // finds deadlock
    data[4096 + blockIdx.x * 32 + threadIdx.x - 32] = box[threadIdx.x - 32];  // finds race // finds uninitialised
  }
}
PAIR(barrier, named_counts)

template <bool Clean>
__device__ void missing_arrival(unsigned* data, unsigned*) {
  if (threadIdx.x < 64) {
    asm volatile("bar.sync 2, 96;" ::: "memory");  // finds deadlock
  } else if (Clean && threadIdx.x < 96) {
    asm volatile("bar.arrive 2, 96;" ::: "memory");
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = 1;
}
PAIR(deadlock, missing_arrival)

// A reduction of a ragged row: lanes that are not there take part in the shuffle of those that are.
template <bool Clean>
__device__ void ragged_warp_sum(unsigned* data, unsigned*) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned members = __ballot_sync(kAll, lane < 20);
  if (lane < 20) {
    unsigned sum = data[threadIdx.x];
    for (int step = 16; step > 0; step /= 2) {
      const unsigned other = __shfl_down_sync(members, sum, step);  // finds inactive_lane
      if (!Clean || lane + step < 20) sum += other;  // finds uninitialised
    }
    data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;  // side
  }
}
KERNEL planted_inactive_lane_ragged_warp_sum(unsigned* data, unsigned* fresh) { ragged_warp_sum<false>(data, fresh); }
KERNEL clean_ragged_warp_sum(unsigned* data, unsigned*) {
  const unsigned lane = threadIdx.x % 32;
  unsigned sum = lane < 20 ? data[threadIdx.x] : 0;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(kAll, sum, step);
  if (lane < 20) data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;
}

template <bool Clean>
__device__ void vote_in_branch(unsigned* data, unsigned*) {
  if (threadIdx.x % 32 < 16) {
    const unsigned mask = Clean ? 0x0000ffffu : kAll;
    const unsigned votes = __ballot_sync(mask, data[threadIdx.x] > 3);  // finds deadlock
    data[4096 + blockIdx.x * 128 + threadIdx.x] = votes;
  } else {
    __syncwarp(0xffff0000u);  // finds deadlock
    data[8192 + blockIdx.x * 128 + threadIdx.x] = 2;
  }
}
KERNEL clean_vote_in_branch(unsigned* data, unsigned* fresh) { vote_in_branch<true>(data, fresh); }

// --- correct, though it looks otherwise

// Threads without work leave before the barrier: the hardware waits for those that have not exited.
KERNEL clean_early_exit_scan(unsigned* data, unsigned*) {
  __shared__ unsigned s[64];
  if (threadIdx.x >= 64) return;
  s[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  for (int step = 1; step < 64; step *= 2) {
    const unsigned below = threadIdx.x >= step ? s[threadIdx.x - step] : 0;
    __syncthreads();
    s[threadIdx.x] += below;
    __syncthreads();
  }
  data[4096 + blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}

// A lock of one lane at a time, and plain accesses under it.
__device__ unsigned list_lock, list_length;
KERNEL clean_lock_per_lane(unsigned* data, unsigned*) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&list_lock, 0, 1) == 0) {
      __threadfence();
      const unsigned at = *(volatile unsigned*)&list_length;
      data[8192 + at % 4096] = blockIdx.x;
      *(volatile unsigned*)&list_length = at + 1;
      __threadfence();
      atomicExch(&list_lock, 0);
      done = true;
    }
  }
}

// Warp-synchronous code with the masks that it needs.
KERNEL clean_warp_synchronous(unsigned* data, unsigned*) {
  __shared__ volatile unsigned s[128];
  const unsigned lane = threadIdx.x % 32;
  s[threadIdx.x] = data[threadIdx.x];
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    unsigned sum = 0;
    if (lane < half) sum = s[threadIdx.x] + s[threadIdx.x + half];
    __syncwarp();
    if (lane < half) s[threadIdx.x] = sum;
    __syncwarp();
  }
  if (lane == 0) data[4096 + blockIdx.x * 4 + threadIdx.x / 32] = s[threadIdx.x];
}

// A flag between blocks: volatile, with fences; both are resident.
__device__ volatile unsigned ready;
__device__ unsigned message[128];
KERNEL clean_volatile_flag(unsigned* data, unsigned*) {
  if (blockIdx.x == 0) {
    message[threadIdx.x] = data[threadIdx.x] + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) ready = 1;
  } else if (blockIdx.x == 1) {
    if (threadIdx.x == 0) {
      while (ready == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    data[4096 + threadIdx.x] = message[threadIdx.x];
  }
}

// Groups of lanes that a value brings together, each with its own mask.
KERNEL clean_matched_groups(unsigned* data, unsigned*) {
  const unsigned key = data[threadIdx.x] + threadIdx.x % 5;
  const unsigned peers = __match_any_sync(kAll, key);
  const unsigned sum = __reduce_add_sync(peers, threadIdx.x);
  const int leader = __ffs(peers) - 1;
  const unsigned first = __shfl_sync(peers, threadIdx.x, leader);
  if (threadIdx.x % 32 == leader) atomicAdd(&data[8192 + key], sum + first);
}

// The same barrier from two places of the program.
KERNEL clean_barrier_in_both_arms(unsigned* data, unsigned*) {
  __shared__ unsigned s[128];
  s[threadIdx.x] = data[threadIdx.x];
  if (threadIdx.x < 64) {
    asm volatile("barrier.sync 0;" ::: "memory");
    data[4096 + blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x];
  } else {
    asm volatile("barrier.sync 0;" ::: "memory");
    data[8192 + blockIdx.x * 128 + threadIdx.x] = s[127 - threadIdx.x] + 1;
  }
}

// Lanes of one store that write the same place: one of the values stays.
KERNEL clean_one_winner(unsigned* data, unsigned*) {
  __shared__ unsigned any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (threadIdx.x < 32 && data[threadIdx.x] == 0) any = 1;
  __syncthreads();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = any;
}

// Stream-K: the blocks of a tile add up their parts in turn.
__device__ unsigned turn[4];
KERNEL clean_ordered_fix_up(unsigned* data, unsigned*) {
  const unsigned tile = blockIdx.x / 2, part = blockIdx.x % 2;
  unsigned value = data[blockIdx.x * 128 + threadIdx.x] + part;
  if (threadIdx.x == 0)
    while (atomicAdd(&turn[tile], 0) != part) {
    }
  __threadfence();
  __syncthreads();
  if (part > 0) value += data[16384 + tile * 128 + threadIdx.x];
  data[16384 + tile * 128 + threadIdx.x] = value;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(&turn[tile], 1);
}

// A grid barrier, and what was written before it.
KERNEL clean_two_phases(unsigned* data, unsigned*) {
  data[blockIdx.x * 128 + threadIdx.x] = threadIdx.x;
  cooperative_groups::this_grid().sync();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = data[(7 - blockIdx.x) * 128 + threadIdx.x];
}

// A union of phases: the same shared memory for keys, then for sums.
KERNEL clean_reused_storage(unsigned* data, unsigned*) {
  __shared__ union {
    unsigned keys[128];
    float sums[128];
  } s;
  s.keys[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  const unsigned key = s.keys[127 - threadIdx.x];
  __syncthreads();
  s.sums[threadIdx.x] = static_cast<float>(key);
  __syncthreads();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = static_cast<unsigned>(s.sums[(threadIdx.x + 1) % 128]);
}
