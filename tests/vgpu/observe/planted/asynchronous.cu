// SPDX-License-Identifier: MIT
// Kernels with a planted mistake around TMA, wgmma, cp.async and mbarriers, and the same without it. Entries are named
// planted_KIND_what and clean_what. In a planted kernel a line where a finding may be says "// finds KIND", and a line
// that is only its other side says "// side". 8 blocks; as many threads as __launch_bounds__ says; `data` has 65536
// words that are written, `fresh` as many that nothing has written.
//   nvcc -arch=sm_90a -lineinfo -ptx asynchronous.cu
#include "asynchronous.cuh"

// --- proxies

// The epilogue of many kernels: a tile of results goes out by TMA.
template <bool Clean>
__device__ void tile_out(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  tile[threadIdx.x] = data[threadIdx.x] + 1;  // side
  if (Clean) PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_STORE(data + 4096 + blockIdx.x * 128, tile, 512);  // finds proxy_fence
    BULK_COMMIT();
    BULK_WAIT_READ(0);
  }
}
PAIR(proxy_fence, tile_out)

// The thread that issues the store fences its own writes, not those of the others.
template <bool Clean>
__device__ void fence_of_one(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  tile[threadIdx.x] = data[threadIdx.x] * 3;  // side
  if (!Clean && threadIdx.x == 0) PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    if (Clean) PROXY_FENCE();  // behind the barrier it is on the way of all writes
    BULK_STORE(data + 4096 + blockIdx.x * 128, tile, 512);  // finds proxy_fence
    BULK_COMMIT();
    BULK_WAIT_READ(0);
  }
}
PAIR(proxy_fence, fence_of_one)

