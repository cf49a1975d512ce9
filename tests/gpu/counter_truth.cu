// SPDX-License-Identifier: MIT
// Asks a real GPU what the counters of Nsight Compute say about single warp accesses with known addresses. Each launch
// is one warp, one access, one pattern; the program prints a line for each, in the order of the launches, and
// counter_truth.sh puts ncu's figures beside it. The result is tests/vgpu/observe/counters_h200.txt.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_fp16.h>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr int kLanes = 32;
constexpr int kSharedBytes = 48 * 1024;
constexpr int kGlobalBytes = 1 << 20;

using Offsets = std::vector<int>;  // of each lane, in bytes; -1: the lane takes no part

#define LOAD_SHARED(NAME, PTX, ...)                                                   \
  __global__ void NAME(const int* offsets, unsigned* out) {                           \
    extern __shared__ __align__(1024) unsigned char memory[];                         \
    const int offset = offsets[threadIdx.x];                                          \
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory));    \
    unsigned a = 0, b = 0, c = 0, d = 0;                                              \
    if (offset >= 0) asm volatile(PTX : __VA_ARGS__ : "r"(base + offset) : "memory"); \
    out[threadIdx.x] = a + b + c + d;                                                 \
  }
LOAD_SHARED(shared_load_1, "{.reg .u16 t; ld.shared.u8 t, [%1]; cvt.u32.u16 %0, t;}", "=r"(a))
LOAD_SHARED(shared_load_2, "{.reg .u16 t; ld.shared.u16 t, [%1]; cvt.u32.u16 %0, t;}", "=r"(a))
LOAD_SHARED(shared_load_4, "ld.shared.u32 %0, [%1];", "=r"(a))
LOAD_SHARED(shared_load_8, "ld.shared.v2.u32 {%0, %1}, [%2];", "=r"(a), "=r"(b))
LOAD_SHARED(shared_load_16, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))
LOAD_SHARED(shared_atomic_4, "atom.shared.add.u32 %0, [%1], 1;", "=r"(a))

#define STORE_SHARED(NAME, PTX)                                                      \
  __global__ void NAME(const int* offsets, unsigned* out) {                          \
    extern __shared__ __align__(1024) unsigned char memory[];                        \
    const int offset = offsets[threadIdx.x];                                         \
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory));   \
    if (offset >= 0) asm volatile(PTX ::"r"(base + offset), "r"(offset) : "memory"); \
    out[threadIdx.x] = 1;                                                            \
  }
STORE_SHARED(shared_store_2, "{.reg .u16 t; cvt.u16.u32 t, %1; st.shared.u16 [%0], t;}")
STORE_SHARED(shared_store_4, "st.shared.u32 [%0], %1;")
STORE_SHARED(shared_store_8, "st.shared.v2.u32 [%0], {%1, %1};")
STORE_SHARED(shared_store_16, "st.shared.v4.u32 [%0], {%1, %1, %1, %1};")

#define LOAD_MATRIX(NAME, X, ...)                                                                         \
  __global__ void NAME(const int* offsets, unsigned* out) {                                               \
    extern __shared__ __align__(1024) unsigned char memory[];                                             \
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + offsets[threadIdx.x]; \
    unsigned a = 0, b = 0, c = 0, d = 0;                                                                  \
    asm volatile("ldmatrix.sync.aligned.m8n8." X : __VA_ARGS__ : "r"(base) : "memory");                   \
    out[threadIdx.x] = a + b + c + d;                                                                     \
  }
LOAD_MATRIX(load_matrix_x1, "x1.shared.b16 {%0}, [%1];", "=r"(a))
LOAD_MATRIX(load_matrix_x2, "x2.shared.b16 {%0, %1}, [%2];", "=r"(a), "=r"(b))
LOAD_MATRIX(load_matrix_x4, "x4.shared.b16 {%0, %1, %2, %3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))
LOAD_MATRIX(load_matrix_x4_trans, "x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))

__global__ void store_matrix_x4(const int* offsets, unsigned* out) {
  extern __shared__ __align__(1024) unsigned char memory[];
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(memory)) + offsets[threadIdx.x];
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %1, %1, %1};" ::"r"(base), "r"(1) : "memory");
  out[threadIdx.x] = 1;
}

