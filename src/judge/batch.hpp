// SPDX-License-Identifier: MIT
// The samples of one side of a comparison as they arrive: in batches, several from each process. In an interleaved run
// batch i of a process of the candidate was taken beside batch i of the process of the same number of the baseline
// (ABBA order). Samples of a batch resemble each other, and so do batches of a process.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace assay::judge {

struct Batch {
  std::vector<double> microseconds;
  std::vector<bool> throttled;        // per sample; empty means none was
  std::optional<double> clock_mhz{};  // mean SM clock while the batch ran
  size_t process = 0;                 // of its side, in the order in which they were started

  bool operator==(const Batch&) const = default;
};

using Batches = std::vector<Batch>;

// Every time finite and above 0, marks as many as samples, clocks above 0, at least one sample in all. `name` is what
// an error calls this side.
Result<void> validate(const Batches& batches, std::string_view name);

size_t sample_count(const Batches& batches);
size_t process_count(const Batches& batches);
double throttled_fraction(const Batches& batches);
std::vector<double> pooled(const Batches& batches);        // all times in order
std::optional<double> mean_clock(const Batches& batches);  // nothing unless every batch has its clock

}  // namespace assay::judge
