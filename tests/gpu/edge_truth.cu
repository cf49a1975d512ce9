// SPDX-License-Identifier: MIT
// Asks a GPU about the edges that random operands of tensor_truth.cu rarely meet: which NaN wins and what becomes of
// its payload, results just below the normal range under .ftz, division by zero, bit fields of absurd length, and where
// a tensor core stops aligning tiny products. Prints the same format, for truth_test.cpp.
//
//   nvcc -std=c++17 -O1 --extended-lambda -arch=sm_90 -o edge_truth tests/gpu/edge_truth.cu
//   ./edge_truth > tests/vgpu/semantics/truth_h200_edges.txt
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using List = std::vector<uint64_t>;
using type_h = unsigned short;
using type_r = uint32_t;
using type_l = unsigned long long;

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

int digits_of(char constraint) {
  return constraint == 'h' ? 4 : constraint == 'r' ? 8 : 16;
}

template <class Op>
__global__ void scalar_kernel(int count, const uint64_t* in, uint64_t* out, Op op) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = op(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
}

// Every combination of the lists' values.
template <class Op>
void run_all(const char* name, const char* types, char result, const std::vector<List>& lists, Op op) {
  std::vector<uint64_t> in;
  const List one = {0};
  const List &a = lists[0], &b = lists.size() > 1 ? lists[1] : one, &c = lists.size() > 2 ? lists[2] : one;
  for (uint64_t x : a)
    for (uint64_t y : b)
      for (uint64_t z : c) in.insert(in.end(), {x, y, z});
  const int count = int(in.size() / 3);
  std::vector<uint64_t> out(count);
  uint64_t *gin, *gout;
  check(cudaMalloc(&gin, in.size() * 8));
  check(cudaMalloc(&gout, out.size() * 8));
  check(cudaMemcpy(gin, in.data(), in.size() * 8, cudaMemcpyHostToDevice));
  scalar_kernel<<<(count + 127) / 128, 128>>>(count, gin, gout, op);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), gout, out.size() * 8, cudaMemcpyDeviceToHost));
  check(cudaFree(gin));
  check(cudaFree(gout));
  std::printf("op %s %d\n", name, int(lists.size()));
  for (int i = 0; i < count; ++i) {
    for (size_t k = 0; k < lists.size(); ++k)
      std::printf("%0*llx ", digits_of(types[k]), static_cast<unsigned long long>(in[3 * i + k]));
    std::printf("%0*llx\n", digits_of(result), static_cast<unsigned long long>(out[i]));
  }
}

#define OP1(D, A, NAME, ...)                                                            \
  run_all(NAME, #A, *#D, {__VA_ARGS__}, [] __device__(uint64_t a, uint64_t, uint64_t) { \
    type_##D d;                                                                         \
    asm volatile(NAME " %0, %1;" : "=" #D(d) : #A((type_##A)a));                        \
    return (uint64_t)d;                                                                 \
  })
#define OP2(D, A, B, NAME, ...)                                                              \
  run_all(NAME, #A #B, *#D, {__VA_ARGS__}, [] __device__(uint64_t a, uint64_t b, uint64_t) { \
    type_##D d;                                                                              \
    asm volatile(NAME " %0, %1, %2;" : "=" #D(d) : #A((type_##A)a), #B((type_##B)b));        \
    return (uint64_t)d;                                                                      \
  })
#define OP3(D, A, B, C, NAME, ...)                                                                         \
  run_all(NAME, #A #B #C, *#D, {__VA_ARGS__}, [] __device__(uint64_t a, uint64_t b, uint64_t c) {          \
    type_##D d;                                                                                            \
    asm volatile(NAME " %0, %1, %2, %3;" : "=" #D(d) : #A((type_##A)a), #B((type_##B)b), #C((type_##C)c)); \
    return (uint64_t)d;                                                                                    \
  })

// Different payloads for each operand, so that the result tells which one it came from.
List doubles(uint64_t mark) {
  return {0,
          0x3ff8000000000000u,
          0xbff8000000000000u,
          0x7ff0000000000000u,
          0xfff0000000000000u,
          0x7ff8000000000000u | mark << 40,
          0xfff8000000000000u | mark << 32 | mark,
          0x7ff0000000000000u | mark << 48 | mark << 36,
          0xfff0000000000000u | mark};
}
const List kNan64 = {0x7ff8000000000000u, 0xfff8000000000000u, 0x7ff0000000000001u, 0xfff0000000000001u,
                     0x7ff8123456789abcu, 0xfff4fedcba987654u, 0x7fffffffffffffffu, 0xfff0000020000000u,
                     0x7ff0040000000000u, 0x7ff0020000000000u, 0x7ff0000000000000u, 0xfff0000000000000u};
