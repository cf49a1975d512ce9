// SPDX-License-Identifier: MIT
// How long one mma takes the host: the arithmetic alone, by architecture, operand type and version of the code.
#include <benchmark/benchmark.h>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "vgpu/semantics/half.hpp"
#include "vgpu/semantics/tensor.hpp"
#include "vgpu/semantics/tensor_rows.hpp"

namespace assay::vgpu::semantics {
namespace {

constexpr uint64_t kSeed = 1;

// m16n8k16 of f16 operands near one with an f32 accumulator.
struct Operands {
  std::vector<float> a = std::vector<float>(16 * 16), b = std::vector<float>(16 * 8), c = std::vector<float>(16 * 8);
  std::vector<float> d = std::vector<float>(16 * 8);
  Operands() {
    Random random(kSeed);
    for (auto* matrix : {&a, &b, &c})
      for (float& x : *matrix) x = to_float(to_f16<Rounding::rn>(static_cast<float>(random.uniform()) * 2.0f - 1.0f));
  }
  MatrixProduct product() { return {16, 8, 16, a.data(), b.data(), c.data(), d.data()}; }
};

DotUnit unit_of(TensorArchitecture architecture) {
  return dot_unit(architecture, TensorInstruction::mma, TensorOperand::f16, TensorOperand::f16, false, 16);
}

void run(benchmark::State& state, TensorArchitecture architecture, void (*rows)(const DotUnit&, const MatrixProduct&)) {
  Operands operands;
  const DotUnit unit = unit_of(architecture);
  const MatrixProduct product = operands.product();
  for (auto _ : state) {
    rows(unit, product);
    benchmark::DoNotOptimize(operands.d.data());
    benchmark::ClobberMemory();
  }
}

void plain_ada(benchmark::State& state) {
  run(state, TensorArchitecture::ada, multiply_rows_plainly);
}
void avx2_ada(benchmark::State& state) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("f16c")) return state.SkipWithError("no AVX2 here");
  run(state, TensorArchitecture::ada, multiply_rows_avx2);
}
void avx2_hopper(benchmark::State& state) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("f16c")) return state.SkipWithError("no AVX2 here");
  run(state, TensorArchitecture::hopper, multiply_rows_avx2);
}
void avx512_ada(benchmark::State& state) {
  if (!__builtin_cpu_supports("avx512dq")) return state.SkipWithError("no AVX-512 here");
  run(state, TensorArchitecture::ada, multiply_rows_avx512);
}
void avx512_hopper(benchmark::State& state) {
  if (!__builtin_cpu_supports("avx512dq")) return state.SkipWithError("no AVX-512 here");
  run(state, TensorArchitecture::hopper, multiply_rows_avx512);
}

BENCHMARK(plain_ada);
BENCHMARK(avx2_ada);
BENCHMARK(avx2_hopper);
BENCHMARK(avx512_ada);
BENCHMARK(avx512_hopper);

}  // namespace
}  // namespace assay::vgpu::semantics
