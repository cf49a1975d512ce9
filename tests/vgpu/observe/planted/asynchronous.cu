// SPDX-License-Identifier: MIT
// Kernels with a planted mistake around TMA, wgmma, cp.async and mbarriers, and the same without it. Entries are named
// planted_KIND_what and clean_what. In a planted kernel a line where a finding may be says "// finds KIND", and a line
// that is only its other side says "// side". 8 blocks; as many threads as __launch_bounds__ says; `data` has 65536
// words that are written, `fresh` as many that nothing has written.
//   nvcc -arch=sm_90a -lineinfo -ptx asynchronous.cu
#include <cstdint>

#define KERNEL extern "C" __global__ void __launch_bounds__(128)
#define PAIR(kind, name)                                                                       \
  KERNEL clean_##name(unsigned* data, unsigned* fresh) { name<true>(data, fresh); }            \
  KERNEL planted_##kind##_##name(unsigned* data, unsigned* fresh) { name<false>(data, fresh); }

__device__ __forceinline__ uint32_t address(const void* pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}
// Wrappers are macros: every use keeps its own line.
#define PROXY_FENCE() asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
#define BULK_STORE(to, from, bytes) \
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(address(from)), "r"(bytes) : "memory")
#define BULK_COMMIT() asm volatile("cp.async.bulk.commit_group;" ::: "memory")
#define BULK_WAIT_READ(groups) asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory")
#define BULK_WAIT(groups) asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory")
#define BULK_LOAD(to, from, bytes, barrier)                                                                       \
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(   \
                   address(to)), "l"(from), "r"(bytes), "r"(address(barrier))                                     \
               : "memory")
#define INIT(barrier, count) \
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(count) : "memory")
#define INVALIDATE(barrier) asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(address(barrier)) : "memory")
#define ARRIVE(barrier) asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(barrier)) : "memory")
#define EXPECT(barrier, bytes) \
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory")
#define WAIT(barrier, parity)                                              \
  asm volatile(                                                            \
      "{\n.reg .pred done;\nagain:\n"                                      \
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"         \
      "@!done bra again;\n}" ::"r"(address(barrier)), "r"(parity) : "memory")
#define COPY(to, from) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address(to)), "l"(from) : "memory")
#define COPY_COMMIT() asm volatile("cp.async.commit_group;" ::: "memory")
#define COPY_WAIT(groups) asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory")
#define GROUP_FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define GROUP_COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define GROUP_WAIT(groups) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory")
#define MULTIPLY(d, a, b)                                                                                       \
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"     \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                 \
               : "l"(a), "l"(b))

// 64 x 16 halves of A (2048 bytes) and 8 x 16 halves of B (256 bytes), not swizzled.
__device__ __forceinline__ uint64_t descriptor(const void* tile) {
  return (static_cast<uint64_t>(address(tile) & 0x3ffff) >> 4) | 128ull >> 4 << 16 | 256ull >> 4 << 32;
}

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

#define FILL_TILES()                                             \
  for (int i = threadIdx.x; i < 512; i += 128) a[i] = data[i];   \
  if (threadIdx.x < 64) b[threadIdx.x] = data[512 + threadIdx.x]; \
  PROXY_FENCE();                                                 \
  __syncthreads()

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
