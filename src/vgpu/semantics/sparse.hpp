// SPDX-License-Identifier: MIT
// The metadata of sparse products: which elements of a row of A are there. The others are zero.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace assay::vgpu::semantics {

enum class Sparsity : uint8_t {
  one_of_two,    // tf32
  two_of_four,   // 16 and 8 bits
  pairs_of_four  // 4 bits: two of four pairs
};

// A group of elements has four bits of metadata.
constexpr size_t sparse_group(Sparsity sparsity) {
  return sparsity == Sparsity::one_of_two ? 2 : sparsity == Sparsity::two_of_four ? 4 : 8;
}

// Puts the elements that are there, half of a group, into their places in the group, which is zero before. False if the
// bits are none that the manual defines.
template <class T>
constexpr bool expand_group(Sparsity sparsity, uint32_t bits, const T* there, T* group) {
  const uint32_t first = bits & 3, second = bits >> 2 & 3;
  if (sparsity == Sparsity::one_of_two) {
    // A tf32 is two places of 16 bits.
    if (bits != 0b0100 && bits != 0b1110) return false;
    group[first / 2] = there[0];
    return true;
  }
  if (first == second) return false;
  const size_t width = sparsity == Sparsity::pairs_of_four ? 2 : 1;
  for (size_t i = 0; i < width; ++i) {
    group[first * width + i] = there[i];
    group[second * width + i] = there[width + i];
  }
  return true;
}

// Where the bits of a group lie: with G groups in a row, `lane` counts in the quad of lanes that has rows g and g + 8.
struct MetadataPlace {
  size_t lane;
  size_t shift;
};
// A word of 16- and 32-bit elements has four groups of both rows, one of narrower elements eight groups of one row.
constexpr MetadataPlace metadata_place(bool narrow, bool upper_row, size_t group) {
  if (narrow) return {2 * (group / 8) + (upper_row ? 1 : 0), 4 * (group % 8)};
  return {group / 4, 4 * (group % 4) + (upper_row ? 16 : 0)};
}
// The lanes of a quad that a product takes metadata from; the selector says which of those.
constexpr size_t metadata_lanes(bool narrow, size_t groups) {
  return narrow ? 2 * (groups / 8) : groups / 4;
}

}  // namespace assay::vgpu::semantics
