// SPDX-License-Identifier: MIT
#include "describe/geometry.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

#include "describe/reach_survey.hpp"
#include "describe/tensor_layout.hpp"

namespace assay::describe {
namespace {

constexpr std::array<const char*, 3> kOwnSizes{"BLOCKS", "BLOCKS_Y", "BLOCKS_Z"};

// What the blocks along an axis cover, and how much of it each takes.
struct Cover {
  std::optional<Product> total;
  int64_t per_block = 1;
};

int64_t ceil_div(int64_t a, int64_t b) {
  return (a + b - 1) / b;
}

// How much a block takes of a total that so many blocks cover: as many as it has threads, or a few times that, or
// another round number.
int64_t share_of_block(const std::vector<Bound>& bounds, const std::vector<int64_t>& totals, const Question& question,
                       size_t axis) {
  std::vector<int64_t> candidates;
  for (const int64_t times : {1, 2, 4, 8, 16, 3, 5, 6, 7, 32}) candidates.push_back(question.block[axis] * times);
  const int64_t threads = question.block[0] * question.block[1] * question.block[2];
  for (const int64_t times : {1, 2, 4, 8, 16}) candidates.push_back(threads * times);
  candidates.push_back(1);
  for (int64_t power = 2; power <= 65536; power *= 2) candidates.push_back(power);
  for (int64_t warps = 1; warps <= 32; ++warps) candidates.push_back(32 * warps);
  for (int64_t any = 3; any <= 128; ++any) candidates.push_back(any);
  for (const int64_t candidate : candidates) {
    bool fits = candidate > 0;
    for (size_t i = 0; i < bounds.size(); ++i) fits = fits && ceil_div(totals[i], candidate) == bounds[i].blocks;
    if (fits) return candidate;
  }
  return 0;
}

class Finder {
 public:
  Finder(const Question& question, const ReachSurvey& survey, int64_t scale)
      : question_(question), survey_(survey), scale_(scale) {
    found_.sizes = question.sizes;
    found_.shapes.resize(question.tensors);
    found_.border.assign(question.tensors, false);
    found_.used.assign(question.sizes.size(), false);
    found_.multiple = scale;
  }

  Geometry run() {
    for (size_t axis = 0; axis < 3; ++axis) find_cover(axis);
    for (size_t tensor = 0; tensor < question_.tensors; ++tensor)
      layouts_.push_back(layout_of(survey_, tensor, per_block()));
    for (const auto& layout : layouts_) {
      if (layout) take_extents(*layout);
    }
    name_the_rest();
    for (size_t axis = 0; axis < 3; ++axis) found_.grid[axis] = grid_text(axis);
    for (size_t tensor = 0; tensor < question_.tensors; ++tensor) {
      if (!layouts_[tensor]) continue;
      found_.shapes[tensor] = shape_of(*layouts_[tensor], tensor);
      found_.border[tensor] = layouts_[tensor]->border;
    }
    for (size_t size = 0; size < question_.sizes.size(); ++size) found_.used[size] = is_used(size);
    return found_;
  }

  // The sizes' values with those of the numbers of blocks, and the grid; two blocks along an axis that is not known.
  Setting setting(Sizes sizes) const {
    Setting setting{std::move(sizes), {1, 1, 1}};
    for (size_t own = question_.sizes.size(); own < found_.sizes.size(); ++own) setting.sizes.push_back(3);
    for (size_t axis = 0; axis < 3; ++axis) {
      if (!question_.axes[axis]) continue;
      const Cover& cover = covers_[axis];
      setting.grid[axis] = cover.total ? ceil_div(cover.total->value(setting.sizes), cover.per_block) : 2;
    }
    return setting;
  }

  int64_t elements(size_t tensor, const Sizes& sizes) const {
    const TensorLayout& layout = *layouts_[tensor];
    int64_t product = layout.inner.value(sizes);
    for (const Dimension& dimension : layout.dimensions) {
      const int64_t extent = dimension.known    ? dimension.extent.value(sizes)
                             : dimension.blocks ? blocks_of(*dimension.axis, sizes)
                                                : total_of(*dimension.axis, sizes);
      product *= extent;
    }
    // A part of a row that is larger than the row is a choice of sizes that means nothing.
    const int64_t excess = layout.part ? layout.part->value(sizes) - layout.inner.value(sizes) : 0;
    return product + (layout.beyond ? layout.beyond->value(sizes) : std::max<int64_t>(0, excess));
  }

  bool known(size_t tensor) const { return !found_.shapes[tensor].empty(); }
  void forget(size_t tensor) { found_.shapes[tensor].clear(); }
  Geometry geometry() const { return found_; }

 private:
  std::array<int64_t, 3> per_block() const {
    return {covers_[0].per_block, covers_[1].per_block, covers_[2].per_block};
  }

