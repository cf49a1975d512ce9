// SPDX-License-Identifier: MIT
// Kernels as functions: how far they reach for some sizes and some blocks. What their tensors and grids are is known.
#include "describe/geometry.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace assay::describe {
namespace {

using Shape = std::vector<std::string>;

int64_t up(int64_t value, int64_t step) {
  return (value + step - 1) / step * step;
}

Question asking(std::vector<std::string> sizes, size_t tensors, std::array<bool, 3> axes,
                std::array<int64_t, 3> block) {
  Question question;
  question.large.assign(sizes.size(), true);
  question.groups.assign(sizes.size(), false);
  question.sizes = std::move(sizes);
  question.tensors = tensors;
  question.axes = axes;
  question.block = block;
  return question;
}

Geometry found(const Question& question,
               const std::function<Reach(const Sizes&, const std::array<int64_t, 3>&)>& kernel) {
  const Probe probe = [&](const Setting& setting) -> Result<std::optional<Reach>> {
    return std::optional(kernel(setting.sizes, setting.grid));
  };
  const auto geometry = find_geometry(question, probe);
  EXPECT_TRUE(geometry && *geometry);
  return geometry && *geometry ? **geometry : Geometry{};
}

TEST(Geometry, elements_with_a_bound) {  // if (i < n) y[i] = x[i]
  const Geometry geometry = found(asking({"N"}, 2, {true, false, false}, {256, 1, 1}), [](const Sizes& s, auto grid) {
    const int64_t end = std::min(s[0], 256 * grid[0]);
    return Reach{end, end};
  });
  EXPECT_EQ(geometry.shapes, (std::vector<Shape>{{"N"}, {"N"}}));
  EXPECT_EQ(geometry.grid[0], "ceil_div(N, 256)");
  EXPECT_EQ(geometry.multiple, 1);
}

TEST(Geometry, four_elements_of_a_thread) {
  const Geometry geometry = found(asking({"N"}, 1, {true, false, false}, {128, 1, 1}),
                                  [](const Sizes& s, auto grid) { return Reach{std::min(s[0], 512 * grid[0])}; });
  EXPECT_EQ(geometry.grid[0], "ceil_div(N, 512)");
}

TEST(Geometry, one_block_for_each_row_that_nobody_counts) {  // y[blockIdx.x*cols + i], i < cols
  const Geometry geometry = found(asking({"COLS"}, 2, {true, false, false}, {256, 1, 1}),
                                  [](const Sizes& s, auto grid) { return Reach{grid[0] * s[0], grid[0] * s[0]}; });
  EXPECT_EQ(geometry.shapes[0], (Shape{"BLOCKS", "COLS"}));
  EXPECT_EQ(geometry.grid[0], "BLOCKS");
  EXPECT_EQ(geometry.sizes.back(), "BLOCKS");
}

TEST(Geometry, one_block_for_each_row_of_a_number_that_the_kernel_does_not_use) {
  const Geometry geometry = found(asking({"ROWS", "COLS"}, 1, {true, false, false}, {256, 1, 1}),
                                  [](const Sizes& s, auto grid) { return Reach{grid[0] * s[1]}; });
  EXPECT_EQ(geometry.shapes[0], (Shape{"ROWS", "COLS"}));
  EXPECT_EQ(geometry.grid[0], "ROWS");
}

TEST(Geometry, a_product_of_matrices_with_bounds) {
  const Geometry geometry =
      found(asking({"M", "N", "K"}, 3, {true, true, false}, {16, 16, 1}), [](const Sizes& s, auto grid) {
        const int64_t rows = std::min(s[0], 16 * grid[1]);
        const int64_t columns = std::min(s[1], 16 * grid[0]);
        return Reach{rows * s[2], (s[2] - 1) * s[1] + columns, (rows - 1) * s[1] + columns};
      });
  EXPECT_EQ(geometry.shapes, (std::vector<Shape>{{"M", "K"}, {"K", "N"}, {"M", "N"}}));
  EXPECT_EQ(geometry.grid, (std::array<std::string, 3>{"ceil_div(N, 16)", "ceil_div(M, 16)", "1"}));
}

TEST(Geometry, a_product_of_matrices_in_whole_tiles) {
  const Geometry geometry =
      found(asking({"M", "N", "K"}, 3, {true, true, false}, {16, 16, 1}), [](const Sizes& s, auto grid) {
        const int64_t k = up(s[2], 16);
        const int64_t rows = 16 * grid[1];
        const int64_t columns = 16 * grid[0];
        return Reach{(rows - 1) * s[2] + k, (k - 1) * s[1] + columns, (rows - 1) * s[1] + columns};
      });
  EXPECT_EQ(geometry.shapes, (std::vector<Shape>{{"M", "K"}, {"K", "N"}, {"M", "N"}}));
  EXPECT_EQ(geometry.grid, (std::array<std::string, 3>{"ceil_div(N, 16)", "ceil_div(M, 16)", "1"}));
  EXPECT_EQ(geometry.multiple, 16);
}

TEST(Geometry, a_convolution) {  // x[(b*C + c)*L + i + t], w[c*T + t], y[(b*C + c)*(L - T + 1) + i]
  Question question = asking({"BATCH", "CHANNELS", "LENGTH", "TAPS"}, 3, {true, true, true}, {256, 1, 1});
  question.large[3] = false;
  const Geometry geometry = found(question, [](const Sizes& s, auto grid) {
    const int64_t out = s[2] - s[3] + 1;
    const int64_t ends = std::min(out, 256 * grid[0]);
    const int64_t before = (grid[2] - 1) * s[1] + grid[1] - 1;
    return Reach{before * s[2] + ends + s[3] - 1, grid[1] * s[3], before * out + ends};
  });
  EXPECT_EQ(geometry.shapes[0], (Shape{"BATCH", "CHANNELS", "LENGTH"}));
  EXPECT_EQ(geometry.shapes[1], (Shape{"CHANNELS", "TAPS"}));
  EXPECT_EQ(geometry.shapes[2], (Shape{"BATCH", "CHANNELS", "LENGTH - TAPS + 1"}));
  EXPECT_EQ(geometry.grid[1], "CHANNELS");
  EXPECT_EQ(geometry.grid[2], "BATCH");
}

TEST(Geometry, a_part_of_each_row) {  // q[(token*heads + head)*dim + pair], pair < part
  Question question = asking({"HEADS", "DIM", "PART"}, 2, {true, true, false}, {256, 1, 1});
  const Geometry geometry = found(question, [](const Sizes& s, auto grid) {
    return Reach{((grid[0] - 1) * s[0] + grid[1] - 1) * s[1] + s[2], grid[0]};
  });
  EXPECT_EQ(geometry.shapes[0], (Shape{"BLOCKS", "HEADS", "DIM"}));
  EXPECT_EQ(geometry.shapes[1], (Shape{"BLOCKS"}));
  EXPECT_EQ(geometry.grid[1], "HEADS");
}

TEST(Geometry, fewer_heads_of_keys_than_of_queries) {  // if (head < kv) also k[(token*kv + head)*dim + pair]
  const Geometry geometry =
      found(asking({"HEADS", "KV", "DIM", "PART"}, 2, {true, true, false}, {256, 1, 1}), [](const Sizes& s, auto grid) {
        const int64_t key_heads = std::min(grid[1], s[1]);
        return Reach{((grid[0] - 1) * s[0] + grid[1] - 1) * s[2] + s[3],
                     ((grid[0] - 1) * s[1] + key_heads - 1) * s[2] + s[3]};
      });
  EXPECT_EQ(geometry.shapes[0], (Shape{"BLOCKS", "HEADS", "DIM"}));
  EXPECT_EQ(geometry.shapes[1], (Shape{"BLOCKS", "KV", "DIM"}));
  EXPECT_EQ(geometry.grid, (std::array<std::string, 3>{"BLOCKS", "HEADS", "1"}));
}

TEST(Geometry, rows_with_a_stride_of_their_own) {  // a[row*lda + column], row < m, column < n
  const Geometry geometry =
      found(asking({"M", "N", "LDA"}, 1, {true, true, false}, {16, 16, 1}), [](const Sizes& s, auto grid) {
        return Reach{(std::min(s[0], 16 * grid[1]) - 1) * s[2] + std::min(s[1], 16 * grid[0])};
      });
  EXPECT_EQ(geometry.shapes[0], (Shape{"M", "LDA"}));
}

TEST(Geometry, whole_rows_of_a_fixed_length) {  // y[blockIdx.x*128 + i], i < 128
  Question question = asking({"ROWS"}, 1, {true, false, false}, {128, 1, 1});
  question.groups[0] = true;
  const Geometry geometry = found(question, [](const Sizes&, auto grid) { return Reach{128 * grid[0]}; });
  EXPECT_EQ(geometry.shapes[0], (Shape{"128*ROWS"}));
  EXPECT_EQ(geometry.grid[0], "ROWS");
}

TEST(Geometry, pairs_of_elements) {  // the kernel handles n / 2 pairs
  const Geometry geometry = found(asking({"N"}, 2, {true, false, false}, {256, 1, 1}), [](const Sizes& s, auto grid) {
    const int64_t pairs = std::min(s[0] / 2, 256 * grid[0]);
    return Reach{2 * pairs, pairs};
  });
  EXPECT_EQ(geometry.shapes[0], (Shape{"N"}));
  EXPECT_EQ(geometry.shapes[1], (Shape{"ceil_div(N, 2)"}));
  EXPECT_EQ(geometry.grid[0], "ceil_div(N, 512)");
}

TEST(Geometry, sums_of_blocks) {  // if (i < n) s += x[i]; sums[blockIdx.x] = s
  const Geometry geometry = found(asking({"N"}, 2, {true, false, false}, {256, 1, 1}), [](const Sizes& s, auto grid) {
    return Reach{std::min(s[0], 256 * grid[0]), grid[0]};
  });
  EXPECT_EQ(geometry.shapes[0], (Shape{"N"}));
  EXPECT_EQ(geometry.shapes[1], (Shape{"ceil_div(N, 256)"}));
}

TEST(Geometry, sizes_that_stand_in_the_source) {  // if (i < 1000) y[i] = x[i]
  const Geometry geometry = found(asking({}, 2, {true, false, false}, {256, 1, 1}), [](const Sizes&, auto grid) {
    const int64_t end = std::min<int64_t>(1000, 256 * grid[0]);
    return Reach{end, end};
  });
  EXPECT_EQ(geometry.shapes, (std::vector<Shape>{{"1000"}, {"1000"}}));
}

TEST(Geometry, windows_that_overlap) {  // x[blockIdx.x*256 + i], i < 256 + 2*radius
  Question question = asking({"RADIUS"}, 2, {true, false, false}, {256, 1, 1});
  question.large[0] = false;
  const Geometry geometry =
      found(question, [](const Sizes& s, auto grid) { return Reach{256 * grid[0] + 2 * s[0], 256 * grid[0]}; });
  EXPECT_EQ(geometry.shapes[0], (Shape{"256*BLOCKS + 2*RADIUS"}));
  EXPECT_EQ(geometry.shapes[1], (Shape{"256*BLOCKS"}));
}

TEST(Geometry, no_integer_at_all) {  // y[blockIdx.x*256 + threadIdx.x]
  const Geometry geometry = found(asking({}, 1, {true, false, false}, {256, 1, 1}),
                                  [](const Sizes&, auto grid) { return Reach{256 * grid[0]}; });
  EXPECT_EQ(geometry.shapes[0], (Shape{"256*BLOCKS"}));
  EXPECT_EQ(geometry.grid[0], "BLOCKS");
}

TEST(Geometry, one_thread_for_each_element_of_three_sizes) {  // if (i < b*t*c) y[i] = w[i / c % t * c + i % c]
  const Geometry geometry =
      found(asking({"B", "T", "C"}, 2, {true, false, false}, {256, 1, 1}), [](const Sizes& s, auto grid) {
        const int64_t end = std::min(s[0] * s[1] * s[2], 256 * grid[0]);
        return Reach{end, std::min(s[1] * s[2], end)};
      });
  EXPECT_EQ(geometry.grid[0], "ceil_div(B*T*C, 256)");
  EXPECT_EQ(geometry.shapes, (std::vector<Shape>{{"B", "T", "C"}, {"T", "C"}}));
}

TEST(Geometry, planes_of_an_image) {  // y[(k*height + row)*width + column], k < 9
  const Geometry geometry =
      found(asking({"WIDTH", "HEIGHT"}, 1, {true, true, false}, {16, 16, 1}), [](const Sizes& s, auto grid) {
        const int64_t columns = std::min(s[0], 16 * grid[0]);
        const int64_t rows = std::min(s[1], 16 * grid[1]);
        return Reach{8 * s[0] * s[1] + (rows - 1) * s[0] + columns};
      });
  EXPECT_EQ(geometry.shapes[0], (Shape{"9", "HEIGHT", "WIDTH"}));
}

TEST(Geometry, colours_of_a_pixel) {  // y[(row*width + column)*3 + k], k < 3
  const Geometry geometry =
      found(asking({"WIDTH", "HEIGHT"}, 1, {true, true, false}, {16, 16, 1}), [](const Sizes& s, auto grid) {
        const int64_t columns = std::min(s[0], 16 * grid[0]);
        const int64_t rows = std::min(s[1], 16 * grid[1]);
        return Reach{((rows - 1) * s[0] + columns) * 3};
      });
  EXPECT_EQ(geometry.shapes[0], (Shape{"HEIGHT", "WIDTH", "3"}));
}

TEST(Geometry, nothing_is_said_of_a_reach_that_depends_on_the_data) {
  const Geometry geometry = found(asking({"N"}, 2, {true, false, false}, {256, 1, 1}), [](const Sizes& s, auto grid) {
    const int64_t somewhere = s[0] * 7919 % 104729 + grid[0] % 3;
    return Reach{std::min(s[0], 256 * grid[0]), somewhere};
  });
  EXPECT_EQ(geometry.shapes[0], (Shape{"N"}));
  EXPECT_TRUE(geometry.shapes[1].empty());
}

TEST(Geometry, a_coincidence_is_forgotten_when_it_is_tried) {
  const std::set<int64_t> looked_at{44, 92, 164, 236, 1028};
  const Geometry geometry = found(asking({"N"}, 2, {true, false, false}, {256, 1, 1}), [&](const Sizes& s, auto) {
    return Reach{s[0], looked_at.contains(s[0]) ? s[0] : s[0] % 7 + 1};
  });
  EXPECT_EQ(geometry.shapes[0], (Shape{"N"}));
  EXPECT_TRUE(geometry.shapes[1].empty());
}

TEST(Geometry, a_kernel_that_cannot_run_says_nothing) {
  const Probe probe = [](const Setting&) -> Result<std::optional<Reach>> { return std::optional<Reach>(); };
  const auto geometry = find_geometry(asking({"N"}, 1, {true, false, false}, {256, 1, 1}), probe);
  ASSERT_TRUE(geometry);
  EXPECT_FALSE(*geometry);
}

}  // namespace
}  // namespace assay::describe
