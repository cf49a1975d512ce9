// SPDX-License-Identifier: MIT
// A row of a matrix, read by a team of threads: a warp, or a block. The first kThreads * kHeld packs stay in registers,
// so that a kernel can sweep over the row several times and read it once; what lies beyond is read again in each sweep.
// A pack is kWidth neighbouring elements in one access: 16 bytes where rows are aligned to that, else one element.
#pragma once

#include <cstdint>

#include "block_reduce.cuh"
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
__device__ __forceinline__ void to_floats(float (&value)[kWidth], const Pack<Element, kWidth>& pack) {
#pragma unroll
  for (int i = 0; i < kWidth; ++i) value[i] = to_float(pack.element[i]);
}

template <int kWidth, typename Element>
__device__ __forceinline__ void load_pack(float (&value)[kWidth], const Element* g_elements) {
  const auto pack = *reinterpret_cast<const Pack<Element, kWidth>*>(g_elements);
  to_floats(value, pack);
}

template <int kWidth, typename Element>
__device__ __forceinline__ void store_pack(Element* g_elements, const float (&value)[kWidth]) {
  Pack<Element, kWidth> pack;
#pragma unroll
  for (int i = 0; i < kWidth; ++i) pack.element[i] = from_float<Element>(value[i]);
  *reinterpret_cast<Pack<Element, kWidth>*>(g_elements) = pack;
}

// Who reads a row together, and how they join what each has found. Short rows have a warp each: no barriers, and fewer
// blocks to launch.
struct WarpTeam {
  static constexpr int kThreads = kWarpThreads;
  __device__ __forceinline__ static int thread() { return static_cast<int>(threadIdx.x) % kWarpThreads; }
  template <typename Operation>
  __device__ __forceinline__ static float reduce(float value) {
    return warp_reduce<Operation>(value);
  }
};
template <int kBlock>
struct BlockTeam {
  static constexpr int kThreads = kBlock;
  __device__ __forceinline__ static int thread() { return static_cast<int>(threadIdx.x); }
  template <typename Operation>
  __device__ __forceinline__ static float reduce(float value) {
    return block_reduce<Operation, kBlock>(value);
  }
};

inline constexpr int kShortRow = 1024;  // columns; kernel.toml computes the grid with the same number

// Packs that each lane of a warp holds of a row with so many columns.
template <int kWidth, int kColumns>
inline constexpr int kWarpHeld = kWidth == 1 ? 8 : kColumns / (kWarpThreads * kWidth);

template <typename Element, typename Team, int kHeld, int kWidth>
class Row {
 public:
  __device__ __forceinline__ Row(const Element* g_row, int columns) : g_row_(g_row), columns_(columns) {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (column(i) < columns_) r_held_[i] = *reinterpret_cast<const Pack<Element, kWidth>*>(g_row_ + column(i));
  }

  // Calls visit(values, first_column) for each of this thread's packs, always in the same order.
  template <typename Visit>
  __device__ __forceinline__ void for_each(Visit visit) const {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (column(i) < columns_) visit_pack(visit, r_held_[i], column(i));
    for (int at = column(kHeld); at < columns_; at += Team::kThreads * kWidth)
      visit_pack(visit, *reinterpret_cast<const Pack<Element, kWidth>*>(g_row_ + at), at);
  }

 private:
  __device__ __forceinline__ static int column(int i) { return (i * Team::kThreads + Team::thread()) * kWidth; }

  template <typename Visit>
  __device__ __forceinline__ static void visit_pack(Visit visit, const Pack<Element, kWidth>& pack, int at) {
    float values[kWidth];
    to_floats(values, pack);
    visit(values, at);
  }

  const Element* g_row_;
  int columns_;
  Pack<Element, kWidth> r_held_[kHeld];  // as they lie in memory: half precision takes half of the registers
};

}  // namespace assay
