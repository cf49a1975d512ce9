// SPDX-License-Identifier: MIT
// What a call of the C library costs the host, beside what the CUDA runtime itself takes for a launch. Bursts of 50
// calls, so that the GPU's queue never fills; the median of 200 bursts, in nanoseconds per call.
//
//   nvcc -std=c++17 -O2 -I kernels/attention/library -o call_cost tests/attention/call_cost.cu -L build/attention
//   -lassay_attention
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

#include "assay_attention.h"

namespace {

// As large a parameter as the Hopper kernels take: four tensor maps and some numbers.
struct Parameter {
  char bytes[640];
};

__global__ void empty_kernel(__grid_constant__ const Parameter parameter) {}

template <typename Call>
double nanoseconds(Call call) {
  std::vector<double> bursts;
  for (int burst = 0; burst < 220; ++burst) {
    cudaDeviceSynchronize();
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < 50; ++i) call(burst * 50 + i);
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    if (burst >= 20) bursts.push_back(taken.count() / 50);
  }
  cudaDeviceSynchronize();
  std::nth_element(bursts.begin(), bursts.begin() + 100, bursts.end());
  return bursts[100];
}

assay_attention_call call_on(char* memory, int head_dim) {
  assay_attention_call call{};
  const int64_t size = int64_t{8} * 64 * head_dim;
  call.struct_size = sizeof call;
  call.query = memory;
  call.key = memory + 2 * size;
  call.value = memory + 4 * size;
  call.output = memory + 6 * size;
  for (auto* strides : {&call.query_strides, &call.key_strides, &call.value_strides, &call.output_strides}) {
    (*strides)[0] = size;
    (*strides)[1] = int64_t{64} * head_dim;
    (*strides)[2] = head_dim;
  }
  call.batch = 1;
  call.query_heads = call.key_heads = 8;
  call.query_rows = call.key_rows = 64;
  call.head_dim = head_dim;
  call.scale = 0.125f;
  return call;
}

}  // namespace

int main() {
  constexpr int kSets = 1024;
  char* memory = nullptr;
  const size_t set_bytes = size_t{8} * 8 * 64 * 256;
  if (cudaMalloc(&memory, set_bytes * kSets) != cudaSuccess) return 6;
  cudaStream_t stream = nullptr;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  std::vector<assay_attention_call> calls;
  for (int i = 0; i < kSets; ++i) calls.push_back(call_on(memory + i * set_bytes, 64));
  const assay_attention_call wide = call_on(memory, 256);
  if (assay_attention_forward(&calls[0], stream) != 0 || assay_attention_forward(&wide, stream) != 0) {
    std::fprintf(stderr, "%s\n", assay_attention_last_error());
    return 1;
  }
  const Parameter parameter{};
  const char* name = nullptr;
  int number = 0;
  const auto row = [](const char* what, double ns) { std::printf("%-58s %7.0f ns\n", what, ns); };
  row("runtime: launch of an empty kernel, 640 bytes of parameters",
      nanoseconds([&](int) { empty_kernel<<<1, 32, 0, stream>>>(parameter); }));
  row("runtime: cudaFuncSetAttribute", nanoseconds([&](int) {
        cudaFuncSetAttribute(empty_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 200000);
      }));
  row("runtime: cudaGetDevice", nanoseconds([&](int) { cudaGetDevice(&number); }));
  row("library: query (checks and choice)", nanoseconds([&](int) { assay_attention_query(&calls[0], 0, &name); }));
  row("library: forward, head_dim 64, tensor maps known",
      nanoseconds([&](int) { assay_attention_forward(&calls[0], stream); }));
  row("library: forward, head_dim 64, 1024 sets of tensors in turn",
      nanoseconds([&](int i) { assay_attention_forward(&calls[static_cast<size_t>(i % kSets)], stream); }));
  row("library: forward, head_dim 256", nanoseconds([&](int) { assay_attention_forward(&wide, stream); }));
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
