// SPDX-License-Identifier: MIT
// Asks a GPU what its instructions compute: tensor-core products and scalar arithmetic on seeded inputs that expose
// alignment, truncation, rounding, subnormal and special-value behaviour. Prints operands and results as hexadecimal
// lines, the format that tests/vgpu/semantics/truth_test.cpp compares with the virtual GPU bit by bit.
//
//   nvcc -std=c++17 -O1 --extended-lambda -arch=sm_90 -o tensor_truth tests/gpu/tensor_truth.cu
//   ./tensor_truth > tests/vgpu/semantics/truth_h200.txt
//   ./tensor_truth 40 > more.txt          # 40 times as many vectors; ASSAY_TRUTH_FILE=more.txt test_vgpu
//
// Format: "mma NAME M N K KIND" followed by four lines of row-major matrices "a HEX", "b HEX", "c HEX", "d HEX" (every
// element with the digits of its width), or "op NAME ARITY" followed by one line per vector: operands, then the result.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "truth_inputs.cuh"

namespace {

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "CUDA: %s\n", cudaGetErrorString(status));
  std::exit(1);
}

// --- matrices -------------------------------------------------------------------------------------------------------

// How one mma instruction lays its operands out: a register of A or B holds 32 / bits elements along k.
struct Shape {
  const char* name;
  int m, n, k;
  int bits;              // of one element of A and B
  int accumulator_bits;  // of one element of C and D: 16, 32 or 64
  Format a, b, c;
};

// Up to four registers of A, two of B, four of C and D, each 32 bits (64 for f64).
struct Fragments {
  uint64_t a[4], b[2], c[4];
};

__device__ uint64_t element(const uint64_t* matrix, int columns, int row, int column) {
  return matrix[row * columns + column];
}

__device__ Fragments load(const Shape& shape, const uint64_t* a, const uint64_t* b, const uint64_t* c) {
  const int group = int(threadIdx.x) / 4, thread = int(threadIdx.x) % 4;
  Fragments f{};
  if (shape.bits == 64) {
    f.a[0] = element(a, shape.k, group, thread);
    f.b[0] = element(b, shape.n, thread, group);
    for (int i = 0; i < 2; ++i) f.c[i] = element(c, shape.n, group, 2 * thread + i);
    return f;
  }
  const int each = 32 / shape.bits;
  for (int r = 0; r < 2 * shape.k / (4 * each); ++r)
    for (int i = 0; i < each; ++i)
      f.a[r] |= element(a, shape.k, group + 8 * (r & 1), thread * each + i + (r >> 1) * 4 * each) << (i * shape.bits);
  for (int r = 0; r < shape.k / (4 * each); ++r)
    for (int i = 0; i < each; ++i)
      f.b[r] |= element(b, shape.n, thread * each + i + r * 4 * each, group) << (i * shape.bits);
  for (int r = 0; r < 4; ++r) {
    const uint64_t value = element(c, shape.n, group + 8 * (r / 2), 2 * thread + r % 2);
    if (shape.accumulator_bits == 16)
      f.c[r / 2] |= value << (16 * (r % 2));
    else
      f.c[r] = value;
  }
  return f;
}

__device__ void store(const Shape& shape, const Fragments& f, uint64_t* d) {
  const int group = int(threadIdx.x) / 4, thread = int(threadIdx.x) % 4;
  for (int r = 0; r < (shape.bits == 64 ? 2 : 4); ++r) {
    const uint64_t value = shape.accumulator_bits == 16 ? (f.c[r / 2] >> (16 * (r % 2))) & 0xffff : f.c[r];
    d[(group + 8 * (r / 2)) * shape.n + 2 * thread + r % 2] = value;
  }
}

template <class Multiply>
__global__ void multiply_kernel(Shape shape, const uint64_t* a, const uint64_t* b, const uint64_t* c, uint64_t* d,
                                Multiply multiply) {
  const int i = int(blockIdx.x);
  Fragments f = load(shape, a + i * shape.m * shape.k, b + i * shape.k * shape.n, c + i * shape.m * shape.n);
  multiply(f);
  store(shape, f, d + i * shape.m * shape.n);
}

