// SPDX-License-Identifier: MIT
// Exercises the smallest complete host program.
#include <cstdio>
#include <cuda_runtime.h>
__global__ void vadd(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
int main() {
  int n = 1024;
  float *h = (float*)malloc(n * 4), *a, *b, *c;
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMalloc(&a, n * 4);
  cudaMalloc(&b, n * 4);
  cudaMalloc(&c, n * 4);
  cudaMemcpy(a, h, n * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(b, h, n * 4, cudaMemcpyHostToDevice);
  vadd<<<(n + 255) / 256, 256>>>(a, b, c, n);
  cudaError_t e = cudaGetLastError();
  if (e) printf("%s\n", cudaGetErrorString(e));
  cudaDeviceSynchronize();
  cudaMemcpy(h, c, n * 4, cudaMemcpyDeviceToHost);
  printf("%f\n", h[5]);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
