// SPDX-License-Identifier: MIT
// Which tensors a kernel steps through with a stride that it takes as an argument: lda of a[row*lda + column], the four
// strides of a tensor of attention, a pitch in bytes. A run in which the stride is larger by one step reaches further
// by as many steps as the tensor has rows, less one.
//
// Of a kernel's reach into a tensor, this takes away what its strides bring: what is left is how far it reaches within
// a row, and beside it stands the number of rows of each stride, as if each were a tensor of its own. Both follow from
// the sizes and the grid as the reach into dense tensors does, and find_geometry explains them.
#pragma once

#include "describe/geometry.hpp"

namespace assay::describe {

struct StrideQuestion {
  Question question;                   // the strides are none of its sizes
  std::vector<std::string> strides;    // in the order of the kernel's parameters
  std::vector<int64_t> element_bytes;  // of each tensor
  std::vector<int64_t> vectors;        // likewise: elements in one that the kernel reads, 4 of float4
};

// One of a stride is `numerator / denominator` elements: pitches often count bytes, and some strides vectors.
struct StrideUse {
  size_t tensor = 0;
  size_t stride = 0;
  int64_t numerator = 1;
  int64_t denominator = 1;
};

class StrideUses {
 public:
  StrideUses(const StrideQuestion& question, const Probe& probe) : question_(question), probe_(probe) {}

  // False if the kernel cannot run with strides of its own, or uses none of them.
  Result<bool> find();
  const std::vector<StrideUse>& uses() const { return uses_; }
  bool several_of_a_tensor() const { return groups_.size() > 1; }

  // The reach within a row of each tensor, then the rows of each use.
  Result<std::optional<Reach>> reach(const Setting& setting);
  // A use turned out to count another unit than it was taken for: what `reach` said before is void.
  bool changed_unit();

 private:
  Result<std::optional<Reach>> run(const Setting& setting, int64_t stride, const std::vector<size_t>& longer);
  Result<std::optional<Reach>> reach_with(const Setting& setting, int64_t stride);
  bool peel(const std::vector<Reach>& longer, int64_t stride, Reach& inner, Reach& rows);
  void group();

  const StrideQuestion& question_;
  const Probe& probe_;
  std::vector<StrideUse> uses_;
  std::vector<std::vector<size_t>> groups_;  // strides that no two of which step through the same tensor
  bool changed_ = false;
};

}  // namespace assay::describe
