// SPDX-License-Identifier: MIT
// One step of heat in a box: seven points, zero outside. A thread goes down its column of z.
extern "C" __global__ void stencil_3d(const float* __restrict__ x, float* __restrict__ y, int depth, int height,
                                      int width) {
  const int column = blockIdx.x * 32 + threadIdx.x;
  const int row = blockIdx.y * 8 + threadIdx.y;
  if (column >= width || row >= height) return;
  const long long plane = static_cast<long long>(height) * width;
  const long long first = static_cast<long long>(row) * width + column;
  float below = 0.0f;
  float here = x[first];
  for (int z = 0; z < depth; ++z) {
    const long long at = first + z * plane;
    const float above = z + 1 < depth ? x[at + plane] : 0.0f;
    const float left = column > 0 ? x[at - 1] : 0.0f;
    const float right = column + 1 < width ? x[at + 1] : 0.0f;
    const float front = row > 0 ? x[at - width] : 0.0f;
    const float back = row + 1 < height ? x[at + width] : 0.0f;
    y[at] = 0.4f * here + 0.1f * (below + above + left + right + front + back);
    below = here;
    here = above;
  }
}