// Global memory: the offsets and the result travel through shared memory's back door (parameters), so that the access
// under test is the only one to global memory apart from these two, which counter_truth.sh subtracts.
struct Pattern {
  int offset[kLanes];
};

__device__ __forceinline__ int own(const Pattern& pattern) {
  int offset = -1;
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    if (threadIdx.x == lane) offset = pattern.offset[lane];
  }
  return offset;
}

#define LOAD_GLOBAL(NAME, PTX, ...)                                                      \
  __global__ void NAME(const __grid_constant__ Pattern pattern, unsigned char* memory) { \
    const int offset = own(pattern);                                                     \
    unsigned a = 0, b = 0, c = 0, d = 0;                                                 \
    if (offset >= 0) asm volatile(PTX : __VA_ARGS__ : "l"(memory + offset) : "memory");  \
    asm volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d));                                   \
    if (a + b + c + d == 12345) __trap();                                                \
  }
LOAD_GLOBAL(global_load_1, "{.reg .u16 t; ld.global.u8 t, [%1]; cvt.u32.u16 %0, t;}", "=r"(a))
LOAD_GLOBAL(global_load_2, "{.reg .u16 t; ld.global.u16 t, [%1]; cvt.u32.u16 %0, t;}", "=r"(a))
LOAD_GLOBAL(global_load_4, "ld.global.u32 %0, [%1];", "=r"(a))
LOAD_GLOBAL(global_load_8, "ld.global.v2.u32 {%0, %1}, [%2];", "=r"(a), "=r"(b))
LOAD_GLOBAL(global_load_16, "ld.global.v4.u32 {%0, %1, %2, %3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))
LOAD_GLOBAL(global_load_nc_16, "ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];", "=r"(a), "=r"(b), "=r"(c), "=r"(d))
LOAD_GLOBAL(global_atomic_4, "atom.global.add.u32 %0, [%1], 1;", "=r"(a))

#define STORE_GLOBAL(NAME, PTX)                                                          \
  __global__ void NAME(const __grid_constant__ Pattern pattern, unsigned char* memory) { \
    const int offset = own(pattern);                                                     \
    if (offset >= 0) asm volatile(PTX ::"l"(memory + offset), "r"(1) : "memory");        \
  }
STORE_GLOBAL(global_store_2, "{.reg .u16 t; cvt.u16.u32 t, %1; st.global.u16 [%0], t;}")
STORE_GLOBAL(global_store_4, "st.global.u32 [%0], %1;")
STORE_GLOBAL(global_store_8, "st.global.v2.u32 [%0], {%1, %1};")
STORE_GLOBAL(global_store_16, "st.global.v4.u32 [%0], {%1, %1, %1, %1};")
STORE_GLOBAL(global_reduction_4, "red.global.add.u32 [%0], %1;")

#define COPY_ASYNC(NAME, HOW, BYTES)                                                                           \
  __global__ void NAME(const __grid_constant__ Pattern from, const __grid_constant__ Pattern to,               \
                       unsigned char* memory) {                                                                \
    extern __shared__ __align__(1024) unsigned char shared[];                                                  \
    const int source = own(from);                                                                              \
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(shared)) + own(to);                 \
    if (source >= 0)                                                                                           \
      asm volatile("cp.async." HOW ".shared.global [%0], [%1], " BYTES ";" ::"r"(target), "l"(memory + source) \
                   : "memory");                                                                                \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                           \
  }
COPY_ASYNC(copy_async_ca_4, "ca", "4")
COPY_ASYNC(copy_async_ca_8, "ca", "8")
COPY_ASYNC(copy_async_ca_16, "ca", "16")
COPY_ASYNC(copy_async_cg_16, "cg", "16")

// A word of local memory, at an index that the compiler cannot know.
__global__ void local_store_load(const __grid_constant__ Pattern pattern, unsigned char*) {
  volatile unsigned words[64];
  const int index = own(pattern) / 4 % 64;
  words[index] = threadIdx.x;
  if (words[63 - index] == 0x12345) __trap();
}

