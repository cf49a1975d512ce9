// SPDX-License-Identifier: MIT
// A texture at rotated places.
__global__ void rotate(cudaTextureObject_t tex, float* out, int width, int height, float theta) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = (x + .5f) / width - .5f, v = (y + .5f) / height - .5f;
  out[y * width + x] =
      tex2D<float>(tex, u * cosf(theta) - v * sinf(theta) + .5f, v * cosf(theta) + u * sinf(theta) + .5f);
}
