// SPDX-License-Identifier: MIT
// loss = log(sum(exp(x))) - x[target] for each row, one block of 256 threads a row: a pass for the maximum, one for the
// sum.
__device__ __forceinline__ float of_block(float value, bool maximum, float* s_part) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    const float other = __shfl_xor_sync(0xffffffffu, value, distance);
    value = maximum ? fmaxf(value, other) : value + other;
  }
  if (threadIdx.x % 32 == 0) s_part[threadIdx.x / 32] = value;
  __syncthreads();
  float result = s_part[0];
#pragma unroll
  for (int i = 1; i < 8; ++i) result = maximum ? fmaxf(result, s_part[i]) : result + s_part[i];
  __syncthreads();
  return result;
}

extern "C" __global__ void cross_entropy(const float* __restrict__ x, const int* __restrict__ target,
                                         float* __restrict__ loss, int columns) {
  __shared__ float s_part[8];
  const float* row = x + static_cast<long long>(blockIdx.x) * columns;
  float largest = -3.0e38f;
  for (int i = threadIdx.x; i < columns; i += 256) largest = fmaxf(largest, row[i]);
  largest = of_block(largest, true, s_part);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < columns; i += 256) sum += __expf(row[i] - largest);
  sum = of_block(sum, false, s_part);
  if (threadIdx.x == 0) loss[blockIdx.x] = __logf(sum) + largest - row[target[blockIdx.x]];
}
