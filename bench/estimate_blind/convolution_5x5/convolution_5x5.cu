// SPDX-License-Identifier: MIT
// A filter of 5 x 5 over an image, zero outside. A block of 32 x 8 threads brings its tile and its rim to shared
// memory.
constexpr int kWide = 32;
constexpr int kHigh = 8;
constexpr int kRadius = 2;

extern "C" __global__ void convolution_5x5(const float* __restrict__ x, const float* __restrict__ filter,
                                           float* __restrict__ y, int height, int width) {
  __shared__ float s_tile[kHigh + 2 * kRadius][kWide + 2 * kRadius];
  __shared__ float s_filter[25];
  const int first_row = blockIdx.y * kHigh - kRadius;
  const int first_column = blockIdx.x * kWide - kRadius;
  const int thread = threadIdx.y * kWide + threadIdx.x;
  if (thread < 25) s_filter[thread] = filter[thread];
  for (int i = thread; i < (kHigh + 2 * kRadius) * (kWide + 2 * kRadius); i += kWide * kHigh) {
    const int row = first_row + i / (kWide + 2 * kRadius);
    const int column = first_column + i % (kWide + 2 * kRadius);
    const bool inside = row >= 0 && row < height && column >= 0 && column < width;
    s_tile[i / (kWide + 2 * kRadius)][i % (kWide + 2 * kRadius)] =
        inside ? x[static_cast<long long>(row) * width + column] : 0.0f;
  }
  __syncthreads();
  const int row = blockIdx.y * kHigh + threadIdx.y;
  const int column = blockIdx.x * kWide + threadIdx.x;
  if (row >= height || column >= width) return;
  float sum = 0.0f;
#pragma unroll
  for (int r = 0; r < 5; ++r)
#pragma unroll
    for (int c = 0; c < 5; ++c) sum = fmaf(s_tile[threadIdx.y + r][threadIdx.x + c], s_filter[5 * r + c], sum);
  y[static_cast<long long>(row) * width + column] = sum;
}
