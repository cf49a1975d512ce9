// SPDX-License-Identifier: MIT
// Pointers to pointers, views with arrays in them, complex numbers, and the host's program.
#include <cstdio>
#include <cuComplex.h>
struct TensorView {
  float* data;
  int sizes[4];
  long strides[4];
};
__global__ void batched_scale(float** ptrs, const float* scales, int n, int batch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && blockIdx.y < batch) ptrs[blockIdx.y][i] *= scales[blockIdx.y];
}
__global__ void copy_view(TensorView src, TensorView dst, int numel) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= numel) return;
  int a = i % src.sizes[0], b = i / src.sizes[0];
  dst.data[a * dst.strides[0] + b * dst.strides[1]] = src.data[a * src.strides[0] + b * src.strides[1]];
}
__global__ void cmul(const cuFloatComplex* a, const cuFloatComplex* b, cuFloatComplex* c, int N) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) c[i] = cuCmulf(a[i], b[i]);
}
int main() {
  cuFloatComplex *a, *b, *c;
  cudaMalloc(&a, 800);
  cudaMalloc(&b, 800);
  cudaMalloc(&c, 800);
  cmul<<<1, 128>>>(a, b, c, 100);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
