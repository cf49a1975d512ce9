// SPDX-License-Identifier: MIT
// A structure by value with __grid_constant__.
struct GemmArgs {
  const float* A;
  const float* B;
  float* C;
  int M, N, K;
  float alpha, beta;
  long long lda;
};
extern "C" __global__ void gemm_args(const __grid_constant__ GemmArgs p) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= p.M || col >= p.N) return;
  float acc = 0;
  for (int k = 0; k < p.K; ++k) acc += p.A[row * p.lda + k] * p.B[k * p.N + col];
  p.C[row * p.N + col] = p.alpha * acc + p.beta * p.C[row * p.N + col];
}