template <bool Clean>
__device__ void product_of_stored(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  for (int i = threadIdx.x; i < 512; i += 128) a[i] = data[i];  // side
  if (threadIdx.x < 64) b[threadIdx.x] = data[512 + threadIdx.x];  // side
  if (Clean) PROXY_FENCE();
  __syncthreads();
  float d[4] = {};
  GROUP_FENCE();
  MULTIPLY(d, descriptor(a), descriptor(b));  // finds proxy_fence
  GROUP_COMMIT();
  GROUP_WAIT(0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = static_cast<unsigned>(d[0] + d[1] + d[2] + d[3]);
}
PAIR(proxy_fence, product_of_stored)

// cp.async writes through the generic proxy too.
template <bool Clean>
__device__ void product_of_copied(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  COPY(a + threadIdx.x * 4, data + threadIdx.x * 4);  // side
  if (threadIdx.x < 16) COPY(b + threadIdx.x * 4, data + 512 + threadIdx.x * 4);  // side
  COPY_COMMIT();
  COPY_WAIT(0);
  if (Clean) PROXY_FENCE();
  __syncthreads();
  float d[4] = {};
  GROUP_FENCE();
  MULTIPLY(d, descriptor(a), descriptor(b));  // finds proxy_fence
  GROUP_COMMIT();
  GROUP_WAIT(0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = static_cast<unsigned>(d[0] + d[1]);
}
PAIR(proxy_fence, product_of_copied)

// A buffer that threads wrote is refilled by TMA.
template <bool Clean>
__device__ void refill(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  __shared__ alignas(8) uint64_t barrier;
  tile[threadIdx.x] = threadIdx.x;  // side
  if (threadIdx.x == 0) INIT(&barrier, 1);
  if (Clean) PROXY_FENCE();
  __syncthreads();
  const unsigned before = tile[(threadIdx.x + 1) % 128];
  __syncthreads();
  if (threadIdx.x == 0) {
    EXPECT(&barrier, 512);
    BULK_LOAD(tile, data, 512, &barrier);  // finds proxy_fence
  }
  WAIT(&barrier, 0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = before + tile[threadIdx.x];
}
PAIR(proxy_fence, refill)

// --- memory that is still read

// Results leave in two halves through one buffer.
template <bool Clean>
__device__ void one_buffer(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  for (int half = 0; half < 2; ++half) {
    tile[threadIdx.x] = data[threadIdx.x + 128 * half];  // finds in_flight
    PROXY_FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_STORE(data + 4096 + (blockIdx.x * 2 + half) * 128, tile, 512);  // side
      BULK_COMMIT();
      if (Clean || half == 1) BULK_WAIT_READ(0);
    }
    __syncthreads();
  }
}
PAIR(in_flight, one_buffer)

// The thread that waits is not the one that issued.
template <bool Clean>
__device__ void wait_of_another(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  for (int half = 0; half < 2; ++half) {
    tile[threadIdx.x] = data[threadIdx.x + 128 * half];  // finds in_flight
    PROXY_FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_STORE(data + 4096 + (blockIdx.x * 2 + half) * 128, tile, 512);  // side
      BULK_COMMIT();
    }
    if (threadIdx.x == (Clean ? 0 : 32)) BULK_WAIT_READ(0);
    __syncthreads();
  }
  if (threadIdx.x == 0) BULK_WAIT_READ(0);
}
PAIR(in_flight, wait_of_another)

// Two buffers take turns; one store may be open. With two open the buffer is written too early.
template <bool Clean>
__device__ void two_buffers(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[2][128];
  for (int part = 0; part < 4; ++part) {
    unsigned* buffer = tile[part % 2];
    buffer[threadIdx.x] = data[threadIdx.x + 128 * part];  // finds in_flight
    PROXY_FENCE();
    __syncthreads();
    if (threadIdx.x == 0) {
      BULK_STORE(data + 4096 + (blockIdx.x * 4 + part) * 128, buffer, 512);  // side
      BULK_COMMIT();
      if (Clean) BULK_WAIT_READ(1);
      else BULK_WAIT_READ(2);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) BULK_WAIT_READ(0);
}
PAIR(in_flight, two_buffers)

template <bool Clean>
__device__ void ends_too_early(unsigned* data, unsigned*) {
  __shared__ alignas(128) unsigned tile[128];
  tile[threadIdx.x] = data[threadIdx.x];
  PROXY_FENCE();
  __syncthreads();
  if (threadIdx.x == 0) {
    BULK_STORE(data + 4096 + blockIdx.x * 128, tile, 512);  // finds in_flight
    BULK_COMMIT();
    if (Clean) BULK_WAIT_READ(0);
  }
}
PAIR(in_flight, ends_too_early)

template <bool Clean>
__device__ void product_tile_reused(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  float d[4] = {};
  for (int step = 0; step < 2; ++step) {
    for (int i = threadIdx.x; i < 512; i += 128) a[i] = data[i + 1024 * step];  // finds in_flight
    if (threadIdx.x < 64) b[threadIdx.x] = data[512 + threadIdx.x];  // finds in_flight
    PROXY_FENCE();
    __syncthreads();
    GROUP_FENCE();
    MULTIPLY(d, descriptor(a), descriptor(b));  // side
    GROUP_COMMIT();
    if (Clean) GROUP_WAIT(0);
    __syncthreads();
  }
  GROUP_WAIT(0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = static_cast<unsigned>(d[0] + d[1]);
}
PAIR(in_flight, product_tile_reused)

// A ring of two stages: a producer warp, and consumers that hand a stage back before their product is done.
template <bool Clean>
__device__ void ring_of_products(unsigned* data) {
  __shared__ alignas(1024) unsigned a[2][512];
  __shared__ alignas(1024) unsigned b[2][256];
  __shared__ alignas(8) uint64_t full[2], empty[2];
  constexpr int kSteps = 6;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < 2; ++stage) {
      INIT(&full[stage], 1);
      INIT(&empty[stage], 128);
    }
    PROXY_FENCE();
  }
  __syncthreads();
  if (threadIdx.x >= 128) {
    if (threadIdx.x == 128) {
      for (int step = 0; step < kSteps; ++step) {
        const int stage = step % 2;
        WAIT(&empty[stage], (step / 2 + 1) % 2);
        EXPECT(&full[stage], 2048 + 256);
        BULK_LOAD(a[stage], data + 512 * step, 2048, &full[stage]);  // finds in_flight
        BULK_LOAD(b[stage], data + 3072, 256, &full[stage]);  // finds in_flight
      }
    }
    return;
  }
  float d[4] = {};
  for (int step = 0; step < kSteps; ++step) {
    const int stage = step % 2;
    WAIT(&full[stage], step / 2 % 2);
    GROUP_FENCE();
    MULTIPLY(d, descriptor(a[stage]), descriptor(b[stage]));  // side
    GROUP_COMMIT();
    if (Clean) GROUP_WAIT(0);
    ARRIVE(&empty[stage]);
  }
  GROUP_WAIT(0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = static_cast<unsigned>(d[0] + d[1]);
}
extern "C" __global__ void __launch_bounds__(160) clean_ring_of_products(unsigned* data, unsigned*) {
  ring_of_products<true>(data);
}
extern "C" __global__ void __launch_bounds__(160) planted_in_flight_ring_of_products(unsigned* data, unsigned*) {
  ring_of_products<false>(data);
}

// --- registers

template <bool Clean>
__device__ void accumulator(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  FILL_TILES();
  float d[4] = {};
  GROUP_FENCE();
  MULTIPLY(d, descriptor(a), descriptor(b));  // side
  GROUP_COMMIT();
  if (Clean) GROUP_WAIT(0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(d[0]);  // finds in_flight
  if (!Clean) GROUP_WAIT(0);
}
PAIR(in_flight, accumulator)

// Two accumulators take turns, as in a softmax that overlaps with the next product; one group may be open.
template <bool Clean>
__device__ void two_accumulators(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  FILL_TILES();
  float first[4] = {}, second[4] = {};
  GROUP_FENCE();
  MULTIPLY(first, descriptor(a), descriptor(b));
  GROUP_COMMIT();
  MULTIPLY(second, descriptor(a), descriptor(b));  // side
  GROUP_COMMIT();
  GROUP_WAIT(1);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(first[0]);
  if (Clean) GROUP_WAIT(0);
  data[8192 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(second[0]);  // finds in_flight
  if (!Clean) GROUP_WAIT(0);
}
PAIR(in_flight, two_accumulators)

template <bool Clean>
__device__ void no_fence(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  FILL_TILES();
  float d[4] = {};
  if (Clean) GROUP_FENCE();
  MULTIPLY(d, descriptor(a), descriptor(b));  // finds in_flight
  GROUP_COMMIT();
  GROUP_WAIT(0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(d[0]);
}
PAIR(in_flight, no_fence)

// The rescaling of attention: the accumulator is written between two products.
template <bool Clean>
__device__ void rescaled(unsigned* data, unsigned*) {
  __shared__ alignas(1024) unsigned a[512];
  __shared__ alignas(1024) unsigned b[64];
  FILL_TILES();
  float d[4] = {};
  const float scale = __uint_as_float(data[7]);
  GROUP_FENCE();
  MULTIPLY(d, descriptor(a), descriptor(b));
  GROUP_COMMIT();
  GROUP_WAIT(0);
  for (float& each : d) each *= scale;
  if (Clean) GROUP_FENCE();
  MULTIPLY(d, descriptor(a), descriptor(b));  // finds in_flight
  GROUP_COMMIT();
  GROUP_WAIT(0);
  data[4096 + blockIdx.x * 128 + threadIdx.x] = __float_as_uint(d[0]);
}
PAIR(in_flight, rescaled)
