// SPDX-License-Identifier: MIT
// The samples of one side of a comparison as they arrive: in blocks. In an interleaved run block i of the candidate was
// taken beside block i of the baseline (ABBA order); samples within a block resemble each other.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::judge {

struct Block {
  std::vector<double> microseconds;
  std::vector<bool> throttled;        // per sample; empty means none was
  std::optional<double> clock_mhz{};  // mean SM clock while the block ran

  bool operator==(const Block&) const = default;
};

using Blocks = std::vector<Block>;

// Every time finite and above 0, marks as many as samples, clocks above 0, at least one sample in all. `name` is what
// an error calls this side.
Result<void> validate(const Blocks& blocks, std::string_view name);

size_t sample_count(const Blocks& blocks);
double throttled_fraction(const Blocks& blocks);
std::vector<double> pooled(const Blocks& blocks);        // all times in order
std::optional<double> mean_clock(const Blocks& blocks);  // nothing unless every block has its clock

}  // namespace assay::judge