void print_matrix(char letter, const uint64_t* values, int count, int bits) {
  std::printf("%c ", letter);
  for (int i = 0; i < count; ++i) std::printf("%0*llx", bits / 4, static_cast<unsigned long long>(values[i]));
  std::printf("\n");
}

template <class Multiply>
void run_matrix(const Shape& shape, int cases, Random& random, Multiply multiply) {
  const int a_size = shape.m * shape.k, b_size = shape.k * shape.n, c_size = shape.m * shape.n;
  std::vector<uint64_t> a(a_size * cases), b(b_size * cases), c(c_size * cases), d(c_size * cases);
  for (int i = 0; i < cases; ++i)
    fill_case(random, i, shape.m, shape.n, shape.k, shape.a, shape.b, shape.c, &a[a_size * i], &b[b_size * i],
              &c[c_size * i]);
  uint64_t *ga, *gb, *gc, *gd;
  check(cudaMalloc(&ga, a.size() * 8));
  check(cudaMalloc(&gb, b.size() * 8));
  check(cudaMalloc(&gc, c.size() * 8));
  check(cudaMalloc(&gd, d.size() * 8));
  check(cudaMemcpy(ga, a.data(), a.size() * 8, cudaMemcpyHostToDevice));
  check(cudaMemcpy(gb, b.data(), b.size() * 8, cudaMemcpyHostToDevice));
  check(cudaMemcpy(gc, c.data(), c.size() * 8, cudaMemcpyHostToDevice));
  multiply_kernel<<<cases, 32>>>(shape, ga, gb, gc, gd, multiply);
  check(cudaGetLastError());
  check(cudaMemcpy(d.data(), gd, d.size() * 8, cudaMemcpyDeviceToHost));
  for (uint64_t* p : {ga, gb, gc, gd}) check(cudaFree(p));
  for (int i = 0; i < cases; ++i) {
    std::printf("mma %s %d %d %d %s\n", shape.name, shape.m, shape.n, shape.k, kind_name(i));
    print_matrix('a', &a[a_size * i], a_size, shape.bits);
    print_matrix('b', &b[b_size * i], b_size, shape.bits);
    print_matrix('c', &c[c_size * i], c_size, shape.accumulator_bits);
    print_matrix('d', &d[c_size * i], c_size, shape.accumulator_bits);
  }
}

#define MMA_4_2_4(TEXT)                                                                                        \
  [] __device__(Fragments& f) {                                                                                \
    uint32_t d0, d1, d2, d3;                                                                                   \
    asm volatile("mma.sync.aligned." TEXT " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"         \
                 : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)                                                      \
                 : "r"(uint32_t(f.a[0])), "r"(uint32_t(f.a[1])), "r"(uint32_t(f.a[2])), "r"(uint32_t(f.a[3])), \
                   "r"(uint32_t(f.b[0])), "r"(uint32_t(f.b[1])), "r"(uint32_t(f.c[0])), "r"(uint32_t(f.c[1])), \
                   "r"(uint32_t(f.c[2])), "r"(uint32_t(f.c[3])));                                              \
    f.c[0] = d0, f.c[1] = d1, f.c[2] = d2, f.c[3] = d3;                                                        \
  }
#define MMA_2_1_4(TEXT)                                                                                        \
  [] __device__(Fragments& f) {                                                                                \
    uint32_t d0, d1, d2, d3;                                                                                   \
    asm volatile("mma.sync.aligned." TEXT " {%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10};"                     \
                 : "=r"(d0), "=r"(d1), "=r"(d2), "=r"(d3)                                                      \
                 : "r"(uint32_t(f.a[0])), "r"(uint32_t(f.a[1])), "r"(uint32_t(f.b[0])), "r"(uint32_t(f.c[0])), \
                   "r"(uint32_t(f.c[1])), "r"(uint32_t(f.c[2])), "r"(uint32_t(f.c[3])));                       \
    f.c[0] = d0, f.c[1] = d1, f.c[2] = d2, f.c[3] = d3;                                                        \
  }
