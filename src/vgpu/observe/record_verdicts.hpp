// SPDX-License-Identifier: MIT
// Of each record of an access table, whether threads that know certain clocks of other blocks know it: one byte. Where
// lanes access what many warps wrote, in no order, most of the time would go into finding this out again.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vgpu/observe/access_table.hpp"
#include "vgpu/observe/race_clock.hpp"

namespace assay::vgpu {

class RecordVerdicts {
 public:
  // unknown: look it up. The others are said of coherent accesses by other blocks alone, and "before" of no access.
  enum class Verdict : uint8_t { unknown, before, unordered };

  // What follows is about these.
  void use(const std::shared_ptr<const BlockClocks>& clocks, const AccessTable& table) {
    if (clocks != clocks_ || table.generation() != generation_ || verdicts_.size() < table.size()) begin(clocks, table);
  }
  Verdict of(AccessMark mark) const {
    const size_t index = AccessTable::index_of(mark);
    return index < verdicts_.size() ? verdicts_[index] : Verdict::unknown;
  }
  void note(AccessMark mark, Verdict verdict) {
    const size_t index = AccessTable::index_of(mark);
    if (index < verdicts_.size()) verdicts_[index] = verdict;
  }

 private:
  static constexpr size_t kMost = 1 << 14;  // of which the processor's caches hold all

  void begin(const std::shared_ptr<const BlockClocks>& clocks, const AccessTable& table) {
    if (clocks != clocks_ || table.generation() != generation_) verdicts_.clear();
    clocks_ = clocks;  // held, so that no others have their address
    generation_ = table.generation();
    verdicts_.resize(table.size() < kMost ? table.size() : kMost);
    verdicts_[0] = Verdict::before;
  }

  std::shared_ptr<const BlockClocks> clocks_;
  uint64_t generation_ = 0;
  std::vector<Verdict> verdicts_;  // by the index of the record; the first one is none
};

}  // namespace assay::vgpu