  void find_cover(size_t axis) {
    Cover& cover = covers_[axis];
    if (!question_.axes[axis]) return;
    const std::vector<Bound>& bounds = survey_.bounds[axis];
    if (!bounds.empty()) {
      Product total;
      for (const Bound& bound : bounds) total.factors.push_back({Factor::Kind::size, bound.size});
      std::vector<int64_t> totals;
      for (const Bound& bound : bounds) {
        Sizes sizes = survey_.choices.front();
        sizes[bound.size] = bound.total;
        totals.push_back(total.value(sizes));
      }
      if (const int64_t share = share_of_block(bounds, totals, question_, axis); share > 0) {
        cover.per_block = share;
        cover.total = total;
      }
      return;
    }
    if (!survey_.axes[axis].free) return;
    // The same constant in every stride is what a block takes.
    int64_t share = 0;
    for (size_t tensor = 0; tensor < question_.tensors; ++tensor) {
      const std::optional<int64_t> constant = constant_of_stride(survey_, tensor, axis);
      if (!constant || *constant == 0) continue;
      share = share == 0 || share == *constant ? *constant : 1;
    }
    cover.per_block = std::max<int64_t>(1, share);
  }

  // What the dimensions of a tensor say of the axes that run over them.
  void take_extents(const TensorLayout& layout) {
    for (const Dimension& dimension : layout.dimensions) {
      if (!dimension.axis || !dimension.known) continue;
      Cover& cover = covers_[*dimension.axis];
      if (dimension.blocks) cover = {dimension.extent, 1};  // others, which a size bounds, need fewer
      if (!cover.total) cover.total = dimension.extent;
    }
  }

  bool is_used(size_t size) const {
    const auto in = [&](const Product& product) {
      return std::ranges::any_of(product.factors, [&](const Factor& factor) {
        const bool two = factor.kind == Factor::Kind::halo || factor.kind == Factor::Kind::shrunk ||
                         factor.kind == Factor::Kind::sum;
        return factor.first == size || (two && factor.second == size);
      });
    };
    for (const Cover& cover : covers_) {
      if (cover.total && in(*cover.total)) return true;
    }
    for (const auto& layout : layouts_) {
      if (!layout) continue;
      if (in(layout->inner) || (layout->part && in(*layout->part)) || (layout->beyond && in(*layout->beyond)))
        return true;
      for (const Dimension& dimension : layout->dimensions) {
        if (in(dimension.stride) || (dimension.known && in(dimension.extent))) return true;
      }
    }
    return false;
  }

  // Axes that are outermost everywhere: what they run over is a size that nothing else depends on, or a number of
  // blocks that no parameter says.
  void name_the_rest() {
    std::vector<size_t> open;
    for (size_t axis = 0; axis < 3; ++axis) {
      if (question_.axes[axis] && survey_.axes[axis].free && !covers_[axis].total) open.push_back(axis);
    }
    std::ranges::stable_sort(open, std::greater(),
                             [&](size_t axis) { return *std::ranges::max_element(survey_.growth[axis].front()); });
    // A tensor that is not understood may have any of the sizes.
    const bool understood =
        std::ranges::all_of(layouts_, [](const std::optional<TensorLayout>& layout) { return layout.has_value(); });
    std::vector<size_t> idle;
    for (size_t size = 0; understood && size < question_.sizes.size(); ++size) {
      if (question_.large[size] && !is_used(size)) idle.push_back(size);
    }
    if (open.size() == 1 && !idle.empty()) {
      Product total;
      for (const size_t size : idle) total.factors.push_back({Factor::Kind::size, size});
      give(open.front(), total);
    } else if (open.size() == idle.size()) {
      for (size_t i = 0; i < open.size(); ++i) give(open[i], Product{1, {{Factor::Kind::size, idle[i]}}});
    } else {
      for (const size_t axis : open) give_own(axis);
    }
  }

  void give(size_t axis, const Product& total) {
    found_.assumed[axis] = true;
    Cover& cover = covers_[axis];
    const bool groups = std::ranges::all_of(total.factors, [&](const Factor& f) { return question_.groups[f.first]; });
    if (cover.per_block > 1 && ((groups && is_contiguous(axis)) || cover.per_block % question_.block[axis] != 0)) {
      give_own(axis, total);
      return;
    }
    cover.total = total;
  }

  // What a block takes of every tensor follows what the block before it takes.
  bool is_contiguous(size_t axis) const {
    return std::ranges::all_of(layouts_, [&](const std::optional<TensorLayout>& layout) {
      return !layout || std::ranges::all_of(layout->dimensions, [&](const Dimension& dimension) {
        return dimension.axis != axis || dimension.stride.is_one();
      });
    });
  }

  // A number of blocks is a size of its own, unless it is this product.
  void give_own(size_t axis, std::optional<Product> blocks = std::nullopt) {
    if (!blocks) {
      found_.sizes.push_back(free_name(kOwnSizes[axis]));
      blocks = Product{1, {{Factor::Kind::size, found_.sizes.size() - 1}}};
    }
    blocks->constant *= covers_[axis].per_block;
    covers_[axis].total = blocks;
  }