#define MMA_4_2_2(TEXT)                                                                                         \
  [] __device__(Fragments& f) {                                                                                 \
    uint32_t d0, d1;                                                                                            \
    asm volatile("mma.sync.aligned." TEXT " {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9};"                          \
                 : "=r"(d0), "=r"(d1)                                                                           \
                 : "r"(uint32_t(f.a[0])), "r"(uint32_t(f.a[1])), "r"(uint32_t(f.a[2])), "r"(uint32_t(f.a[3])),  \
                   "r"(uint32_t(f.b[0])), "r"(uint32_t(f.b[1])), "r"(uint32_t(f.c[0])), "r"(uint32_t(f.c[1]))); \
    f.c[0] = d0, f.c[1] = d1;                                                                                   \
  }

void run_matrices(int scale) {
  Random random(0x7e1150);
  const Format f16 = Format::f16, bf16 = Format::bf16, f32 = Format::f32, e4m3 = Format::e4m3, e5m2 = Format::e5m2;
  run_matrix({"f32.f16.f16.f32", 16, 8, 16, 16, 32, f16, f16, f32}, 13 * scale, random,
             MMA_4_2_4("m16n8k16.row.col.f32.f16.f16.f32"));
  run_matrix({"f16.f16.f16.f16", 16, 8, 16, 16, 16, f16, f16, f16}, 11 * scale, random,
             MMA_4_2_2("m16n8k16.row.col.f16.f16.f16.f16"));
  run_matrix({"f32.f16.f16.f32", 16, 8, 8, 16, 32, f16, f16, f32}, 5 * scale, random,
             MMA_2_1_4("m16n8k8.row.col.f32.f16.f16.f32"));
  run_matrix({"f32.bf16.bf16.f32", 16, 8, 16, 16, 32, bf16, bf16, f32}, 11 * scale, random,
             MMA_4_2_4("m16n8k16.row.col.f32.bf16.bf16.f32"));
  run_matrix({"f32.tf32.tf32.f32", 16, 8, 8, 32, 32, f32, f32, f32}, 11 * scale, random,
             MMA_4_2_4("m16n8k8.row.col.f32.tf32.tf32.f32"));
  run_matrix({"f32.tf32.tf32.f32", 16, 8, 4, 32, 32, f32, f32, f32}, 1 * scale, random,
             MMA_2_1_4("m16n8k4.row.col.f32.tf32.tf32.f32"));
  run_matrix({"f32.e4m3.e4m3.f32", 16, 8, 32, 8, 32, e4m3, e4m3, f32}, 11 * scale, random,
             MMA_4_2_4("m16n8k32.row.col.f32.e4m3.e4m3.f32"));
  run_matrix({"f32.e5m2.e5m2.f32", 16, 8, 32, 8, 32, e5m2, e5m2, f32}, 11 * scale, random,
             MMA_4_2_4("m16n8k32.row.col.f32.e5m2.e5m2.f32"));
  run_matrix({"f32.e4m3.e5m2.f32", 16, 8, 32, 8, 32, e4m3, e5m2, f32}, 1 * scale, random,
             MMA_4_2_4("m16n8k32.row.col.f32.e4m3.e5m2.f32"));
  run_matrix({"s32.s8.s8.s32", 16, 8, 32, 8, 32, Format::integer8, Format::integer8, Format::integer32}, 1 * scale,
             random, MMA_4_2_4("m16n8k32.row.col.s32.s8.s8.s32"));
  run_matrix({"satfinite.s32.s8.u8.s32", 16, 8, 32, 8, 32, Format::integer8, Format::integer8, Format::integer32},
             1 * scale, random, MMA_4_2_4("m16n8k32.row.col.satfinite.s32.s8.u8.s32"));
  run_matrix({"f64.f64.f64.f64", 8, 8, 4, 64, 64, Format::f64, Format::f64, Format::f64}, 4 * scale, random,
             [] __device__(Fragments & f) {
               double d0, d1;
               asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%4,%5};"
                            : "=d"(d0), "=d"(d1)
                            : "d"(__longlong_as_double(f.a[0])), "d"(__longlong_as_double(f.b[0])),
                              "d"(__longlong_as_double(f.c[0])), "d"(__longlong_as_double(f.c[1])));
               f.c[0] = __double_as_longlong(d0), f.c[1] = __double_as_longlong(d1);
             });
}

