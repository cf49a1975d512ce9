// SPDX-License-Identifier: MIT
// A blur by five fetches: the middle, and four places 1.2 texels away, each of which is a mean of two texels that the
// texture unit makes. Beyond the edge the image goes on as it ends there.
#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    texture_blur(cudaTextureObject_t image, float* __restrict__ out, int rows, int columns) {
  const int column = static_cast<int>(blockIdx.x) * BLOCK_X + static_cast<int>(threadIdx.x);
  const int row = static_cast<int>(blockIdx.y) * BLOCK_Y + static_cast<int>(threadIdx.y);
  if (row >= rows || column >= columns) return;
  constexpr float kReach = 1.2f;
  const float x = static_cast<float>(column) + 0.5f;  // centres of texels lie at one half
  const float y = static_cast<float>(row) + 0.5f;
  const float around = tex2D<float>(image, x - kReach, y) + tex2D<float>(image, x + kReach, y) +
                       tex2D<float>(image, x, y - kReach) + tex2D<float>(image, x, y + kReach);
  out[row * columns + column] = 0.4f * tex2D<float>(image, x, y) + 0.15f * around;
}