  std::string free_name(std::string name) const {
    while (std::ranges::find(found_.sizes, name) != found_.sizes.end()) name += "_";
    return name;
  }

  std::string grid_text(size_t axis) const {
    if (!question_.axes[axis]) return "1";
    const Cover& cover = covers_[axis];
    if (!cover.total) return "";
    if (cover.total->constant % cover.per_block == 0) {
      Product blocks = *cover.total;
      blocks.constant /= cover.per_block;
      return blocks.text(found_.sizes);
    }
    return fmt::format("ceil_div({}, {})", cover.total->text(found_.sizes), cover.per_block);
  }

  int64_t blocks_of(size_t axis, const Sizes& sizes) const {
    const Cover& cover = covers_[axis];
    return cover.total ? ceil_div(cover.total->value(sizes), cover.per_block) : 1;
  }

  int64_t total_of(size_t axis, const Sizes& sizes) const { return blocks_of(axis, sizes) * covers_[axis].per_block; }

  // Nothing keeps the last block along a free axis inside: whole blocks, if the sizes are not multiples anyway.
  std::string total_text(size_t axis) const {
    const Cover& cover = covers_[axis];
    std::string total = cover.total->text(found_.sizes);
    if (scale_ % cover.per_block == 0 || cover.total->constant % cover.per_block == 0) return total;
    return fmt::format("round_up({}, {})", total, cover.per_block);
  }

  std::string extent_text(const Dimension& dimension) const {
    if (dimension.known) return dimension.extent.text(found_.sizes);
    return dimension.blocks ? grid_text(*dimension.axis) : total_text(*dimension.axis);
  }

  std::vector<std::string> shape_of(const TensorLayout& layout, size_t tensor) const {
    std::vector<std::string> shape;
    for (const Dimension& dimension : layout.dimensions) {
      if (!dimension.known && !covers_[*dimension.axis].total) return {};
      shape.push_back(extent_text(dimension));
    }
    if (!layout.inner.is_one() || shape.empty()) {
      const auto [inner, constant_place] = in_order_of_strides(layout.inner, survey_, tensor, per_block());
      const std::vector<std::string> last = inner.list(found_.sizes, constant_place);
      shape.insert(shape.end(), last.begin(), last.end());
    }
    if (!layout.beyond) return shape;
    std::string total;
    for (const std::string& each : shape)
      total += (total.empty() ? "" : "*") + (each.find(' ') == std::string::npos ? each : "(" + each + ")");
    return {fmt::format("{} + {}", total, layout.beyond->text(found_.sizes))};
  }

  const Question& question_;
  const ReachSurvey& survey_;
  const int64_t scale_;
  Geometry found_;
  std::array<Cover, 3> covers_;
  std::vector<std::optional<TensorLayout>> layouts_;
};

// A run with other sizes: a tensor whose reach is not what was found is forgotten.
Result<void> try_again(Finder& finder, const Question& question, const Probe& probe, int64_t scale) {
  for (size_t number = 0; number < 2; ++number) {
    const Setting setting = finder.setting(fresh_sizes(question, scale, number));
    Setting asked = setting;
    asked.sizes.resize(question.sizes.size());
    ASSAY_TRY(const std::optional<Reach> reach, probe(asked));
    for (size_t tensor = 0; tensor < question.tensors; ++tensor) {
      if (!finder.known(tensor)) continue;
      const int64_t elements = finder.elements(tensor, setting.sizes);
      if (!reach || (*reach)[tensor] > elements || (*reach)[tensor] * 2 <= elements) finder.forget(tensor);
    }
  }
  return {};
}

size_t shapes_known(const Geometry& geometry) {
  return static_cast<size_t>(
      std::ranges::count_if(geometry.shapes, [](const std::vector<std::string>& shape) { return !shape.empty(); }));
}

// Whether what was found with multiples of a scale holds for any sizes.
Result<bool> holds_for_any(Finder finder, const Question& question, const Probe& probe) {
  const size_t before = shapes_known(finder.geometry());
  ASSAY_CHECK(try_again(finder, question, probe, 1));
  return shapes_known(finder.geometry()) == before;
}

}  // namespace

Result<std::optional<Geometry>> find_geometry(const Question& question, const Probe& probe) {
  std::optional<Geometry> best;
  for (const int64_t scale : {4, 16, 64}) {  // pairs and vectors of four are common; then tiles
    ASSAY_TRY(const std::optional<ReachSurvey> survey, survey_reach(question, probe, scale));
    if (!survey) continue;
    Finder finder(question, *survey, scale);
    finder.run();
    ASSAY_CHECK(try_again(finder, question, probe, scale));
    Geometry found = finder.geometry();
    if (shapes_known(found) == 0 || (best && shapes_known(found) <= shapes_known(*best))) continue;
    ASSAY_TRY(const bool any, holds_for_any(finder, question, probe));
    if (any) found.multiple = 1;
    best = std::move(found);
    if (shapes_known(*best) == question.tensors) break;
  }
  return best;
}

}  // namespace assay::describe
