// SPDX-License-Identifier: MIT
#include "describe/reach_survey.hpp"

#include <algorithm>

namespace assay::describe {
namespace {

constexpr size_t kChoices = 4;
// Different, and with few common divisors: a product of some is seldom one of others.
constexpr std::array<int64_t, 15> kPrimes{11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67};
constexpr std::array<int64_t, 10> kMultiples{3, 5, 7, 4, 11, 9, 13, 8, 15, 17};  // of a large scale
constexpr std::array<int64_t, 10> kFew{3, 5, 7, 2, 4, 9, 11, 6, 8, 10};          // where a tensor may have many
constexpr std::array<int64_t, 10> kSmall{3, 5, 7, 4, 6, 8, 9, 2, 10, 11};        // of what is not called a size

constexpr int64_t kMostBlocks = 1 << 14;       // of a run that may be in vain
constexpr int64_t kMostBlocksOfOne = 1 << 17;  // with one large size

Sizes choice(const Question& question, int64_t scale, size_t number) {
  Sizes sizes;
  size_t large = 0;
  size_t small = 0;
  // A tensor of three or four dimensions has to fit into the room that a trial gives it.
  const auto count = std::ranges::count(question.large, true);
  const bool few = count == 3 || count == 4 || question.many_dimensions;
  for (size_t i = 0; i < question.sizes.size(); ++i) {
    if (!question.large[i]) {
      sizes.push_back(kSmall[(small++ + number) % kSmall.size()]);
    } else if (scale <= 4 && few) {
      sizes.push_back(scale * kFew[(large++ + 3 * number) % kFew.size()]);
    } else if (scale <= 4) {
      sizes.push_back(scale * kPrimes[(large++ + 4 * number) % kPrimes.size()]);
    } else {
      sizes.push_back(scale * kMultiples[(large++ + 3 * number) % kMultiples.size()]);
    }
  }
  return sizes;
}

class Surveyor {
 public:
  Surveyor(const Question& question, const Probe& probe, int64_t scale)
      : question_(question), probe_(probe), scale_(scale) {}

  Result<std::optional<ReachSurvey>> run() {
    survey_.regular.assign(question_.tensors, true);
    for (size_t number = 0; number < kChoices; ++number) survey_.choices.push_back(choice(question_, scale_, number));
    for (size_t axis = 0; axis < 3; ++axis) {
      if (!question_.axes[axis]) survey_.axes[axis].enough = 1;
      if (question_.axes[axis]) ASSAY_CHECK(look_along(axis));
      if (failed_) return std::optional<ReachSurvey>();
    }
    for (size_t axis = 0; axis < 3; ++axis) {
      if (question_.axes[axis]) ASSAY_CHECK(find_bounds(axis));
    }
    for (const Sizes& sizes : survey_.choices) ASSAY_CHECK(measure(sizes));
    if (failed_) return std::optional<ReachSurvey>();
    return std::optional(std::move(survey_));
  }

 private:
  using Grid = std::array<int64_t, 3>;

  // Nothing, and never anything again, if it cannot run.
  Result<Reach> reach(const Sizes& sizes, const Grid& grid, bool rough = false) {
    if (failed_) return Reach(question_.tensors, 0);
    Setting setting{sizes, grid};
    setting.rough = rough;
    ASSAY_TRY(std::optional<Reach> found, probe_(setting));
    failed_ = !found;
    return found ? *std::move(found) : Reach(question_.tensors, 0);
  }

  Grid grid_with(size_t axis, int64_t blocks) const {
    Grid grid{1, 1, 1};
    for (size_t i = 0; i < 3; ++i) grid[i] = survey_.axes[i].enough;
    grid[axis] = blocks;
    return grid;
  }

  // The same with few blocks along the other axes, if all that are enough would be too many.
  Grid slim_grid_with(size_t axis, int64_t blocks, int64_t many) const {
    Grid grid = grid_with(axis, many);
    const bool slim = grid[0] * grid[1] * grid[2] > kMostBlocks;
    for (size_t i = 0; i < 3; ++i) {
      if (slim) grid[i] = std::min<int64_t>(grid[i], 2);
    }
    grid[axis] = blocks;
    return grid;
  }

  static Reach difference(const Reach& more, const Reach& less) {
    Reach result;
    for (size_t i = 0; i < more.size(); ++i) result.push_back(more[i] - less[i]);
    return result;
  }

  // More blocks than any one size needs.
  static int64_t many_blocks(const Sizes& sizes) {
    return sizes.empty() ? 33 : std::max<int64_t>(32, 2 * *std::ranges::max_element(sizes)) + 1;
  }

  int64_t threads_of_block() const { return question_.block[0] * question_.block[1] * question_.block[2]; }

