// SPDX-License-Identifier: MIT
// y = x. Each element is read by eight blocks that have nothing else in common: nvcc -ptx -arch=compute_80
// far_neighbours.cu
extern "C" __global__ void far_neighbours(const float* x, float* y, int n) {
  constexpr int kNeighbours = 8;
  constexpr int kItems = 4;
  const int first = blockIdx.x * blockDim.x * kItems + threadIdx.x;
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
    const int i = first + item * blockDim.x;
    if (i >= n) return;
    float value = x[i];
    int from = i;
#pragma unroll
    for (int each = 1; each < kNeighbours; ++each) {
      from += n / kNeighbours;
      if (from >= n) from -= n;
      value = fminf(value, fmaxf(value, x[from]));  // as it was
    }
    y[i] = value;
  }
}
