// SPDX-License-Identifier: MIT
// Where the elements of a matrix lie in the registers of a warp (PTX ISA, "Matrix Fragments for mma").
// With g = lane / 4, t = lane % 4 and E elements in a register:
//   A: register i holds row g + 8 (i % 2), columns E t + e + 4 E (i / 2)     (m = 16; for m = 8 row g, columns + 4 E i)
//   B: register i holds rows E t + e + 4 E i, column g
//   C: register i holds row g + 8 (i / 2), column 2 t + (i % 2)
// Since lane = 4 g + t, the E elements of all lanes, in the order of the lanes, are 8 rows of 4 E elements each: a
// register's row in our frame is an 8 x 4E tile of the matrix.
#pragma once

#include <cstddef>

#include "vgpu/machine/program.hpp"

namespace assay::vgpu {

inline constexpr size_t kTileRows = 8;

// Puts a tile (8 rows of `width` elements) into a matrix whose rows are `stride` apart; `to` is the tile's first
// element.
template <class T>
void place_tile(const T* tile, size_t width, T* to, size_t stride) {
  for (size_t r = 0; r < kTileRows; ++r) {
    for (size_t c = 0; c < width; ++c) to[r * stride + c] = tile[r * width + c];
  }
}
// The tile's rows are the matrix's columns.
template <class T>
void place_transposed_tile(const T* tile, size_t width, T* to, size_t stride) {
  for (size_t c = 0; c < width; ++c) {
    for (size_t r = 0; r < kTileRows; ++r) to[c * stride + r] = tile[r * width + c];
  }
}
template <class T>
void take_tile(const T* from, size_t stride, size_t width, T* tile) {
  for (size_t r = 0; r < kTileRows; ++r) {
    for (size_t c = 0; c < width; ++c) tile[r * width + c] = from[r * stride + c];
  }
}

// Puts register i's tile into A, a matrix of m rows and k columns.
template <class T>
void place_a(const T* tile, size_t width, size_t i, size_t m, size_t k, T* a) {
  const size_t row = m == 16 ? 8 * (i % 2) : 0;
  const size_t column = width * (m == 16 ? i / 2 : i);
  place_tile(tile, width, a + row * k + column, k);
}

// B has 8 columns.
template <class T>
void place_b(const T* tile, size_t width, size_t i, T* b) {
  place_transposed_tile(tile, width, b + width * i * kTileRows, kTileRows);
}

// C and D, (m, 8), of one 32- or 64-bit element per register: registers 2j and 2j+1 alternate.
template <class T>
void read_c(const T* even, const T* odd, T* c) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    c[2 * lane] = even[lane];
    c[2 * lane + 1] = odd[lane];
  }
}
template <class T>
void write_d(const T* d, T* even, T* odd) {
  for (size_t lane = 0; lane < kLanes; ++lane) {
    even[lane] = d[2 * lane];
    odd[lane] = d[2 * lane + 1];
  }
}

}  // namespace assay::vgpu
