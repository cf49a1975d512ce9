// SPDX-License-Identifier: MIT
// The squared distance of each point of 16 dimensions to the nearest of the centres, which pass through shared memory
// 64 at a time. A thread for each point.
constexpr int kDimensions = 16;
constexpr int kCentres = 64;

extern "C" __global__ void nearest_centre(const float* __restrict__ points, const float* __restrict__ centres,
                                          float* __restrict__ distance, int count, int centre_count) {
  __shared__ float s_centre[kCentres][kDimensions];
  const int point = blockIdx.x * 128 + threadIdx.x;
  float r_point[kDimensions];
#pragma unroll
  for (int i = 0; i < kDimensions; ++i)
    r_point[i] = point < count ? points[static_cast<long long>(i) * count + point] : 0.0f;
  float nearest = 3.0e38f;
  for (int first = 0; first < centre_count; first += kCentres) {
    const int now = min(kCentres, centre_count - first);
    for (int i = threadIdx.x; i < now * kDimensions; i += 128)
      s_centre[i / kDimensions][i % kDimensions] = centres[first * kDimensions + i];
    __syncthreads();
    for (int centre = 0; centre < now; ++centre) {
      float sum = 0.0f;
#pragma unroll
      for (int i = 0; i < kDimensions; ++i) {
        const float difference = r_point[i] - s_centre[centre][i];
        sum = fmaf(difference, difference, sum);
      }
      nearest = fminf(nearest, sum);
    }
    __syncthreads();
  }
  if (point < count) distance[point] = nearest;
}