#define MULTIPLY(NAME, TYPE, WORDS_A, ...)                                \
  __global__ void NAME(unsigned* out) {                                   \
    unsigned d0 = 0, d1 = 0, d2 = 0, d3 = 0, a = threadIdx.x;             \
    asm volatile(TYPE : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3) : "r"(a)); \
    out[threadIdx.x] = d0 + d1 + d2 + d3;                                 \
  }
MULTIPLY(mma_f16_m16n8k16,
         "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};", 4)
MULTIPLY(mma_f16_m16n8k8,
         "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};", 2)
MULTIPLY(mma_bf16_m16n8k16,
         "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};", 4)
MULTIPLY(mma_tf32_m16n8k8,
         "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};", 4)
MULTIPLY(mma_tf32_m16n8k4,
         "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};", 4)
MULTIPLY(mma_fp8_m16n8k32,
         "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};", 4)
MULTIPLY(mma_s8_m16n8k32,
         "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};", 4)
MULTIPLY(mma_s8_m16n8k16,
         "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%4}, {%4}, {%0,%1,%2,%3};", 4)
__global__ void mma_f64_m8n8k4(double* out) {
  double d0 = 0, d1 = 0, a = threadIdx.x;
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};"
               : "+d"(d0), "+d"(d1)
               : "d"(a));
  out[threadIdx.x] = d0 + d1;
}

struct Named {
  std::string name;
  Offsets offsets;
};

template <class F>
Offsets make(F offset) {
  Offsets offsets(kLanes);
  for (int lane = 0; lane < kLanes; ++lane) offsets[static_cast<size_t>(lane)] = offset(lane);
  return offsets;
}

// Patterns of accesses of `bytes` bytes inside `limit` bytes.
std::vector<Named> patterns(int bytes, int limit) {
  std::vector<Named> all;
  const auto add = [&](const std::string& name, auto offset) { all.push_back({name, make(offset)}); };
  for (const int stride : {1, 2, 3, 4, 8, 16, 32, 33}) {
    add("stride" + std::to_string(stride),
        [=](int lane) { return lane * stride * bytes % (limit - 16) / bytes * bytes; });
  }
  add("broadcast", [=](int) { return 0; });
  add("reversed", [=](int lane) { return (31 - lane) * bytes; });
  add("shifted_by_one", [=](int lane) { return (lane + 1) * bytes; });
  add("pairs_share", [=](int lane) { return lane / 2 * bytes; });
  add("fours_share", [=](int lane) { return lane / 4 * bytes; });
  add("alternate", [=](int lane) { return lane % 2 * bytes; });
  add("halves_share", [=](int lane) { return lane % 16 * bytes; });
  add("quarters_share", [=](int lane) { return lane % 8 * bytes; });
  add("every_second_pair_shares", [=](int lane) { return (lane / 4 * 2 + lane % 2) * bytes; });
  add("pairs_share_wide", [=](int lane) { return lane / 2 * 128; });
  add("rows_of_128", [=](int lane) { return lane % 8 * 128 + lane / 8 * bytes; });
  add("rows_of_144", [=](int lane) { return lane % 8 * 144 + lane / 8 * bytes; });
  add("even_lanes", [=](int lane) { return lane % 2 == 0 ? lane * bytes : -1; });
  add("first_lane", [=](int lane) { return lane == 0 ? 64 : -1; });
  add("first_eight", [=](int lane) { return lane < 8 ? lane * bytes : -1; });
  add("first_eight_same_bank", [=](int lane) { return lane < 8 ? lane * 128 : -1; });
  add("one_of_each_quarter", [=](int lane) { return lane % 8 == 0 ? lane / 8 * bytes : -1; });
  add("one_of_each_quarter_same_bank", [=](int lane) { return lane % 8 == 0 ? lane * 128 : -1; });
  add("lane_0_and_31", [=](int lane) { return lane == 0 || lane == 31 ? lane * bytes : -1; });
  std::mt19937 random(7);
  for (int i = 0; i < 4; ++i) {
    for (const int range : {16, 64, 512}) {
      const Offsets offsets =
          make([&](int) { return static_cast<int>(random() % static_cast<unsigned>(range)) * bytes; });
      all.push_back({"random_" + std::to_string(range), offsets});
    }
    const Offsets holes = make([&](int) {
      const bool takes_part = random() % 2 == 0;
      const int offset = static_cast<int>(random() % 64u) * bytes;
      return takes_part ? offset : -1;
    });
    all.push_back({"random_64_half_of_the_lanes", holes});
    const Offsets pairs = make([&](int) { return 0; });
    Offsets shared_pairs = pairs;
    for (size_t lane = 0; lane < kLanes; lane += 2) {
      shared_pairs[lane] = shared_pairs[lane + 1] = static_cast<int>(random() % 64u) * bytes;
    }
    all.push_back({"random_64_pairs_share", shared_pairs});
  }
  return all;
}

