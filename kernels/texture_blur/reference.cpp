// SPDX-License-Identifier: MIT
// The blur with the weights of the hardware, which have 8 bits.
#include <algorithm>
#include <assay/reference.h>
#include <cmath>

namespace {

struct Image {
  const double* data;
  int64_t rows, columns;

  double texel(int64_t row, int64_t column) const {
    return data[std::clamp<int64_t>(row, 0, rows - 1) * columns + std::clamp<int64_t>(column, 0, columns - 1)] / 255;
  }
  static double weight(double part) { return std::floor(part * 256 + 0.5) / 256; }
  // Between two neighbours of a row, or of a column.
  double along_row(int64_t row, double column) const {
    const double first = std::floor(column);
    const double part = weight(column - first);
    const auto at = static_cast<int64_t>(first);
    return (1 - part) * texel(row, at) + part * texel(row, at + 1);
  }
  double along_column(double row, int64_t column) const {
    const double first = std::floor(row);
    const double part = weight(row - first);
    const auto at = static_cast<int64_t>(first);
    return (1 - part) * texel(at, column) + part * texel(at + 1, column);
  }
};

}  // namespace

int assay_reference(AssayProblem* problem) {
  const AssayTensor* image = assay_tensor(problem, "image");
  const AssayTensor* out = assay_tensor(problem, "out");
  if (!image || !out || image->count != out->count) return assay_fail(problem, "expected image and out of equal size");
  constexpr double kReach = 1.2;
  const Image texels{image->data, image->shape[0], image->shape[1]};
  for (int64_t row = 0; row < texels.rows; ++row) {
    for (int64_t column = 0; column < texels.columns; ++column) {
      const auto x = static_cast<double>(column);
      const auto y = static_cast<double>(row);
      const double around = texels.along_row(row, x - kReach) + texels.along_row(row, x + kReach) +
                            texels.along_column(y - kReach, column) + texels.along_column(y + kReach, column);
      out->data[row * texels.columns + column] = 0.4 * texels.texel(row, column) + 0.15 * around;
    }
  }
  return 0;
}
