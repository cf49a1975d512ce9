// SPDX-License-Identifier: MIT
// Image processing: uchar4, a pitch in bytes, int2 sizes.
extern "C" __global__ void gray_from_rgba(const uchar4* __restrict__ src, unsigned char* __restrict__ dst, int2 size,
                                          size_t src_pitch, size_t dst_pitch) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= size.x || y >= size.y) return;
  const uchar4* row = reinterpret_cast<const uchar4*>(reinterpret_cast<const char*>(src) + y * src_pitch);
  const uchar4 p = row[x];
  dst[y * dst_pitch + x] = static_cast<unsigned char>((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
}