std::string g_kernels;  // only those whose names are in it; empty: all
size_t g_step = 1;      // only every n-th pattern

bool wanted(const std::string& kernel) {
  return g_kernels.empty() || ("," + g_kernels + ",").find("," + kernel + ",") != std::string::npos;
}

std::vector<Named> thinned(std::vector<Named> all) {
  std::vector<Named> kept;
  for (size_t i = 0; i < all.size(); i += g_step) kept.push_back(all[i]);
  return kept;
}

void print(const char* kernel, const Named& pattern) {
  std::printf("%s %s", kernel, pattern.name.c_str());
  for (const int offset : pattern.offsets) std::printf(" %d", offset);
  std::printf("\n");
}

Pattern as_parameter(const Offsets& offsets) {
  Pattern pattern;
  for (int lane = 0; lane < kLanes; ++lane) pattern.offset[lane] = offsets[static_cast<size_t>(lane)];
  return pattern;
}

int* g_offsets = nullptr;
unsigned* g_out = nullptr;
unsigned char* g_memory = nullptr;

using SharedKernel = void (*)(const int*, unsigned*);
void run_shared(const char* name, SharedKernel kernel, const std::vector<Named>& all) {
  if (!wanted(name)) return;
  for (const Named& pattern : thinned(all)) {
    print(name, pattern);
    cudaMemcpy(g_offsets, pattern.offsets.data(), sizeof(int) * kLanes, cudaMemcpyHostToDevice);
    kernel<<<1, kLanes, kSharedBytes>>>(g_offsets, g_out);
  }
}

using GlobalKernel = void (*)(Pattern, unsigned char*);
void run_global(const char* name, GlobalKernel kernel, const std::vector<Named>& all) {
  if (!wanted(name)) return;
  for (const Named& pattern : thinned(all)) {
    print(name, pattern);
    kernel<<<1, kLanes>>>(as_parameter(pattern.offsets), g_memory);
  }
}

using CopyKernel = void (*)(Pattern, Pattern, unsigned char*);
void run_copy(const char* name, CopyKernel kernel, int bytes) {
  if (!wanted(name)) return;
  const std::vector<Named> sources = thinned(patterns(bytes, kGlobalBytes));
  const std::vector<Named> targets = thinned(patterns(bytes, kSharedBytes));
  // Every source with an even target, then an even source with every target that gives all lanes a place.
  const Named even = targets.front();
  for (const Named& source : sources) {
    print(name, source);
    kernel<<<1, kLanes, kSharedBytes>>>(as_parameter(source.offsets), as_parameter(even.offsets), g_memory);
  }
  for (const Named& target : targets) {
    bool complete = true;
    for (const int offset : target.offsets) complete &= offset >= 0;
    if (!complete) continue;
    print((std::string(name) + "_to").c_str(), target);
    kernel<<<1, kLanes, kSharedBytes>>>(as_parameter(sources.front().offsets), as_parameter(target.offsets), g_memory);
  }
}

