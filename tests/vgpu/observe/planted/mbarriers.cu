// SPDX-License-Identifier: MIT
// Kernels with a planted mistake in what they wait for: groups of copies and products, mbarriers, stages of a ring; and
// the same without it. Names and marks as in asynchronous.cu.
//   nvcc -arch=sm_90a -lineinfo -ptx mbarriers.cu
#include "asynchronous.cuh"

// --- waits that wait for nothing

// A ring of two stages of cp.async, as in GEMMs of Ampere.
template <bool Clean>
__device__ void copy_ring(unsigned* data, unsigned*) {
  __shared__ alignas(16) unsigned tile[2][512];
  unsigned sum = 0;
  COPY(&tile[0][threadIdx.x * 4], data + threadIdx.x * 4);  // side
  COPY_COMMIT();
  for (int step = 0; step < 4; ++step) {
    if (step + 1 < 4) COPY(&tile[(step + 1) % 2][threadIdx.x * 4], data + 512 * (step + 1) + threadIdx.x * 4);  // side
    COPY_COMMIT();
    if (Clean) COPY_WAIT(1);
    else COPY_WAIT(2);  // finds idle_wait
    __syncthreads();
    sum += tile[step % 2][(threadIdx.x * 4 + 17) % 512];  // finds race // finds uninitialised
    __syncthreads();
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;  // side
}
PAIR(race, copy_ring)

template <bool Clean>
__device__ void copy_not_committed(unsigned* data, unsigned*) {
  __shared__ alignas(16) unsigned tile[512];
  COPY(tile + threadIdx.x * 4, data + threadIdx.x * 4);  // side
  if (Clean) COPY_COMMIT();
  COPY_WAIT(0);  // finds idle_wait
  __syncthreads();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = tile[(threadIdx.x * 4 + 17) % 512];  // finds race // finds uninitialised
}
PAIR(idle_wait, copy_not_committed)

template <bool Clean>
__device__ void store_not_committed(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  tile[threadIdx.x] = data[threadIdx.x];
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_STORE(data + 4096 + blockIdx.x * 128, tile, 512);  // finds in_flight
    if (Clean) BULK_COMMIT();
    BULK_WAIT_READ(0);  // finds idle_wait
  }
}
PAIR(idle_wait, store_not_committed)

template <bool Clean>
__device__ void product_not_committed(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  FILL_TILES();
  float d[4] = {};
  GROUP_FENCE();
  MULTIPLY(d, descriptor(a), descriptor(b));  // side
  if (Clean) GROUP_COMMIT();
  GROUP_WAIT(0);  // finds idle_wait
  data[4096 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(d[0]);  // finds in_flight
}
PAIR(idle_wait, product_not_committed)

// --- mbarriers

template <bool Clean>
__device__ void init_by_all(unsigned* data, unsigned*) {
  __shared__ alignas(8) uint64_t barrier;
  if (!Clean || threadIdx.x == 0) INIT(&barrier, 128);  // finds barrier
  __syncthreads();
  ARRIVE(&barrier);
  WAIT(&barrier, 0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = 1;
}
PAIR(barrier, init_by_all)

// Its memory serves something else afterwards.
template <bool Clean>
__device__ void no_inval(unsigned* data, unsigned*) {
  __shared__ alignas(8) uint64_t space[128];
  if (threadIdx.x == 0) INIT(space, 128);
  __syncthreads();
  ARRIVE(space);
  WAIT(space, 0);
  __syncthreads();
  if (Clean && threadIdx.x == 0) INVALIDATE(space);
  __syncthreads();
  space[threadIdx.x] = data[threadIdx.x];  // finds barrier
  __syncthreads();
  data[4096 + blockIdx.x * 128 + threadIdx.x] = static_cast<unsigned>(space[127 - threadIdx.x]);
}
PAIR(barrier, no_inval)

template <bool Clean>
__device__ void arrive_after_inval(unsigned* data, unsigned*) {
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) INIT(&barrier, 128);
  __syncthreads();
  ARRIVE(&barrier);
  WAIT(&barrier, 0);
  __syncthreads();
  if (threadIdx.x == 0) INVALIDATE(&barrier);
  __syncthreads();
  if (Clean && threadIdx.x == 0) INIT(&barrier, 128);
  __syncthreads();
  ARRIVE(&barrier);  // finds barrier
  data[4096 + blockIdx.x * 128 + threadIdx.x] = 1;
}
PAIR(barrier, arrive_after_inval)

template <bool Clean>
__device__ void never_initialised(unsigned* data, unsigned*) {
  __shared__ alignas(8) uint64_t barriers[2];
  if (threadIdx.x == 0) {
    INIT(&barriers[0], 128);
    if (Clean) INIT(&barriers[1], 128);
  }
  __syncthreads();
  ARRIVE(&barriers[1]);  // finds barrier
  WAIT(&barriers[1], 0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = 1;
}
PAIR(barrier, never_initialised)

// Every thread arrives, and one is counted.
template <bool Clean>
__device__ void more_arrivals(unsigned* data, unsigned*) {
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) INIT(&barrier, Clean ? 128 : 100);
  __syncthreads();
  ARRIVE(&barrier);
  WAIT(&barrier, 0);  // finds deadlock
  ARRIVE(&barrier);
  WAIT(&barrier, 1);  // finds deadlock
  data[4096 + blockIdx.x * 128 + threadIdx.x] = 1;
}
PAIR(deadlock, more_arrivals)

template <bool Clean>
__device__ void wrong_parity(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) {
    INIT(&barrier, 1);
    PROXY_FENCE();
  }
  __syncthreads();
  unsigned sum = 0;
  for (int step = 0; step < 2; ++step) {
    if (threadIdx.x == 0) {
      EXPECT(&barrier, 512);
      BULK_LOAD(tile, data + 128 * step, 512, &barrier);  // finds race
    }
    WAIT(&barrier, Clean ? step : 0);
    sum += tile[threadIdx.x];  // finds race // finds uninitialised
    __syncthreads();
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;  // side
}
PAIR(uninitialised, wrong_parity)

template <bool Clean>
__device__ void more_bytes(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) {
    INIT(&barrier, 1);
    PROXY_FENCE();
    EXPECT(&barrier, Clean ? 512 : 1024);
    BULK_LOAD(tile, data, 512, &barrier);
  }
  __syncthreads();
  WAIT(&barrier, 0);  // finds deadlock
  data[4096 + blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x];
}
PAIR(deadlock, more_bytes)

