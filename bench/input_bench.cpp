// SPDX-License-Identifier: MIT
// What a measurement does with every element beside the GPU: drawing inputs (on all cores), conversions, comparing,
// fingerprints, and beside them a plain copy of the same bytes. items_per_second are elements; a shape of 32 Mi
// elements goes through these dozens of times.
#include <benchmark/benchmark.h>
#include <cstring>
#include <vector>

#include "check/compare.hpp"
#include "check/element.hpp"
#include "check/inputs.hpp"
#include "measure/fingerprint.hpp"

namespace assay::check {
namespace {

constexpr int64_t kElements = int64_t{1} << 22;

spec::ResolvedTensor half_tensor() {
  spec::ResolvedTensor tensor;
  tensor.dtype = spec::DType::f16;
  tensor.dims = {kElements / 128, 128};
  tensor.strides = {128, 1};
  tensor.elements = tensor.span = kElements;
  tensor.bytes = 2 * kElements;
  return tensor;
}

std::vector<double> values() {
  return make_input("x", half_tensor(), {Distribution::specified, 7, false}).values;
}
std::vector<uint8_t> bytes() {
  std::vector<uint8_t> buffer(2 * kElements);
  encode(half_tensor(), values(), buffer);
  return buffer;
}
void count_elements(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * kElements);
}

void copying(benchmark::State& state) {
  const std::vector<uint8_t> source = bytes();
  std::vector<uint8_t> target(source.size());
  for (auto _ : state) {
    std::memcpy(target.data(), source.data(), source.size());
    benchmark::ClobberMemory();
  }
  count_elements(state);
}

void drawing_normals(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(values());
  count_elements(state);
}

void encoding(benchmark::State& state) {
  const spec::ResolvedTensor tensor = half_tensor();
  const std::vector<double> source = values();
  std::vector<uint8_t> buffer(2 * kElements);
  for (auto _ : state) {
    encode(tensor, source, buffer);
    benchmark::ClobberMemory();
  }
  count_elements(state);
}

void decoding(benchmark::State& state) {
  const spec::ResolvedTensor tensor = half_tensor();
  const std::vector<uint8_t> source = bytes();
  for (auto _ : state) benchmark::DoNotOptimize(decode(tensor, source));
  count_elements(state);
}

void comparing(benchmark::State& state) {
  const spec::ResolvedTensor tensor = half_tensor();
  const std::vector<double> expected = values();
  std::vector<double> got = expected;
  for (double& value : got) value *= 1.0001;
  for (auto _ : state) benchmark::DoNotOptimize(compare(tensor, expected, got, {1e-2, 1e-2}));
  count_elements(state);
}

void fingerprinting(benchmark::State& state) {
  const std::vector<uint8_t> source = bytes();
  for (auto _ : state) benchmark::DoNotOptimize(measure::fingerprint(source));
  count_elements(state);
}

BENCHMARK(copying)->Unit(benchmark::kMillisecond);
BENCHMARK(drawing_normals)->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK(encoding)->Unit(benchmark::kMillisecond);
BENCHMARK(decoding)->Unit(benchmark::kMillisecond);
BENCHMARK(comparing)->Unit(benchmark::kMillisecond);
BENCHMARK(fingerprinting)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay::check