  // Blocks that take so many of all elements each.
  int64_t blocks_of_all(const Sizes& sizes, int64_t share) const {
    int64_t elements = 1;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (question_.large[i]) elements = std::min<int64_t>(elements * sizes[i], int64_t{1} << 40);
    }
    return (elements + share - 1) / share;
  }

  int64_t needed_for_all(size_t axis, const Sizes& sizes) const {
    return share_of_all_[axis] == 0 ? 0 : blocks_of_all(sizes, share_of_all_[axis]);
  }

  // Growth by each block once all bounds are passed, and what the first blocks bring beyond it.
  Result<void> look_along(size_t axis) {
    const Sizes& sizes = survey_.choices.front();
    AxisSurvey& along = survey_.axes[axis];
    ASSAY_TRY(const Reach one, reach(sizes, grid_with(axis, 1)));
    ASSAY_TRY(const Reach growth, look_behind(axis, many_blocks(sizes), one));
    const int64_t threads = threads_of_block();
    for (const int64_t share : {threads, std::max<int64_t>(1, threads / 32)}) {  // a thread or a warp for each
      const int64_t all = blocks_of_all(sizes, share) + 1;
      if (failed_ || !along.free || share_of_all_[axis] != 0 || all <= many_blocks(sizes)) continue;
      if (all > kMostBlocks) {
        doubt(growth);
        continue;
      }
      const AxisSurvey before = along;
      const std::vector<bool> regular = survey_.regular;
      share_of_all_[axis] = share;
      ASSAY_TRY(const Reach then, look_behind(axis, all, one));
      bool ends = false;
      for (size_t i = 0; i < question_.tensors; ++i) ends = ends || (growth[i] != 0 && then[i] == 0);
      if (!failed_ && ends) continue;
      along = before;
      survey_.regular = regular;
      share_of_all_[axis] = 0;
      if (failed_) doubt(growth);  // so many blocks are more than a run may have
      failed_ = false;
    }
    return {};
  }

  // An element for each thread may go on for ever, or end with a product of sizes that no run can have.
  void doubt(const Reach& growth) {
    for (size_t i = 0; i < question_.tensors; ++i) {
      if (growth[i] == threads_of_block()) survey_.regular[i] = false;
    }
  }

  // The growth of each tensor's reach once there are so many blocks.
  Result<Reach> look_behind(size_t axis, int64_t many, const Reach& one) {
    const Sizes& sizes = survey_.choices.front();
    AxisSurvey& along = survey_.axes[axis];
    along = AxisSurvey();
    ASSAY_TRY(const Reach here, reach(sizes, grid_with(axis, many)));
    ASSAY_TRY(const Reach next, reach(sizes, grid_with(axis, many + 1)));
    ASSAY_TRY(const Reach third, reach(sizes, grid_with(axis, many + 2)));
    const Reach growth = difference(next, here);
    const Reach again = difference(third, next);
    for (size_t i = 0; i < question_.tensors; ++i) {
      if (growth[i] != again[i]) survey_.regular[i] = false;
      along.free = along.free || growth[i] != 0;
      along.bounded = along.bounded || here[i] - one[i] != growth[i] * (many - 1);
    }
    if (along.bounded) {
      ASSAY_TRY(along.enough, blocks_enough(sizes, axis, many));
    }
    return growth;
  }

  // Whether the reach of so many blocks is what growth alone makes of that of `many`.
  Result<bool> are_enough(int64_t blocks, const Sizes& sizes, size_t axis, int64_t many, const Reach& there,
                          const Reach& growth) {
    ASSAY_TRY(const Reach here, reach(sizes, slim_grid_with(axis, blocks, many), true));
    for (size_t i = 0; i < question_.tensors; ++i) {
      if (there[i] - here[i] != growth[i] * (many - blocks)) return false;
    }
    return true;
  }

  // The smallest number that is enough. Few blocks are tried first: they cost little.
  Result<int64_t> blocks_enough(const Sizes& sizes, size_t axis, int64_t many) {
    ASSAY_TRY(const Reach there, reach(sizes, slim_grid_with(axis, many, many), true));
    ASSAY_TRY(const Reach next, reach(sizes, slim_grid_with(axis, many + 1, many), true));
    const Reach growth = difference(next, there);
    int64_t low = 0;  // not enough
    int64_t high = 1;
    if (const int64_t all = needed_for_all(axis, sizes); all > 1 && all < many) {
      ASSAY_TRY(const bool enough, are_enough(all, sizes, axis, many, there, growth));
      if (enough) {
        ASSAY_TRY(const bool fewer, are_enough(all - 1, sizes, axis, many, there, growth));
        if (!fewer) return all;
      }
    }
    while (high < many && !failed_) {
      ASSAY_TRY(const bool enough, are_enough(high, sizes, axis, many, there, growth));
      if (enough) break;
      low = high;
      high = std::min(many, 2 * high);
    }
    while (high - low > 1 && !failed_) {
      const int64_t middle = low + (high - low) / 2;
      ASSAY_TRY(const bool enough, are_enough(middle, sizes, axis, many, there, growth));
      (enough ? high : low) = middle;
    }
    return high;
  }

