// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/finding.hpp"

namespace assay::gpu {

// Findings in the order of their first occurrence, each with a count.
class FindingList {
 public:
  static constexpr size_t kMost = 4096;  // different ones; further ones are only counted

  bool add(Finding finding);  // false: it was known, or there are too many
  void merge(FindingList&& other);
  const std::vector<Finding>& findings() const { return findings_; }
  uint64_t occurrences() const { return occurrences_; }
  uint64_t not_listed() const { return not_listed_; }

 private:
  // Threads of all blocks with one position in the block are one finding: the first block's is shown.
  using Key = std::tuple<FindingKind, AccessKind, std::string, int, uint32_t, Dim3>;
  static Key key_of(const Finding& finding);

  std::vector<Finding> findings_;
  std::map<Key, size_t> index_;
  uint64_t occurrences_ = 0;
  uint64_t not_listed_ = 0;
};

}  // namespace assay::gpu
