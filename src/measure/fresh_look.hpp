// SPDX-License-Identifier: MIT
// Whether a contender takes longer for contents that it sees for the first time: one that remembers results does. All
// that is compared was called alike: by the same process, in the same place of a batch, right after its inputs were
// written.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace assay::measure {

inline constexpr size_t kFreshCalls = 5;  // of one look
inline constexpr size_t kFreshLooks = 3;  // that confirm a suspicion, each in a process of its own

// What one process took. Seen contents are of two kinds, since a contender that has noticed new ones may be slow with
// all others from then on.
struct FreshLook {
  std::vector<double> fresh_us;   // contents that were never there before
  std::vector<double> before_us;  // known ones, before anything new was there
  std::vector<double> beside_us;  // known ones, in the batches of the fresh ones

  double fresh() const;  // median
  double seen() const;   // the lower of the two medians
  bool is_slow() const;  // much longer; in one look this may be what else the machine does
};

// Proof: in every look, and above what known contents take now and then.
bool remembers_results(std::span<const FreshLook> looks);

}  // namespace assay::measure
