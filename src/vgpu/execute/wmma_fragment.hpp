// SPDX-License-Identifier: MIT
// Where the elements of a wmma matrix lie in the registers of a warp. The ISA leaves it open; programs may only rely on
// loads, products and stores of one shape agreeing. We take what mma has (fragment.hpp), several of them side by side:
//   A is cut into blocks of 16 rows, B into blocks of 8 columns, C and D into blocks of 16 rows and 8 columns; the
//   blocks follow each other in the registers, and each lies there as the A, B or C of an mma.
// A fragment is the same whether it was loaded from rows or from columns, so wmma.mma need not look at its layouts.
// A and B of f16 have eight registers in every shape. Where the matrix needs fewer they are repeated; products read the
// first ones.
#pragma once

#include <cstddef>

#include "ptx/matrix_shape.hpp"
#include "ptx/type.hpp"

namespace assay::vgpu {

enum class WmmaMatrix { a, b, c };  // D is as C

// Tiles of 8 rows, of which lane 4 g + t holds elements of row g. B is seen as its transpose.
struct WmmaFragment {
  size_t rows, columns;   // A: (m, k); B: (n, k); C: (m, n)
  size_t element_bits;    // in memory
  size_t per_lane;        // neighbours in a row of a tile
  size_t register_bytes;  // 4, or 8 for f64
  size_t registers;
  size_t block_tiles;  // that follow each other downwards: 2 in a block of 16 rows

  size_t tile_width() const { return 4 * per_lane; }
  size_t tiles_across() const { return columns / tile_width(); }
  size_t tiles() const { return rows / 8 * tiles_across(); }
  size_t lane_bytes() const { return per_lane * element_bits / 8; }  // of one tile
  size_t registers_per_tile() const { return lane_bytes() / register_bytes; }
  size_t bytes() const { return registers * register_bytes; }  // of one lane

  struct Place {
    size_t row, column;
  };
  Place tile(size_t i) const;  // its first element
};

WmmaFragment wmma_fragment(WmmaMatrix matrix, const ptx::MatrixShape& shape, ptx::Type type);

}  // namespace assay::vgpu
