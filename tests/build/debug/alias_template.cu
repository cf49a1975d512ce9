// SPDX-License-Identifier: MIT
// A template behind two names, with a member type that depends on another.
#include "truth.cuh"
template <class T>
struct Traits {
  using accumulator = T;
};
template <>
struct Traits<short> {
  using accumulator = long long;
};
template <class T, int kRank, class Index = int>
struct View {
  using Element = T;
  typedef typename Traits<short>::accumulator Total;
  Element* __restrict__ data;
  Index sizes[kRank];
  Total total;
};
typedef View<const unsigned short, 3, short> ShortView;
using Source = ShortView;
CONST_POINTER(data, u16, 0, offsetof(Source, data))
VALUE(sizes_0, i16, 8, offsetof(Source, sizes))
VALUE(sizes_1, i16, 10, offsetof(Source, sizes) + 2)
VALUE(sizes_2, i16, 12, offsetof(Source, sizes) + 4)
VALUE(total, i64, 16, offsetof(Source, total))
extern "C" __global__ void kernel(Source from, float* y) {
  y[threadIdx.x] = from.data[threadIdx.x] + from.total;
}
