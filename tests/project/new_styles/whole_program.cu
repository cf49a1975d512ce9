// SPDX-License-Identifier: MIT
// A whole program: functors passed by value, launched from main with an error macro.
#include <cstdio>
#include <cstdlib>
#define CHECK(x)                                      \
  do {                                                \
    cudaError_t e = (x);                              \
    if (e != cudaSuccess) {                           \
      fprintf(stderr, "%s\n", cudaGetErrorString(e)); \
      exit(1);                                        \
    }                                                 \
  } while (0)

struct AxpyFunctor {
  float a;
  const float* x;
  float* y;
  __device__ void operator()(long i) const { y[i] = a * x[i] + y[i]; }
};

template <typename F>
__global__ void parallel_for(long n, F f) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

int main(int argc, char** argv) {
  long n = argc > 1 ? atol(argv[1]) : 1 << 20;
  float *x, *y;
  CHECK(cudaMalloc(&x, n * sizeof(float)));
  CHECK(cudaMalloc(&y, n * sizeof(float)));
  parallel_for<<<(n + 255) / 256, 256>>>(n, AxpyFunctor{2.0f, x, y});
  CHECK(cudaDeviceSynchronize());
  return 0;
}
