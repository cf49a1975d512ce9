// SPDX-License-Identifier: MIT
// y = the fifth of the nine floats of each record. Of what is fetched a ninth is needed. The tests take the PTX, and
// need no compiler:
//   nvcc -ptx -arch=compute_80 one_field_of_records.cu
extern "C" __global__ void one_field_of_records(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i * 9 + 4] * 2.0f;
}
