// SPDX-License-Identifier: MIT
// The pixels that a tensor copy in im2col mode visits (PTX ISA, "im2col mode"). The tensor has channels, columns, rows,
// slices and images: C, W, H, D and N. Without slices it has four dimensions, without rows too three.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace assay::vgpu::semantics {

// The bounding box, in which a copy's pixels begin. W, H and D, as many as the tensor has.
struct PixelBox {
  static constexpr size_t kMostDimensions = 3;

  size_t dimensions = 0;
  std::array<int64_t, kMostDimensions> first{};  // the lower corner
  std::array<int64_t, kMostDimensions> last{};   // the upper corner, counted from the tensor's last pixel; inclusive
  std::array<int64_t, kMostDimensions> step{};   // the traversal stride
};

struct Pixel {
  std::array<int64_t, PixelBox::kMostDimensions> at{};
  int64_t image = 0;
};

// The copy begins with the pixel of its coordinates. Behind the last column of the box comes the first one of the next
// row, then of the next slice, then of the next image; a stride leaves out pixels and never makes the copy shorter.
// This is the order in which implicit GEMM counts the positions of a filter, (W + upper - lower - 1) / stride + 1 in a
// row (CUTLASS, copy_traits_sm90_im2col.hpp). CUTLASS gives images no stride, so neither does this. The manual does not
// say what follows a pixel outside the box; it is treated like the last one of its row.
constexpr Pixel next_pixel(const PixelBox& box, Pixel pixel) {
  for (size_t d = 0; d < box.dimensions; ++d) {
    pixel.at[d] += box.step[d];
    if (pixel.at[d] <= box.last[d]) return pixel;
    pixel.at[d] = box.first[d];
  }
  ++pixel.image;
  return pixel;
}

// The instruction's offsets move every pixel, and the box with it: one filter tap of all positions. `dimensions` are
// those of the tensor; the offsets share 16 bits of the instruction.
constexpr uint32_t largest_offset(size_t dimensions) {
  return dimensions == 3 ? 0xffff : dimensions == 4 ? 0xff : 0x1f;
}

}  // namespace assay::vgpu::semantics
