// SPDX-License-Identifier: MIT
// Findings by place: what many threads show at one place of the program is one finding. The only list that folds.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/finding.hpp"

namespace assay::gpu {

// In the order of their first occurrence.
class FindingList {
 public:
  static constexpr size_t kMost = 1024;       // places; further ones are only counted
  static constexpr size_t kMostThreads = 64;  // that are listed for each of them

  bool add(Finding finding);  // false: the place was known, or there are too many
  void merge(FindingList&& other);
  const std::vector<Finding>& findings() const { return findings_; }
  uint64_t occurrences() const { return occurrences_; }

 private:
  // The line and column of the user's code. Without line information it is the line of the PTX, which survives the way
  // from a worker to the command.
  using Place = std::tuple<FindingKind, AccessKind, Space, uint32_t, std::string, int, int>;
  using Threads = std::map<Dim3, uint64_t>;  // and how often each showed it
  static Place place_of(const Finding& finding);
  bool add(Finding finding, const Threads& threads);

  std::vector<Finding> findings_;
  std::vector<Threads> threads_;  // beside findings_: of all that were added, listed or not
  std::map<Place, size_t> index_;
  uint64_t occurrences_ = 0;
  uint64_t not_listed_ = 0;
};

}  // namespace assay::gpu