const List kNan32 = {0x7fc00000u, 0xffc00000u, 0x7f800001u, 0xff800001u, 0x7f801000u, 0x7f801fffu, 0x7f802000u,
                     0xff812345u, 0x7fd2fedcu, 0x7fffefffu, 0x7ffff000u, 0x7fffffffu, 0xffffffffu, 0x7f800000u,
                     0xff800000u, 0x7f7fffffu, 0xff7fefffu, 0x7f7ff000u, 0x7f7fe000u};
const List kNan16 = {0x7e00, 0xfe00, 0x7c01, 0xfc01, 0x7d55, 0xfeaa, 0x7fff, 0xffff, 0x7c00, 0xfc00, 0x8001, 0x0001};
const List kNanB16 = {0x7fc0, 0xffc0, 0x7f81, 0xff81, 0x7fd5, 0xffaa, 0x7fff, 0xffff, 0x7f80, 0xff80, 0x8001, 0x0001};

void signs() {
  OP1(r, r, "neg.f32", kNan32);
  OP1(r, r, "abs.ftz.f32", kNan32);
  OP1(l, l, "neg.f64", kNan64);
  OP1(l, l, "abs.f64", kNan64);
  OP1(h, h, "neg.f16", kNan16);
  OP1(h, h, "abs.f16", kNan16);
  OP1(h, h, "abs.ftz.f16", kNan16);
  OP1(h, h, "neg.bf16", kNanB16);
  OP1(h, h, "abs.bf16", kNanB16);
  OP1(r, r, "neg.f16x2", List({0x7e007e00, 0xfc01fe00, 0x3c007fff}));
  OP1(r, r, "abs.f16x2", List({0x7e007e00, 0xfc01fe00, 0xbc007fff}));
  OP1(r, r, "neg.bf16x2", List({0x7fc07fc0, 0xff81ffc0, 0x3f807fff}));
  OP1(r, r, "abs.bf16x2", List({0x7fc07fc0, 0xff81ffc0, 0xbf807fff}));
  OP2(r, r, r, "copysign.f32", kNan32, kNan32);
  OP2(l, l, l, "copysign.f64", kNan64, kNan64);
}

