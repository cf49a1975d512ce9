// SPDX-License-Identifier: MIT
// A row of a matrix, read by a team of threads: a warp, or a block. The first kThreads * kHeld packs stay in registers,
// as floats, so that a kernel can sweep over the row several times, keep what it computes in their place, and read it
// once; what lies beyond is read again in each sweep. A pack is kWidth neighbouring elements in one access: 16 bytes
// where rows are aligned to that, else one element.
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

// A pack of 16 bytes that nobody writes during the kernel.
template <typename Element, int kWidth>
__device__ __forceinline__ Pack<Element, kWidth> read_beside_l1(const Element* g_elements) {
  static_assert(sizeof(Pack<Element, kWidth>) == sizeof(uint4));
  union {
    uint4 words;
    Pack<Element, kWidth> pack;
  } read;
  asm volatile("ld.global.nc.L1::no_allocate.v4.b32 {%0, %1, %2, %3}, [%4];"
               : "=r"(read.words.x), "=r"(read.words.y), "=r"(read.words.z), "=r"(read.words.w)
               : "l"(g_elements));
  return read.pack;
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
  // Rows that are read once leave the L1 cache to what all rows share. Long rows are 2 to 3 % slower so (H200).
  static constexpr bool kBesideL1 = true;
  __device__ __forceinline__ static int thread() { return static_cast<int>(threadIdx.x) % kWarpThreads; }
  template <typename Operation, int kTurn>
  __device__ __forceinline__ static float reduce(float value) {
    return warp_reduce<Operation>(value);
  }
};
template <int kBlock>
struct BlockTeam {
  static constexpr int kThreads = kBlock;
  static constexpr bool kBesideL1 = false;
  __device__ __forceinline__ static int thread() { return static_cast<int>(threadIdx.x); }
  // A block has one row: each turn comes once.
  template <typename Operation, int kTurn>
  __device__ __forceinline__ static float reduce(float value) {
    return block_reduce_once<Operation, kBlock, kTurn>(value);
  }
};

inline constexpr int kShortRow = 1024;  // columns; kernel.toml computes the grid with the same number

// Packs that each lane of a warp holds of a row with so many columns.
template <int kWidth, int kColumns>
inline constexpr int kWarpHeld = kWidth == 1 ? 8 : kColumns / (kWarpThreads * kWidth);

// Whether rows of so many columns fill the registers that hold them: nothing is beyond, and no column needs a check.
template <typename Team, int kHeld, int kWidth>
__device__ __forceinline__ bool fills_registers(int columns) {
  return kWidth > 1 && columns == Team::kThreads * kHeld * kWidth;
}

template <typename Element, typename Team, int kHeld, int kWidth, bool kFull>
class Row {
 public:
  __device__ __forceinline__ Row(const Element* g_row, int columns) : g_row_(g_row), columns_(columns) {
    Pack<Element, kWidth> packs[kHeld];
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (kFull || column(i) < columns_) packs[i] = read(column(i));
#pragma unroll
    for (int i = 0; i < kHeld; ++i) to_floats(r_held_[i], packs[i]);
  }

  __device__ __forceinline__ static int column(int i) { return (i * Team::kThreads + Team::thread()) * kWidth; }
  __device__ __forceinline__ const float (&held(int i) const)[kWidth] { return r_held_[i]; }

  // Calls visit(values, first_column) for each of this thread's packs, always in the same order. Of packs in registers
  // the values can be changed, for the next sweep.
  template <typename Visit>
  __device__ __forceinline__ void for_each_held(Visit visit) {
#pragma unroll
    for (int i = 0; i < kHeld; ++i)
      if (kFull || column(i) < columns_) visit(r_held_[i], column(i));
  }
  template <typename Visit>
  __device__ __forceinline__ void for_each_beyond(Visit visit) const {
    if constexpr (!kFull) {
      for (int at = column(kHeld); at < columns_; at += Team::kThreads * kWidth) {
        float values[kWidth];
        load_pack<kWidth>(values, g_row_ + at);
        visit(values, at);
      }
    }
  }
  template <typename Visit>
  __device__ __forceinline__ void for_each(Visit visit) {
    for_each_held(visit);
    for_each_beyond(visit);
  }

 private:
  __device__ __forceinline__ Pack<Element, kWidth> read(int at) const {
    if constexpr (Team::kBesideL1 && kWidth > 1) return read_beside_l1<Element, kWidth>(g_row_ + at);
    return *reinterpret_cast<const Pack<Element, kWidth>*>(g_row_ + at);
  }

  const Element* g_row_;
  int columns_;
  float r_held_[kHeld][kWidth];
};

}  // namespace assay
