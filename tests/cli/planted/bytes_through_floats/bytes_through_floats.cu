// SPDX-License-Identifier: MIT
// Eight times darker by a hundredth, rounded to a byte each time.
// The tests take the PTX, and need no compiler:
//   nvcc -ptx -arch=compute_80 -lineinfo bytes_through_floats.cu
__device__ unsigned char darker(unsigned char value) {
  return (unsigned char)(float(value) * 0.99f + 0.25f);
}

extern "C" __global__ void bytes_through_floats(const uchar4* x, uchar4* y) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  uchar4 pixel = x[i];
#pragma unroll
  for (int round = 0; round < 8; ++round)
    pixel = make_uchar4(darker(pixel.x), darker(pixel.y), darker(pixel.z), darker(pixel.w));
  y[i] = pixel;
}