// --- races with TMA

// The consumers of a ring do not wait for the stage.
template <bool Clean>
__device__ void stage_not_awaited(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  __shared__ alignas(8) uint64_t barrier;
  if (threadIdx.x == 0) {
    INIT(&barrier, 1);
    PROXY_FENCE();
    EXPECT(&barrier, 512);
    BULK_LOAD(tile, data, 512, &barrier);  // side
  }
  __syncthreads();
  if (Clean || threadIdx.x < 32) WAIT(&barrier, 0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = tile[threadIdx.x];  // finds uninitialised
}
PAIR(uninitialised, stage_not_awaited)

// The producer refills a stage that consumers may still read.
template <bool Clean>
__device__ void stage_not_released(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  __shared__ alignas(8) uint64_t full;
  if (threadIdx.x == 0) {
    INIT(&full, 1);
    PROXY_FENCE();
  }
  __syncthreads();
  unsigned sum = 0;
  for (int step = 0; step < 3; ++step) {
    if (threadIdx.x == 0) {
      EXPECT(&full, 512);
      BULK_LOAD(tile, data + 128 * step, 512, &full);  // finds race
    }
    WAIT(&full, step % 2);  // finds deadlock
    sum += tile[(threadIdx.x + 1) % 128];  // finds race
    if (Clean) __syncthreads();
  }
  data[4096 + blockIdx.x * 128 + threadIdx.x] = sum;
}
PAIR(race, stage_not_released)

// Stream-K by TMA: a part of a tile goes out by a bulk store, and a flag tells another block of it. The wait for the
// reads frees the buffer; the writes may still be on their way.
__device__ unsigned part_ready;
template <bool Clean>
__device__ void stored_part(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  if (blockIdx.x == 0) {
    tile[threadIdx.x] = data[threadIdx.x] + 1;
    PROXY_FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_STORE(data + 8192, tile, 512);  // side
      BULK_COMMIT();
      if (Clean) BULK_WAIT(0);
      else BULK_WAIT_READ(0);
      __threadfence();
      atomicExch(&part_ready, 1);
    }
  } else if (blockIdx.x == 1) {
    if (threadIdx.x == 0) {
      while (atomicAdd(&part_ready, 0) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
    data[4096 + threadIdx.x] = data[8192 + threadIdx.x];  // finds race
  }
}
PAIR(race, stored_part)

// A thread reads back what its own bulk store writes.
template <bool Clean>
__device__ void read_back(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  tile[threadIdx.x] = data[threadIdx.x] + 1;
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_STORE(data + 8192 + 128 * blockIdx.x, tile, 512);  // side
    BULK_COMMIT();
    if (Clean) BULK_WAIT(0);
    else BULK_WAIT_READ(0);
    data[4096 + blockIdx.x] = data[8192 + 128 * blockIdx.x + 5];  // finds race
  }
}
PAIR(race, read_back)
