// SPDX-License-Identifier: MIT
// Several kernels in one file, in a namespace, with macros.
#define THREADS 256
#define GLOBAL __global__ void
#define LB(t, b) __launch_bounds__(t, b)
#define IDX (blockIdx.x * THREADS + threadIdx.x)
namespace imaging {
namespace detail {
GLOBAL LB(THREADS, 2) histogram(const unsigned char* pixels, unsigned int* bins, int numPixels) {
  __shared__ unsigned int s[256];
  s[threadIdx.x] = 0;
  __syncthreads();
  for (int i = IDX; i < numPixels; i += gridDim.x * THREADS) atomicAdd(&s[pixels[i]], 1u);
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
GLOBAL LB(THREADS, 2)
    threshold(const unsigned char* src, unsigned char* dst, unsigned char level, int width, int height, int stride) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) dst[y * stride + x] = src[y * stride + x] > level ? 255 : 0;
}
}  // namespace detail
GLOBAL invert(uchar4* image, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h) {
    uchar4 p = image[i];
    image[i] = make_uchar4(255 - p.x, 255 - p.y, 255 - p.z, p.w);
  }
}
}  // namespace imaging
