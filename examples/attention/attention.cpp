// SPDX-License-Identifier: MIT
// Attention from C++ through libassay_attention.so: makes input, asks which kernel it will take, runs it, checks some
// rows against float64 on the CPU and times it.
//
//   nvcc -std=c++20 -O2 -I kernels/attention/library -o build/attention/example examples/attention/attention.cpp
//     -L build/attention -lassay_attention -Xlinker -rpath=build/attention
//   build/attention/example [batch heads key_heads query_rows key_rows head_dim causal]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <random>
#include <vector>

#include "assay_attention.h"

namespace {

struct Shape {
  int batch = 4;
  int heads = 8;
  int key_heads = 8;
  int query_rows = 512;
  int key_rows = 512;
  int head_dim = 64;
  int causal = 1;
};

void require(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
  std::exit(1);
}

void require(int status, const char* what) {
  if (status == ASSAY_ATTENTION_OK) return;
  std::fprintf(stderr, "%s: %s: %s\n", what, assay_attention_status_name(status), assay_attention_last_error());
  std::exit(1);
}

// (batch, heads, rows, head_dim), contiguous, on both sides.
class Tensor {
 public:
  Tensor(int batch, int heads, int rows, int head_dim)
      : strides{int64_t{heads} * rows * head_dim, int64_t{rows} * head_dim, head_dim},
        host(static_cast<size_t>(batch * strides[0])) {
    require(cudaMalloc(&device, host.size() * sizeof(__half)), "cudaMalloc");
  }
  ~Tensor() { cudaFree(device); }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  void fill(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    for (__half& value : host) value = __float2half(normal(random));
    require(cudaMemcpy(device, host.data(), host.size() * sizeof(__half), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void fetch() {
    require(cudaMemcpy(host.data(), device, host.size() * sizeof(__half), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
  double at(int batch, int head, int row, int column) const {
    return __half2float(host[static_cast<size_t>(batch * strides[0] + head * strides[1] + row * strides[2] + column)]);
  }

  int64_t strides[3];
  std::vector<__half> host;
  void* device = nullptr;
};

// The largest difference from float64 in one row.
double row_error(const Shape& shape, double scale, const Tensor& query, const Tensor& key, const Tensor& value,
                 const Tensor& output, int batch, int head, int row) {
  const int key_head = head / (shape.heads / shape.key_heads);
  const int seen =
      shape.causal ? std::min(shape.key_rows, row + 1 + shape.key_rows - shape.query_rows) : shape.key_rows;
  std::vector<double> weight(static_cast<size_t>(std::max(seen, 0)));
  double sum = 0.0;
  for (int k = 0; k < seen; ++k) {
    double score = 0.0;
    for (int i = 0; i < shape.head_dim; ++i) score += query.at(batch, head, row, i) * key.at(batch, key_head, k, i);
    sum += weight[static_cast<size_t>(k)] = std::exp(score * scale);
  }
  double error = 0.0;
  for (int i = 0; i < shape.head_dim; ++i) {
    double expected = 0.0;
    for (int k = 0; k < seen; ++k) expected += weight[static_cast<size_t>(k)] / sum * value.at(batch, key_head, k, i);
    const double difference = std::abs(output.at(batch, head, row, i) - expected);
    if (!(difference <= error)) error = difference;  // NaN too
  }
  return error;
}

Shape shape_from(int count, char** words) {
  Shape shape;
  int* const fields[] = {&shape.batch,    &shape.heads,    &shape.key_heads, &shape.query_rows,
                         &shape.key_rows, &shape.head_dim, &shape.causal};
  for (int i = 1; i < count && i <= 7; ++i) *fields[i - 1] = std::atoi(words[i]);
  return shape;
}

}  // namespace

int main(int count, char** words) {
  const Shape shape = shape_from(count, words);
  Tensor query(shape.batch, shape.heads, shape.query_rows, shape.head_dim);
  Tensor key(shape.batch, shape.key_heads, shape.key_rows, shape.head_dim);
  Tensor value(shape.batch, shape.key_heads, shape.key_rows, shape.head_dim);
  Tensor output(shape.batch, shape.heads, shape.query_rows, shape.head_dim);
  query.fill(1);
  key.fill(2);
  value.fill(3);

  assay_attention_call call{};
  call.struct_size = sizeof call;
  call.flags = shape.causal ? ASSAY_ATTENTION_CAUSAL : 0;
  call.query = query.device;
  call.key = key.device;
  call.value = value.device;
  call.output = output.device;
  std::copy_n(query.strides, 3, call.query_strides);
  std::copy_n(key.strides, 3, call.key_strides);
  std::copy_n(value.strides, 3, call.value_strides);
  std::copy_n(output.strides, 3, call.output_strides);
  call.batch = shape.batch;
  call.query_heads = shape.heads;
  call.key_heads = shape.key_heads;
  call.query_rows = shape.query_rows;
  call.key_rows = shape.key_rows;
  call.head_dim = shape.head_dim;
  call.dtype = ASSAY_ATTENTION_F16;
  call.scale = 1.0f / std::sqrt(static_cast<float>(shape.head_dim));

  const char* kernel = nullptr;
  require(assay_attention_query(&call, 0, &kernel), "assay_attention_query");
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream), "cudaStreamCreate");
  require(assay_attention_forward(&call, stream), "assay_attention_forward");
  require(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  output.fetch();

  double error = 0.0;
  const int last_row = shape.query_rows - 1;
  for (int row : {0, last_row / 2, last_row}) {
    for (int head : {0, shape.heads - 1}) {
      const double here = row_error(shape, call.scale, query, key, value, output, shape.batch - 1, head, row);
      if (!(here <= error)) error = here;
    }
  }

  constexpr int kCalls = 100;
  cudaEvent_t start = nullptr;
  cudaEvent_t stop = nullptr;
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  require(cudaEventRecord(start, stream), "cudaEventRecord");
  for (int i = 0; i < kCalls; ++i) require(assay_attention_forward(&call, stream), "assay_attention_forward");
  require(cudaEventRecord(stop, stream), "cudaEventRecord");
  require(cudaEventSynchronize(stop), "cudaEventSynchronize");
  float milliseconds = 0.0f;
  require(cudaEventElapsedTime(&milliseconds, start, stop), "cudaEventElapsedTime");

  cudaDeviceProp device{};
  require(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties");
  std::printf("%s, libassay_attention %d, kernel %s\n", device.name, assay_attention_version(), kernel);
  std::printf("largest difference from float64 in six rows: %.2e\n", error);
  std::printf("%.2f us per call, %d back to back (launches included)\n", 1e3 * milliseconds / kCalls, kCalls);
  return error < 1e-2 ? 0 : 5;
}
