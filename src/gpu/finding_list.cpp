// SPDX-License-Identifier: MIT
#include "gpu/finding_list.hpp"

namespace assay::gpu {

FindingList::Key FindingList::key_of(const Finding& finding) {
  const SourceLine* line = user_line(finding);
  return {finding.kind,
          finding.access,
          line != nullptr ? line->file : finding.kernel,
          line != nullptr ? line->line : 0,
          line != nullptr ? 0 : finding.instruction_index,
          finding.thread};
}

bool FindingList::add(Finding finding) {
  occurrences_ += finding.count;
  const auto [entry, fresh] = index_.try_emplace(key_of(finding), findings_.size());
  if (!fresh) {
    findings_[entry->second].count += finding.count;
    return false;
  }
  if (findings_.size() >= kMost) {
    index_.erase(entry);
    not_listed_ += finding.count;
    return false;
  }
  findings_.push_back(std::move(finding));
  return true;
}

void FindingList::merge(FindingList&& other) {
  for (Finding& finding : other.findings_) add(std::move(finding));
  occurrences_ += other.not_listed_;
  not_listed_ += other.not_listed_;
}

}  // namespace assay::gpu