std::vector<Named> matrix_patterns() {
  std::vector<Named> all;
  all.push_back({"rows_of_16", make([](int lane) { return lane * 16; })});
  all.push_back({"rows_of_32", make([](int lane) { return lane * 32; })});
  all.push_back({"rows_of_64", make([](int lane) { return lane * 64; })});
  all.push_back({"rows_of_128", make([](int lane) { return lane * 128; })});
  all.push_back({"rows_of_144", make([](int lane) { return lane * 144; })});
  all.push_back({"rows_of_80", make([](int lane) { return lane * 80; })});
  all.push_back({"swizzled_rows_of_128", make([](int lane) { return lane * 128 + (lane % 8) * 16; })});
  all.push_back({"swizzled_rows_of_64", make([](int lane) { return lane * 64 + ((lane / 2) % 4) * 16; })});
  all.push_back({"broadcast", make([](int) { return 0; })});
  all.push_back({"tile_of_16_rows", make([](int lane) { return lane % 16 * 128 + lane / 16 * 16; })});
  all.push_back({"all_matrices_the_same", make([](int lane) { return lane % 8 * 16; })});
  std::mt19937 random(11);
  for (int i = 0; i < 6; ++i) {
    const Offsets offsets = make([&](int) { return static_cast<int>(random() % 64u) * 16; });
    all.push_back({"random_64", offsets});
  }
  return all;
}

}  // namespace

int main(int count, char** values) {
  const std::string group = count > 1 ? values[1] : "shared";
  if (count > 2) g_kernels = values[2];
  if (count > 3) g_step = static_cast<size_t>(std::max(1, std::atoi(values[3])));
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  cudaMalloc(&g_offsets, sizeof(int) * kLanes);
  cudaMalloc(&g_out, 4096);
  cudaMalloc(&g_memory, kGlobalBytes);
  cudaMemset(g_memory, 0, kGlobalBytes);
  if (group == "shared") {
#define SHARED(NAME, BYTES) run_shared(#NAME, NAME, patterns(BYTES, kSharedBytes))
    SHARED(shared_load_1, 1);
    SHARED(shared_load_2, 2);
    SHARED(shared_load_4, 4);
    SHARED(shared_load_8, 8);
    SHARED(shared_load_16, 16);
    SHARED(shared_store_2, 2);
    SHARED(shared_store_4, 4);
    SHARED(shared_store_8, 8);
    SHARED(shared_store_16, 16);
    SHARED(shared_atomic_4, 4);
#define MATRIX(NAME) run_shared(#NAME, NAME, matrix_patterns())
    MATRIX(load_matrix_x1);
    MATRIX(load_matrix_x2);
    MATRIX(load_matrix_x4);
    MATRIX(load_matrix_x4_trans);
    MATRIX(store_matrix_x4);
  }
  if (group == "global") {
#define GLOBAL(NAME, BYTES) run_global(#NAME, NAME, patterns(BYTES, kGlobalBytes))
    GLOBAL(global_load_1, 1);
    GLOBAL(global_load_2, 2);
    GLOBAL(global_load_4, 4);
    GLOBAL(global_load_8, 8);
    GLOBAL(global_load_16, 16);
    GLOBAL(global_load_nc_16, 16);
    GLOBAL(global_store_2, 2);
    GLOBAL(global_store_4, 4);
    GLOBAL(global_store_8, 8);
    GLOBAL(global_store_16, 16);
    GLOBAL(global_atomic_4, 4);
    GLOBAL(global_reduction_4, 4);
    GLOBAL(local_store_load, 4);
  }
  if (group == "copy") {
    run_copy("copy_async_ca_4", copy_async_ca_4, 4);
    run_copy("copy_async_ca_8", copy_async_ca_8, 8);
    run_copy("copy_async_ca_16", copy_async_ca_16, 16);
    run_copy("copy_async_cg_16", copy_async_cg_16, 16);
  }
  if (group == "tensor") {
#define TENSOR(NAME) std::printf("%s\n", #NAME), NAME<<<1, kLanes>>>(g_out)
    TENSOR(mma_f16_m16n8k16);
    TENSOR(mma_f16_m16n8k8);
    TENSOR(mma_bf16_m16n8k16);
    TENSOR(mma_tf32_m16n8k8);
    TENSOR(mma_tf32_m16n8k4);
    TENSOR(mma_fp8_m16n8k32);
    TENSOR(mma_s8_m16n8k32);
    TENSOR(mma_s8_m16n8k16);
    std::printf("mma_f64_m8n8k4\n"), mma_f64_m8n8k4<<<1, kLanes>>>(reinterpret_cast<double*>(g_out));
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 1;
}