  Result<Reach> growth_by_second_block(size_t axis, const Sizes& sizes) {
    ASSAY_TRY(const Reach one, reach(sizes, grid_with(axis, 1), true));
    ASSAY_TRY(const Reach two, reach(sizes, grid_with(axis, 2), true));
    return difference(two, one);
  }

  // What grows with every block is not bounded. Where that is all that an axis has shown, the second block must reach
  // further into another tensor before many blocks are worth their time.
  Result<bool> second_block_matters(size_t axis, const Sizes& sizes) {
    if (!survey_.axes[axis].free || survey_.axes[axis].bounded) return true;
    ASSAY_TRY(const Reach before, growth_by_second_block(axis, survey_.choices.front()));
    ASSAY_TRY(const Reach growth, growth_by_second_block(axis, sizes));
    for (size_t i = 0; i < question_.tensors; ++i) {
      if (before[i] == 0 && growth[i] != 0) return true;
    }
    return false;
  }

  // A size that is much larger than the others needs more blocks along the axis that runs over it.
  Result<void> find_bounds(size_t axis) {
    for (size_t size = 0; size < question_.sizes.size(); ++size) {
      Sizes sizes = survey_.choices.front();
      sizes[size] = (1024 / scale_ + 1) * scale_;
      int64_t many = std::max(sizes[size], needed_for_all(axis, sizes)) + 1;
      const bool could_run = !failed_;
      ASSAY_TRY(const bool may_bound, second_block_matters(axis, sizes));
      if (!may_bound && !failed_) continue;
      if (failed_ && could_run) failed_ = false;
      ASSAY_TRY(Reach here, reach(sizes, slim_grid_with(axis, many, many), true));
      ASSAY_TRY(Reach next, reach(sizes, slim_grid_with(axis, many + 1, many), true));
      // An axis that ends has not ended yet: its blocks cover this size times others.
      for (const int64_t share : {threads_of_block(), std::max<int64_t>(1, threads_of_block() / 32)}) {
        if (failed_ || survey_.axes[axis].free || here == next) break;
        many = std::max(many, std::min(blocks_of_all(sizes, share), kMostBlocksOfOne) + 1);
        ASSAY_TRY(here, reach(sizes, slim_grid_with(axis, many, many), true));
        ASSAY_TRY(next, reach(sizes, slim_grid_with(axis, many + 1, many), true));
      }
      ASSAY_TRY(const int64_t blocks, blocks_enough(sizes, axis, many));
      if (blocks > survey_.axes[axis].enough || (!survey_.axes[axis].bounded && blocks > 1)) {
        ASSAY_TRY(const Reach first, reach(sizes, grid_with(axis, 1)));
        ASSAY_TRY(const Reach second, reach(sizes, grid_with(axis, 2)));
        if (!failed_) survey_.bounds[axis].push_back({size, sizes[size], blocks, difference(second, first)});
      }
      if (failed_ && could_run) failed_ = false;  // one size may be as large as this in no run: others say more
    }
    return {};
  }

  Result<void> measure(const Sizes& sizes) {
    Grid grid{1, 1, 1};
    for (size_t axis = 0; axis < 3; ++axis) {
      const AxisSurvey& along = survey_.axes[axis];
      // Where a size that bounds the axis is three times as large, three times as many blocks are enough.
      grid[axis] = along.enough;
      for (const Bound& bound : survey_.bounds[axis]) {
        const int64_t then = survey_.choices.front()[bound.size];
        grid[axis] *= std::max<int64_t>(1, (sizes[bound.size] + then - 1) / then);
      }
    }
    ASSAY_TRY(Reach here, reach(sizes, grid));
    for (size_t axis = 0; axis < 3; ++axis) {
      Reach growth(question_.tensors, 0);
      if (survey_.axes[axis].free) {
        Grid more = grid;
        ++more[axis];
        ASSAY_TRY(const Reach next, reach(sizes, more));
        growth = difference(next, here);
      }
      survey_.growth[axis].push_back(std::move(growth));
    }
    survey_.grids.push_back(grid);
    survey_.reach.push_back(std::move(here));
    return {};
  }

  const Question& question_;
  const Probe& probe_;
  const int64_t scale_;
  ReachSurvey survey_;
  std::array<int64_t, 3> share_of_all_{};  // where blocks cover a product of sizes: how much a block takes, as tried
  bool failed_ = false;
};

}  // namespace

Result<std::optional<ReachSurvey>> survey_reach(const Question& question, const Probe& probe, int64_t scale) {
  return Surveyor(question, probe, scale).run();
}

Sizes fresh_sizes(const Question& question, int64_t scale, size_t number) {
  return choice(question, scale, kChoices + number);
}

}  // namespace assay::describe
