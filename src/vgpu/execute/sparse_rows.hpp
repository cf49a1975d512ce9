// SPDX-License-Identifier: MIT
// Rows of a sparse A: the elements that are there go to the places that the metadata of the warp's lanes names.
#pragma once

#include <algorithm>
#include <fmt/format.h>

#include "vgpu/execute/fragment.hpp"
#include "vgpu/machine/warp.hpp"
#include "vgpu/semantics/sparse.hpp"

namespace assay::vgpu {

struct SparseRows {
  size_t rows, k;
  semantics::Sparsity sparsity;
  bool narrow;        // elements of less than 16 bits
  size_t first_lane;  // of each quad, that has metadata
};

// `halves`: (rows, k / 2); `a`: (rows, k). False after a fault.
template <class T>
bool expand_rows(Warp& warp, const SparseRows& shape, const uint32_t* metadata, const T* halves, T* a) {
  namespace s = semantics;
  const size_t width = s::sparse_group(shape.sparsity);
  std::fill_n(a, shape.rows * shape.k, T{});
  for (size_t row = 0; row < shape.rows; ++row) {
    for (size_t group = 0; group < shape.k / width; ++group) {
      const auto [lane, shift] = s::metadata_place(shape.narrow, row >= kTileRows, group);
      const size_t from = 4 * (row % kTileRows) + shape.first_lane + lane;
      const uint32_t bits = metadata[from] >> shift & 0xf;
      if (s::expand_group(shape.sparsity, bits, halves + row * shape.k / 2 + group * width / 2,
                          a + row * shape.k + group * width))
        continue;
      Finding finding;
      finding.kind = FindingKind::illegal_instruction;
      finding.message = fmt::format(
          "the metadata 0x{:x} of row {}, group {} names no two different elements: undefined "
          "behaviour",
          bits, row, group);
      warp.fault(std::move(finding), static_cast<int>(from));
      return false;
    }
  }
  return true;
}

}  // namespace assay::vgpu