// --- scalars --------------------------------------------------------------------------------------------------------

template <class Op>
__global__ void scalar_kernel(int count, const uint64_t* in, uint64_t* out, Op op) {
  const int i = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < count) out[i] = op(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
}

int width_of(char constraint) {
  return constraint == 'h' ? 16 : constraint == 'r' ? 32 : 64;
}

// `operands` names one input class per operand (see truth_inputs.cuh); `types` is the register class of each of them.
template <class Op>
void run_scalar(const char* name, const char* operands, const char* types, char result, int count, Random& random,
                Op op) {
  const int arity = int(std::string(operands).size());
  std::vector<uint64_t> in(3 * count), out(count);
  for (int i = 0; i < count; ++i)
    for (int k = 0; k < arity; ++k) in[3 * i + k] = scalar_input(random, operands[k], i, k);
  uint64_t *gin, *gout;
  check(cudaMalloc(&gin, in.size() * 8));
  check(cudaMalloc(&gout, out.size() * 8));
  check(cudaMemcpy(gin, in.data(), in.size() * 8, cudaMemcpyHostToDevice));
  scalar_kernel<<<(count + 127) / 128, 128>>>(count, gin, gout, op);
  check(cudaGetLastError());
  check(cudaMemcpy(out.data(), gout, out.size() * 8, cudaMemcpyDeviceToHost));
  check(cudaFree(gin));
  check(cudaFree(gout));
  std::printf("op %s %d\n", name, arity);
  for (int i = 0; i < count; ++i) {
    for (int k = 0; k < arity; ++k)
      std::printf("%0*llx ", width_of(types[k]) / 4, static_cast<unsigned long long>(in[3 * i + k]));
    std::printf("%0*llx\n", width_of(result) / 4, static_cast<unsigned long long>(out[i]));
  }
}

using type_h = unsigned short;
using type_r = uint32_t;
using type_l = unsigned long long;

#define OP1(D, A, IN, NAME)                                                                    \
  run_scalar(NAME, IN, #A, *#D, count, random, [] __device__(uint64_t a, uint64_t, uint64_t) { \
    type_##D d;                                                                                \
    asm volatile(NAME " %0, %1;" : "=" #D(d) : #A((type_##A)a));                               \
    return (uint64_t)d;                                                                        \
  })
#define OP2(D, A, B, IN, NAME)                                                                      \
  run_scalar(NAME, IN, #A #B, *#D, count, random, [] __device__(uint64_t a, uint64_t b, uint64_t) { \
    type_##D d;                                                                                     \
    asm volatile(NAME " %0, %1, %2;" : "=" #D(d) : #A((type_##A)a), #B((type_##B)b));               \
    return (uint64_t)d;                                                                             \
  })
#define OP3(D, A, B, C, IN, NAME)                                                                          \
  run_scalar(NAME, IN, #A #B #C, *#D, count, random, [] __device__(uint64_t a, uint64_t b, uint64_t c) {   \
    type_##D d;                                                                                            \
    asm volatile(NAME " %0, %1, %2, %3;" : "=" #D(d) : #A((type_##A)a), #B((type_##B)b), #C((type_##C)c)); \
    return (uint64_t)d;                                                                                    \
  })

#include "truth_operations.cuh"

}  // namespace

int main(int argc, char** argv) {
  const int scale = argc > 1 ? std::atoi(argv[1]) : 1;
  if (scale < 1 || scale > 1000) return std::fprintf(stderr, "usage: tensor_truth [1..1000]\n"), 2;
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, 0));
  std::printf("# %s, compute capability %d.%d\n", properties.name, properties.major, properties.minor);
  run_matrices(scale);
  run_scalars(scale);
  return 0;
}
