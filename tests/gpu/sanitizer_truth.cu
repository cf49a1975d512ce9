// SPDX-License-Identifier: MIT
// Kernels with one planted mistake each, for a look at what compute-sanitizer says about them. sanitizer_truth.sh runs
// them; what it said on an H200 is kept in tests/profiling/recorded.
#include <cstdio>
#include <cstring>

__global__ void write_behind_the_end(int* data, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  data[i] = count;  // the last threads are beyond the end
}

__device__ int load_vector(const char* at) {
  return reinterpret_cast<const int4*>(at)->x;  // 16 bytes at an address that is a multiple of 4
}
__global__ void misaligned_read(const char* data, int* out) {
  out[threadIdx.x] = load_vector(data + 4 * threadIdx.x);
}

__global__ void shared_behind_the_end(int* out) {
  extern __shared__ int words[];
  words[threadIdx.x + 8] = 1;
  out[threadIdx.x] = words[0];
}

__global__ void race(int* out) {
  __shared__ int words[64];
  words[threadIdx.x] = static_cast<int>(threadIdx.x);
  out[threadIdx.x] = words[63 - threadIdx.x];  // no barrier in between
}

__global__ void uninitialised_read(const int* data, int* out) {
  out[threadIdx.x] = data[threadIdx.x];
}

__global__ void parted_barrier(int* out) {
  if (threadIdx.x < 16) __syncthreads();
  out[threadIdx.x] = 1;
}

__global__ void null_pointer(int* data) {
  if (data != nullptr) return;
  data[threadIdx.x] = 1;
}

int main(int count, char** values) {
  const char* which = count > 1 ? values[1] : "";
  int* data = nullptr;
  int* fresh = nullptr;
  int* out = nullptr;
  cudaMalloc(&data, 100 * sizeof(int));
  cudaMalloc(&fresh, 64 * sizeof(int));
  cudaMalloc(&out, 4096);
  cudaMemset(data, 0, 100 * sizeof(int));
  if (std::strcmp(which, "write_behind_the_end") == 0) write_behind_the_end<<<2, 56>>>(data, 100);
  if (std::strcmp(which, "misaligned_read") == 0) misaligned_read<<<1, 8>>>(reinterpret_cast<char*>(data), out);
  if (std::strcmp(which, "shared_behind_the_end") == 0) shared_behind_the_end<<<1, 32, 128>>>(out);
  if (std::strcmp(which, "race") == 0) race<<<1, 64>>>(out);
  if (std::strcmp(which, "uninitialised_read") == 0) uninitialised_read<<<1, 4>>>(fresh, out);
  if (std::strcmp(which, "parted_barrier") == 0) parted_barrier<<<1, 32>>>(out);
  if (std::strcmp(which, "null_pointer") == 0) null_pointer<<<1, 2>>>(nullptr);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s: %s\n", which, cudaGetErrorString(error));
  return 0;
}
