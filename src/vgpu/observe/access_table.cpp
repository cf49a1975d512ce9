// SPDX-License-Identifier: MIT
#include "vgpu/observe/access_table.hpp"

#include <stdexcept>

namespace assay::vgpu {

uint32_t AccessTable::find(const AccessRecord& record) {
  const uint32_t mixed = (record.who ^ record.when * 0x9e3779b1u ^ record.instruction * 0x85ebca6bu) * 0x9e3779b1u;
  uint32_t& index = (*recent_)[mixed >> 22];
  static_assert(kRecent == 1u << (32 - 22));
  if (records_[index] != record || index == 0) {
    add(record);
    index = static_cast<uint32_t>(records_.size() - 1);
  }
  return index;
}

// By a quarter, as the table may be a good part of all that the shadow takes.
void AccessTable::add(const AccessRecord& record) {
  if (records_.size() == kMost) throw std::length_error("racecheck cannot tell more than 67 million accesses apart");
  if (records_.size() == records_.capacity()) records_.reserve(records_.size() + records_.size() / 4 + 64);
  records_.push_back(record);
}

void AccessTable::clear() {
  records_ = std::vector<AccessRecord>(1);
  if (recent_ == nullptr) recent_ = std::make_unique<std::array<uint32_t, kRecent>>();
  recent_->fill(0);
  last_ = 0;
  ++generation_;
}

std::vector<uint32_t> AccessTable::keep(const std::vector<bool>& used) {
  std::vector<uint32_t> now(records_.size());
  uint32_t next = 1;
  for (size_t i = 1; i < records_.size(); ++i) {
    if (!used[i]) continue;
    records_[next] = records_[i];
    now[i] = next++;
  }
  records_.resize(next);
  records_.shrink_to_fit();
  recent_->fill(0);
  last_ = 0;
  ++generation_;
  return now;
}

}  // namespace assay::vgpu
