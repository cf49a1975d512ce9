// SPDX-License-Identifier: MIT
// Small kernels that each keep one part of the GPU busy: what `assay doctor --rates` times. rate_probes.ptx is this
// file as nvcc compiles it, so that the program needs no compiler; rate_probes.sh makes it again. What each kernel asks
// for is counted by a test on the virtual GPU (tests/measure/rate_probes_test.cpp).
//
// All take the same arguments: memory that they may read and write, its size, how often they go round, and one word for
// each block, which gets the cycles from its first instruction to its last. Blocks have 1,024 threads: one fills an SM
// with 32 warps, so that the cycles of a block are those of its SM.
#include <cstdint>

namespace {

constexpr int kChains = 8;  // independent of each other in each thread

// Cycles of the whole block.
class Stopwatch {
 public:
  __device__ Stopwatch() {
    __syncthreads();
    start_ = clock64();
  }
  __device__ void stop(uint64_t* cycles) const {
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = static_cast<uint64_t>(clock64() - start_);
  }

 private:
  long long start_;
};

// Keeps a value alive: the store never happens, which the compiler cannot know.
__device__ void keep(float value, uint32_t* data) {
  if (value == -1.5f) *data = 1;
}
__device__ void keep(uint32_t value, uint32_t rounds, uint32_t* data) {
  if (rounds == 0xffffffffu) *data = value;
}

// In each round kSteps steps on each of the values.
template <int kSteps, typename Step>
__device__ __forceinline__ void run_chains(float (&values)[kChains], uint32_t rounds, uint64_t* cycles, uint32_t* data,
                                           Step step) {
  const Stopwatch watch;
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < kSteps; ++i) {
#pragma unroll
      for (int chain = 0; chain < kChains; ++chain) step(values[chain]);
    }
  }
  watch.stop(cycles);
  float sum = 0;
#pragma unroll
  for (int chain = 0; chain < kChains; ++chain) sum += values[chain];
  keep(sum, data);
}

}  // namespace

#define PROBE(name)                                  \
  extern "C" __global__ void __launch_bounds__(1024) \
      name(uint32_t* data, uint64_t bytes, uint32_t rounds, uint64_t* cycles)

// Nothing: what a launch costs.
extern "C" __global__ void rate_launch(uint32_t*, uint64_t, uint32_t, uint64_t*) {}

// The first half of the memory goes to the second half.
PROBE(rate_dram_copy) {
  const uint64_t count = bytes / 32;  // pieces of 16 bytes in a half
  const uint4* from = reinterpret_cast<const uint4*>(data);
  uint4* to = reinterpret_cast<uint4*>(data) + count;
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
#pragma unroll 4
  for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) to[i] = __ldcs(from + i);
}

// All of the memory is read `rounds` times, past the L1.
PROBE(rate_l2_read) {
  const uint64_t count = bytes / 16;
  const uint4* from = reinterpret_cast<const uint4*>(data);
  const uint64_t stride = uint64_t{gridDim.x} * blockDim.x;
  uint32_t sum = 0;
  for (uint32_t round = 0; round < rounds; ++round) {
#pragma unroll 4
    for (uint64_t i = uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
      const uint4 piece = __ldcg(from + i);
      sum ^= piece.x ^ piece.y ^ piece.z ^ piece.w;
    }
  }
  keep(sum, rounds, data);
}

// 256 fused multiply-adds of a thread in each round.
PROBE(rate_fma) {
  const float factor = 1.0f - 1e-6f * static_cast<float>(threadIdx.x);
  const float term = 1e-3f * static_cast<float>(blockIdx.x);
  float values[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) values[i] = static_cast<float>(i);
  run_chains<32>(values, rounds, cycles, data, [=](float& value) { value = __fmaf_rn(value, factor, term); });
}

// 128 reciprocal square roots of a thread in each round: they tend to 1. (Of two reciprocals in a row ptxas makes
// none.)
PROBE(rate_special) {
  float values[kChains];
#pragma unroll
  for (int i = 0; i < kChains; ++i) values[i] = 1.25f + static_cast<float>(i) + 1e-3f * static_cast<float>(threadIdx.x);
  run_chains<16>(values, rounds, cycles, data, [](float& value) {
    asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(value));
  });
}

// 16 loads of 16 bytes of a thread in each round: 512 bytes of a warp that lie together are four wavefronts.
PROBE(rate_shared) {
  constexpr uint32_t kBytes = 32768;
  constexpr uint32_t kLoads = 16;
  constexpr uint32_t kRow = 512;
  __shared__ __align__(16) uint32_t s_words[kBytes / 4];
  for (uint32_t i = threadIdx.x; i < kBytes / 4; i += blockDim.x) s_words[i] = i;
  const uint32_t base = static_cast<uint32_t>(__cvta_generic_to_shared(s_words)) + threadIdx.x % 32 * 16;
  uint32_t offset = 0;
  uint32_t sum = 0;
  const Stopwatch watch;
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (uint32_t load = 0; load < kLoads; ++load) {
      uint32_t a, b, c, d;
      asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "r"(base + offset + load * kRow));
      sum ^= a ^ b ^ c ^ d;
    }
    offset = (offset + kLoads * kRow) % kBytes;
  }
  watch.stop(cycles);
  keep(sum, rounds, data);
}

// 16 products of (16, 8, 16) of a warp in each round. Zeros would save power and flatter the clock.
PROBE(rate_mma_f16) {
  constexpr int kSteps = 2;
  uint32_t a[4], b[2];
  uint32_t state = 2654435761u * (threadIdx.x + 1);
  const auto halves = [&] {  // two in [0.5, 1), with random signs
    state = state * 1664525u + 1013904223u;
    return (state & 0x83ff83ffu) | 0x38003800u;
  };
#pragma unroll
  for (int i = 0; i < 4; ++i) a[i] = halves();
#pragma unroll
  for (int i = 0; i < 2; ++i) b[i] = halves();
  float sums[kChains][4] = {};
  const Stopwatch watch;
#pragma unroll 1
  for (uint32_t round = 0; round < rounds; ++round) {
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
#pragma unroll
      for (int i = 0; i < kChains; ++i)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
            "{%0, %1, %2, %3};"
            : "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  watch.stop(cycles);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kChains; ++i) sum += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  keep(sum, data);
}

// One lane of each warp adds to the same word, `rounds` times: the compiler cannot put lanes together.
PROBE(rate_atomics) {
  if (threadIdx.x % 32 != 0) return;
#pragma unroll 8
  for (uint32_t round = 0; round < rounds; ++round) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(data) : "memory");
}
