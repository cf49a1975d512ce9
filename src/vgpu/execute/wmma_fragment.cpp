// SPDX-License-Identifier: MIT
#include "vgpu/execute/wmma_fragment.hpp"

#include <algorithm>

#include "vgpu/execute/fragment.hpp"

namespace assay::vgpu {

WmmaFragment::Place WmmaFragment::tile(size_t i) const {
  const size_t block = i / (block_tiles * tiles_across());
  const size_t row = block * block_tiles + i % block_tiles;
  const size_t column = i / block_tiles % tiles_across();
  return {row * kTileRows, column * tile_width()};
}

WmmaFragment wmma_fragment(WmmaMatrix matrix, const ptx::MatrixShape& shape, ptx::Type type) {
  const bool is_c = matrix == WmmaMatrix::c;
  WmmaFragment fragment{};
  fragment.rows = matrix == WmmaMatrix::b ? shape.n : shape.m;
  fragment.columns = is_c ? shape.n : shape.k;
  fragment.element_bits = static_cast<size_t>(ptx::info(type).bits);
  fragment.register_bytes = type == ptx::Type::f64 ? 8 : 4;
  fragment.per_lane = is_c ? 2 : 8 * fragment.register_bytes / fragment.element_bits;
  fragment.block_tiles = matrix == WmmaMatrix::b ? 1 : std::min<size_t>(fragment.rows / kTileRows, 2);
  constexpr size_t kHalfRegisters = 8;
  fragment.registers =
      !is_c && type == ptx::Type::f16 ? kHalfRegisters : fragment.tiles() * fragment.registers_per_tile();
  return fragment;
}

}  // namespace assay::vgpu
