// SPDX-License-Identifier: MIT
// A row of a matrix, read by one block of threads. The first kThreads * kHeld packs stay in registers, so that a kernel
// can sweep over the row several times and read it once; what lies beyond is read again in each sweep.
// A pack is kWidth neighbouring elements in one access: 16 bytes where rows are aligned to that, else one element.
#pragma once

#include <cstdint>

#include "element.cuh"

namespace assay {

template <typename Element, int kWidth>
struct alignas(kWidth * sizeof(Element)) Pack {
  Element element[kWidth];
};

template <typename Element>
inline constexpr int kWidestPack = 16 / static_cast<int>(sizeof(Element));

// Whether every row of a dense matrix with so many columns starts at a multiple of 16 bytes.
template <typename Element>
__device__ __forceinline__ bool rows_aligned(const void* g_matrix, int columns) {
  return reinterpret_cast<uintptr_t>(g_matrix) % 16 == 0 && columns % kWidestPack<Element> == 0;
}

template <int kWidth, typename Element>
__device__ __forceinline__ void load_pack(float (&value)[kWidth], const Element* g_elements) {
  const auto pack = *reinterpret_cast<const Pack<Element, kWidth>*>(g_elements);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) value[i] = to_float(pack.element[i]);
}

template <int kWidth, typename Element>
__device__ __forceinline__ void store_pack(Element* g_elements, const float (&value)[kWidth]) {
  Pack<Element, kWidth> pack;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) pack.element[i] = from_float<Element>(value[i]);
  *reinterpret_cast<Pack<Element, kWidth>*>(g_elements) = pack;
}

template <typename Element, int kThreads, int kHeld, int kWidth>
class Row {
 public:
  using Values = float[kWidth];

  __device__ __forceinline__ Row(const Element* g_row, int columns) : g_row_(g_row), columns_(columns) {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (column(i) < columns_) load_pack<kWidth>(r_held_[i], g_row_ + column(i));
  }

  // Calls visit(values, first_column) for each of this thread's packs, always in the same order.
  template <typename Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (column(i) < columns_) visit(r_held_[i], column(i));
    for (int at = column(kHeld); at < columns_; at += kThreads * kWidth) {
      Values values;
      load_pack<kWidth>(values, g_row_ + at);
      visit(values, at);
    }
  }

 private:
  __device__ __forceinline__ static int column(int i) {
    return (i * kThreads + static_cast<int>(threadIdx.x)) * kWidth;
  }

  const Element* g_row_;
  int columns_;
  Values r_held_[kHeld];
};

}  // namespace assay
