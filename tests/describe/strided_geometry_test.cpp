// SPDX-License-Identifier: MIT
// Kernels that take strides, as functions: how far they reach for some sizes, strides and blocks.
#include "describe/strided_geometry.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace assay::describe {
namespace {

using Texts = std::vector<std::string>;

StrideQuestion with_strides(Texts sizes, Texts strides, std::vector<int64_t> element_bytes, std::array<bool, 3> axes,
                            std::array<int64_t, 3> block) {
  StrideQuestion asked;
  asked.question.large.assign(sizes.size(), true);
  asked.question.groups.assign(sizes.size(), false);
  asked.question.sizes = std::move(sizes);
  asked.question.tensors = element_bytes.size();
  asked.question.axes = axes;
  asked.question.block = block;
  asked.strides = std::move(strides);
  asked.vectors.assign(element_bytes.size(), 1);
  asked.element_bytes = std::move(element_bytes);
  return asked;
}

std::optional<StridedGeometry> explained(const StrideQuestion& question,
                                         const std::function<Reach(const Setting&)>& kernel) {
  const auto found = find_strided_geometry(
      question, [&](const Setting& setting) -> Result<std::optional<Reach>> { return std::optional(kernel(setting)); });
  EXPECT_TRUE(found.ok());
  return found ? *found : std::nullopt;
}

Texts packed_values(const StridedGeometry& geometry) {
  Texts texts;
  for (const StrideValue& value : geometry.values) texts.push_back(value.packed);
  return texts;
}

TEST(StridedGeometry, leading_dimensions_of_a_product) {  // a[row*lda + k], b[k*ldb + column], c[row*ldc + column]
  const StrideQuestion question =
      with_strides({"M", "N", "K"}, {"LDA", "LDB", "LDC"}, {4, 4, 4}, {true, true, false}, {16, 16, 1});
  const auto geometry = explained(question, [](const Setting& s) {
    const int64_t rows = std::min(s.sizes[0], 16 * s.grid[1]);
    const int64_t columns = std::min(s.sizes[1], 16 * s.grid[0]);
    const int64_t k = s.sizes[2];
    return Reach{(rows - 1) * s.strides[0] + k, (k - 1) * s.strides[1] + columns, (rows - 1) * s.strides[2] + columns};
  });
  ASSERT_TRUE(geometry);
  EXPECT_EQ(geometry->geometry.shapes, (std::vector<Texts>{{"M", "K"}, {"K", "N"}, {"M", "N"}}));
  EXPECT_EQ(geometry->strides, (std::vector<Texts>{{"LDA", "1"}, {"LDB", "1"}, {"LDC", "1"}}));
  EXPECT_EQ(packed_values(*geometry), (Texts{"K", "N", "N"}));
  EXPECT_EQ(geometry->geometry.grid[0], "ceil_div(N, 16)");
}

TEST(StridedGeometry, four_strides_of_each_tensor) {  // q[b*sb + h*sh + i*ss + d*sd], k likewise, but for all rows
  StrideQuestion question = with_strides({"SEQ", "DIM"}, {"QB", "QH", "QS", "QD", "KB", "KH", "KS", "KD"}, {2, 2},
                                         {true, true, true}, {64, 1, 1});
  const auto geometry = explained(question, [](const Setting& s) {
    const auto reach = [&](size_t first, int64_t rows) {
      return (s.grid[2] - 1) * s.strides[first] + (s.grid[1] - 1) * s.strides[first + 1] +
             (rows - 1) * s.strides[first + 2] + (s.sizes[1] - 1) * s.strides[first + 3] + 1;
    };
    return Reach{reach(0, s.grid[0]), reach(4, s.sizes[0])};
  });
  ASSERT_TRUE(geometry);
  EXPECT_EQ(geometry->geometry.shapes[0], (Texts{"BLOCKS_Z", "BLOCKS_Y", "BLOCKS", "DIM"}));
  EXPECT_EQ(geometry->geometry.shapes[1], (Texts{"BLOCKS_Z", "BLOCKS_Y", "SEQ", "DIM"}));
  EXPECT_EQ(geometry->strides[1], (Texts{"KB", "KH", "KS", "KD"}));
  EXPECT_EQ(packed_values(*geometry),
            (Texts{"BLOCKS_Y*QH", "BLOCKS*QS", "DIM*QD", "1", "BLOCKS_Y*KH", "SEQ*KS", "DIM*KD", "1"}));
}

TEST(StridedGeometry, rows_whose_pitch_counts_bytes) {
  const StrideQuestion question =
      with_strides({"WIDTH", "HEIGHT"}, {"SLICE_PITCH", "PITCH"}, {4, 4}, {true, true, true}, {32, 8, 1});
  const auto geometry = explained(question, [](const Setting& s) {
    const int64_t columns = std::min(s.sizes[0], 32 * s.grid[0]);
    const int64_t rows = std::min(s.sizes[1], 8 * s.grid[1]);
    const int64_t image = (rows - 1) * s.strides[1] + 4 * columns;
    return Reach{((s.grid[2] - 1) * s.strides[0] + image) / 4, columns};
  });
  ASSERT_TRUE(geometry);
  EXPECT_EQ(geometry->geometry.shapes, (std::vector<Texts>{{"BLOCKS_Z", "HEIGHT", "WIDTH"}, {"WIDTH"}}));
  EXPECT_EQ(geometry->strides, (std::vector<Texts>{{"SLICE_PITCH/4", "PITCH/4", "1"}, {}}));
  EXPECT_EQ(packed_values(*geometry), (Texts{"HEIGHT*PITCH", "4*WIDTH"}));
  EXPECT_EQ(geometry->values[1].unit, 4);
}

TEST(StridedGeometry, one_stride_for_tensors_of_different_rows) {  // rgb[y*step + 3*x + c], gray[y*step + x]
  const StrideQuestion question = with_strides({"W", "H"}, {"STEP"}, {1, 1}, {true, true, false}, {16, 16, 1});
  const auto geometry = explained(question, [](const Setting& s) {
    const int64_t columns = std::min(s.sizes[0], 16 * s.grid[0]);
    const int64_t before = (std::min(s.sizes[1], 16 * s.grid[1]) - 1) * s.strides[0];
    return Reach{before + 3 * columns, before + columns};
  });
  ASSERT_TRUE(geometry);
  EXPECT_EQ(geometry->geometry.shapes, (std::vector<Texts>{{"H", "W", "3"}, {"H", "W"}}));
  EXPECT_EQ(geometry->strides, (std::vector<Texts>{{"STEP", "3", "1"}, {"STEP", "1"}}));
  EXPECT_EQ(geometry->values[0].packed, "max(W*3, W)");
}

TEST(StridedGeometry, rows_of_vectors) {  // float4 x[row*stride + i], i < n4
  StrideQuestion question = with_strides({"ROWS", "N4"}, {"STRIDE"}, {4}, {true, false, false}, {64, 1, 1});
  question.vectors = {4};
  const auto geometry = explained(question, [](const Setting& s) {
    return Reach{4 * ((std::min(s.sizes[0], s.grid[0]) - 1) * s.strides[0] + s.sizes[1])};
  });
  ASSERT_TRUE(geometry);
  EXPECT_EQ(geometry->geometry.shapes[0], (Texts{"ROWS", "N4", "4"}));
  EXPECT_EQ(geometry->strides[0], (Texts{"4*STRIDE", "4", "1"}));
  EXPECT_EQ(geometry->values[0].packed, "ceil_div(N4*4, 4)");
}

TEST(StridedGeometry, what_is_called_a_stride_and_is_none) {  // for (i = thread; i < n; i += stride)
  const StrideQuestion question = with_strides({"N"}, {"STRIDE"}, {4}, {true, false, false}, {256, 1, 1});
  EXPECT_FALSE(explained(question, [](const Setting& s) { return Reach{std::min(s.sizes[0], 256 * s.grid[0])}; }));
}

TEST(StridedGeometry, a_stride_that_steps_by_no_whole_unit_is_not_explained) {  // x[row*(stride/3)]
  const StrideQuestion question = with_strides({"ROWS"}, {"STRIDE"}, {4, 4}, {true, false, false}, {1, 1, 1});
  const auto geometry = explained(question, [](const Setting& s) {
    const int64_t rows = std::min(s.sizes[0], s.grid[0]);
    return Reach{(rows - 1) * (s.strides[0] / 3) + 1, rows};
  });
  EXPECT_TRUE(!geometry || geometry->geometry.shapes[0].empty());
}

}  // namespace
}  // namespace assay::describe