void doubles_arithmetic() {
  OP2(l, l, l, "add.rn.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "add.rz.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "sub.rn.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "sub.rm.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "mul.rn.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "mul.rm.f64", doubles(0xa), doubles(0xb));
  OP3(l, l, l, l, "fma.rn.f64", doubles(0xa), doubles(0xb), doubles(0xc));
  OP3(l, l, l, l, "fma.rp.f64", doubles(0xa), doubles(0xb), doubles(0xc));
  OP2(l, l, l, "div.rn.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "div.rz.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "min.f64", doubles(0xa), doubles(0xb));
  OP2(l, l, l, "max.f64", doubles(0xa), doubles(0xb));
  OP1(l, l, "rcp.rn.f64", doubles(0xa));
  OP1(l, l, "rcp.rm.f64", doubles(0xa));
  OP1(l, l, "sqrt.rn.f64", doubles(0xa));
  OP1(l, l, "sqrt.rz.f64", doubles(0xa));
  OP1(l, l, "rcp.approx.ftz.f64", kNan64);
  OP1(l, l, "rsqrt.approx.ftz.f64", kNan64);
  OP1(l, l, "rsqrt.approx.f64", kNan64);
  OP1(l, l, "rsqrt.approx.f64",
      List({0, 0x8000000000000000u, 1, 0x8000000000000001u, 0x000fffffffffffffu, 0xbff0000000000000u,
            0xffefffffffffffffu, 0x7fefffffffffffffu}));
}

void conversions() {
  OP1(r, l, "cvt.rn.f32.f64", kNan64);
  OP1(r, l, "cvt.rp.ftz.f32.f64", kNan64);
  OP1(r, l, "cvt.rm.sat.f32.f64", kNan64);
  OP1(h, l, "cvt.rn.f16.f64", kNan64);
  OP1(h, l, "cvt.rn.bf16.f64", kNan64);
  OP1(l, r, "cvt.f64.f32", kNan32);
  OP1(l, r, "cvt.ftz.f64.f32", kNan32);
  OP1(l, r, "cvt.sat.f64.f32", kNan32);
  OP1(l, h, "cvt.f64.f16", kNan16);
  OP1(l, h, "cvt.sat.f64.f16", kNan16);
  OP1(l, h, "cvt.f64.bf16", kNanB16);
  OP1(r, h, "cvt.f32.f16", kNan16);
  OP1(r, h, "cvt.sat.f32.f16", kNan16);
  OP1(r, h, "cvt.f32.bf16", kNanB16);
  OP1(h, r, "cvt.rn.f16.f32", kNan32);
  OP1(h, r, "cvt.rn.bf16.f32", kNan32);
  OP1(h, r, "cvt.rz.bf16.f32", kNan32);
  OP1(h, h, "cvt.rn.bf16.f16", kNan16);
  OP1(h, h, "cvt.rn.f16.bf16", kNanB16);
  OP1(r, r, "cvt.rna.tf32.f32", kNan32);
  OP1(r, r, "cvt.rn.tf32.f32", kNan32);
  OP1(r, r, "cvt.rz.tf32.f32", kNan32);
  OP1(r, r, "cvt.rn.relu.tf32.f32", kNan32);
  OP1(r, r, "cvt.rni.f32.f32", kNan32);
  OP1(r, r, "cvt.sat.f32.f32", kNan32);
  OP1(l, l, "cvt.rni.f64.f64", kNan64);
  OP1(l, l, "cvt.rzi.f64.f64", kNan64);
  OP1(h, h, "cvt.rni.f16.f16", kNan16);
  OP1(h, h, "cvt.rni.bf16.bf16", kNanB16);
}

// Exact results within half a unit below the smallest normal number: rounded to it, or flushed?
void flushes() {
  const List below = {0x00ffffff, 0x80ffffff, 0x00fffffe, 0x00800001, 0x00800000, 0x007fffff, 0x01000001};
  const List by = {0x3f000000, 0xbf000000, 0x3f7fffff, 0x3f7ffffe, 0x3f800001, 0x3f800000, 0x3effffff};
  const List divisors = {0x40000000, 0xc0000000, 0x3f800001, 0x3f800002, 0x3f800000};
  OP2(r, r, r, "mul.rn.ftz.f32", below, by);
  OP2(r, r, r, "mul.rz.ftz.f32", below, by);
  OP2(r, r, r, "mul.rm.ftz.f32", below, by);
  OP2(r, r, r, "mul.rp.ftz.f32", below, by);
  OP3(r, r, r, r, "fma.rn.ftz.f32", below, by, List({0, 0x80000000u, 0x80800000u, 0x00800000u}));
  OP3(r, r, r, r, "fma.rm.ftz.f32", below, by, List({0, 0x80000000u}));
  OP2(r, r, r, "div.rn.ftz.f32", below, divisors);
  OP2(r, r, r, "div.rz.ftz.f32", below, divisors);
  OP2(r, r, r, "div.rp.ftz.f32", below, divisors);
  OP2(r, r, r, "div.approx.ftz.f32", below, divisors);
  OP2(r, r, r, "div.full.ftz.f32", below, divisors);
  const List huge = {0x7e800000, 0x7e800001, 0x7e7fffff, 0xfe800000, 0x7f000000, 0x7e800002};
  OP1(r, r, "rcp.rn.ftz.f32", huge);
  OP1(r, r, "rcp.rp.ftz.f32", huge);
  OP1(r, r, "rcp.approx.ftz.f32", huge);
  const List halves = {0x07ff, 0x87ff, 0x07fe, 0x0401, 0x0400, 0x03ff, 0x0801};
  const List half_by = {0x3800, 0xb800, 0x3bff, 0x3bfe, 0x3c01, 0x3c00, 0x37ff};
  OP2(h, h, h, "mul.rn.ftz.f16", halves, half_by);
  OP3(h, h, h, h, "fma.rn.ftz.f16", halves, half_by, List({0, 0x8000, 0x8400, 0x0400}));
  OP3(h, h, h, h, "fma.rn.f16", halves, half_by, List({0, 0x8000, 0x8400, 0x0400}));
  const List doubles = {0x380fffffffffffffu, 0x380fffffe0000000u, 0x380fffffefffffffu, 0x380ffffff0000000u,
                        0x380fffffcfffffffu, 0xb80fffffffffffffu, 0x3810000000000000u};
  OP1(r, l, "cvt.rn.ftz.f32.f64", doubles);
  OP1(r, l, "cvt.rp.ftz.f32.f64", doubles);
  OP1(r, r, "ex2.approx.ftz.f32", List({0xc2fbffffu, 0xc2fc0000u, 0xc2fc0001u, 0xc3150000u, 0xc3160000u, 0xc3160001u}));
  OP1(r, r, "ex2.approx.f32",
      List({0xc2fbffffu, 0xc2fc0000u, 0xc2fc0001u, 0xc3150000u, 0xc3158000u, 0xc3160000u, 0xc3160001u, 0xc3170000u,
            0x42ffffffu, 0x43000000u}));
  OP1(r, r, "sin.approx.ftz.f32", List({1, 0x007fffff, 0x00800000, 0x00800001, 0x80000000u, 0x00ffffff}));
  OP1(r, r, "sin.approx.f32", List({1, 0x007fffff, 0x00800000, 0x00800001, 0x80000000u, 0x00ffffff}));
  OP1(r, r, "tanh.approx.f32", List({1, 0x007fffff, 0x00800000, 0x00800001, 0x80000000u, 0x00ffffff}));
  OP1(r, r, "rsqrt.approx.f32", List({1, 0x007fffff, 0x80000001u, 0x80000000u, 0, 0xbf800000u, 0x7f7fffff}));
  OP1(r, r, "rsqrt.approx.ftz.f32", List({1, 0x007fffff, 0x80000001u, 0x80000000u, 0, 0xbf800000u, 0x7f7fffff}));
  OP1(r, r, "sqrt.approx.ftz.f32", List({1, 0x007fffff, 0x80000001u, 0x80000000u, 0, 0xbf800000u, 0x7f7fffff}));
  OP1(r, r, "lg2.approx.f32", List({1, 0x007fffff, 0x80000001u, 0x80000000u, 0, 0xbf800000u, 0x3f800000}));
  OP1(r, r, "lg2.approx.ftz.f32", List({1, 0x007fffff, 0x80000001u, 0x80000000u, 0, 0xbf800000u, 0x3f800000}));
}

List range(uint64_t first, uint64_t last, uint64_t step) {
  List list;
  for (uint64_t i = first; i <= last; i += step) list.push_back(i);
  return list;
}

void tiny_halves() {
  OP1(h, h, "ex2.approx.f16", range(0xcac0, 0xce80, 5));
  OP1(h, h, "ex2.approx.ftz.bf16", range(0xc2f8, 0xc320, 1));
}

void integers() {
  const List at = {0, 4, 31, 32, 33, 63, 64, 100, 255, 256, 260, 0x80000004u, 0xffffffffu};
  OP3(r, r, r, r, "bfe.u32", List({0x87654321u}), at, at);
  OP3(r, r, r, r, "bfe.s32", List({0x87654321u, 0x12345678}), at, at);
  OP3(l, l, r, r, "bfe.u64", List({0x8765432112345678u}), at, at);
  OP3(l, l, r, r, "bfe.s64", List({0x8765432112345678u, 0x1765432192345678u}), at, at);
  run_all("bfi.b32", "rrr", 'r', {List({0x87654321u}), at, at}, [] __device__(uint64_t a, uint64_t b, uint64_t c) {
    uint32_t d;
    asm volatile("bfi.b32 %0, %1, %2, %3, %4;"
                 : "=r"(d)
                 : "r"((uint32_t)a), "r"(~(uint32_t)a), "r"((uint32_t)b), "r"((uint32_t)c));
    return (uint64_t)d;
  });
  run_all("bfi.b64", "lrr", 'l', {List({0x8765432112345678u}), at, at},
          [] __device__(uint64_t a, uint64_t b, uint64_t c) {
            uint64_t d;
            asm volatile("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(d) : "l"(a), "l"(~a), "r"((uint32_t)b), "r"((uint32_t)c));
            return d;
          });
  const List narrow = {0, 1, 5, 0xfffb, 0x8000, 0x7fff, 0xffff},
             few = {0, 1, 5, 0xfffffffbu, 0x80000000u, 0x7fffffff, 0xffffffffu};
  const List wide = {
      0, 1, 5, 0xfffffffffffffffbu, 0x8000000000000000u, 0x7fffffffffffffffu, ~uint64_t(0), 1ull << 32, 0xfffffffffull};
  OP2(h, h, h, "div.s16", narrow, narrow);
  OP2(h, h, h, "div.u16", narrow, narrow);
  OP2(h, h, h, "rem.s16", narrow, narrow);
  OP2(h, h, h, "rem.u16", narrow, narrow);
  OP2(r, r, r, "div.s32", few, few);
  OP2(r, r, r, "div.u32", few, few);
  OP2(r, r, r, "rem.s32", few, few);
  OP2(r, r, r, "rem.u32", few, few);
  OP2(l, l, l, "div.s64", wide, wide);
  OP2(l, l, l, "div.u64", wide, wide);
  OP2(l, l, l, "rem.s64", wide, wide);
  OP2(l, l, l, "rem.u64", wide, wide);
}

// --- the lowest alignment of a tensor core --------------------------------------------------------------------------

// 2^-149 less a product 2^-(150 + i + 16 j): zero where the small product still counts.
template <class Multiply>
__global__ void floor_kernel(uint32_t* d, Multiply multiply) {
  multiply(int(threadIdx.x) / 4, int(threadIdx.x) % 4, d);
}

__device__ uint32_t power(int exponent) {
  return uint32_t(exponent + 127) << 23;
}

template <class Multiply>
void run_floor(const char* name, int k, int digits, Multiply multiply) {
  uint32_t* gd;
  check(cudaMalloc(&gd, 128 * 4));
  floor_kernel<<<1, 32>>>(gd, multiply);
  uint32_t d[128];
  check(cudaMemcpy(d, gd, sizeof d, cudaMemcpyDeviceToHost));
  check(cudaFree(gd));
  const int drop = digits == 4 ? 16 : 0;
  const auto power_of = [&](int exponent) { return (uint32_t(exponent + 127) << 23) >> drop; };
  std::printf("mma %s 16 8 %d floor\na ", name, k);
  for (int i = 0; i < 16; ++i)
    for (int l = 0; l < k; ++l)
      std::printf("%0*x", digits, l == 0 ? power_of(-74) : l == 1 ? (0x80000000u >> drop) | power_of(-75 - i) : 0);
  std::printf("\nb ");
  for (int l = 0; l < k; ++l)
    for (int j = 0; j < 8; ++j)
      std::printf("%0*x", digits, l == 0 ? power_of(-75) : l == 1 ? power_of(-75 - 6 * j) : 0);
  std::printf("\nc ");
  for (int i = 0; i < 128; ++i) std::printf("%08x", 0);
  std::printf("\nd ");
  for (int i = 0; i < 128; ++i) std::printf("%08x", d[i]);
  std::printf("\n");
}

void floors() {
  run_floor("f32.bf16.bf16.f32", 16, 4, [] __device__(int group, int thread, uint32_t* d) {
    const bool first = thread == 0;
    const uint32_t a0 = first ? (power(-74) >> 16) | ((0x80000000u | power(-75 - group)) & 0xffff0000u) : 0;
    const uint32_t a1 = first ? (power(-74) >> 16) | ((0x80000000u | power(-75 - group - 8)) & 0xffff0000u) : 0;
    const uint32_t b0 = first ? (power(-75) >> 16) | (power(-75 - 6 * group) & 0xffff0000u) : 0;
    uint32_t r[4];
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%6}, {%7,%6}, {%6,%6,%6,%6};"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(a0), "r"(a1), "r"(0), "r"(b0));
    for (int i = 0; i < 4; ++i) d[(group + 8 * (i / 2)) * 8 + 2 * thread + i % 2] = r[i];
  });
  run_floor("f32.tf32.tf32.f32", 8, 8, [] __device__(int group, int thread, uint32_t* d) {
    const uint32_t a0 = thread == 0 ? power(-74) : thread == 1 ? 0x80000000u | power(-75 - group) : 0;
    const uint32_t a1 = thread == 0 ? power(-74) : thread == 1 ? 0x80000000u | power(-75 - group - 8) : 0;
    const uint32_t b0 = thread == 0 ? power(-75) : thread == 1 ? power(-75 - 6 * group) : 0;
    uint32_t r[4];
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%6}, {%7,%6}, {%6,%6,%6,%6};"
        : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
        : "r"(a0), "r"(a1), "r"(0), "r"(b0));
    for (int i = 0; i < 4; ++i) d[(group + 8 * (i / 2)) * 8 + 2 * thread + i % 2] = r[i];
  });
}

}  // namespace

int main() {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  std::printf("# %s, compute capability %d.%d\n", properties.name, properties.major, properties.minor);
  floors();
  signs();
  doubles_arithmetic();
  conversions();
  flushes();
  tiny_halves();
  integers();
  return 0;
}
