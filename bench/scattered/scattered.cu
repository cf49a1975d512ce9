// SPDX-License-Identifier: MIT
// What costs the checks most memory: elements of one, two or four bytes, which no two neighbouring threads touch in
// order. Every element of x is read by a thread, every element of y written by another; then threads read y as often as
// `readers` says, behind a barrier of the grid.
#include <cooperative_groups.h>

// The number of elements is a power of two, so that an odd factor names each of them once.
template <class Element>
__device__ unsigned touch(const unsigned char* x, unsigned char* y, unsigned bytes, unsigned readers) {
  const Element* const from = reinterpret_cast<const Element*>(x);
  Element* const to = reinterpret_cast<Element*>(y);
  const unsigned last = bytes / sizeof(Element) - 1;
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  for (unsigned i = thread; i <= last; i += threads) to[i * 2654435761u & last] = from[i * 2246822519u & last];
  if (readers == 0) return 0;
  cooperative_groups::this_grid().sync();
  unsigned sum = 0;
  for (unsigned r = 0; r < readers; ++r) {
    for (unsigned i = thread; i <= last; i += threads) sum += to[(i + r * 77777u) * 3266489917u & last];
  }
  return sum;
}

extern "C" __global__ void scattered(const unsigned char* x, unsigned char* y, unsigned* sums, unsigned bytes,
                                     unsigned width, unsigned readers) {
  const unsigned sum = width == 1   ? touch<unsigned char>(x, y, bytes, readers)
                       : width == 2 ? touch<unsigned short>(x, y, bytes, readers)
                                    : touch<unsigned>(x, y, bytes, readers);
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
