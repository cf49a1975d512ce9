// SPDX-License-Identifier: MIT
#include "gpu/finding_list.hpp"

#include <algorithm>

namespace assay::gpu {
namespace {

// Threads of all blocks with one position in the block are one: the first block's is shown.
void list_thread(Finding& finding, FindingThread thread) {
  const bool known = std::ranges::find(finding.threads, thread.thread, &FindingThread::thread) != finding.threads.end();
  if (!known && finding.threads.size() < FindingList::kMostThreads) finding.threads.push_back(std::move(thread));
}

}  // namespace

FindingList::Place FindingList::place_of(const Finding& finding) {
  const SourceLine* line = user_line(finding);
  return {finding.kind,
          finding.access,
          finding.space,
          finding.bytes,
          line != nullptr ? line->file : finding.kernel,
          line != nullptr ? line->line : finding.ptx_line,
          line != nullptr ? line->column : -1};
}

bool FindingList::add(Finding finding) {
  Threads threads;
  for (const FindingThread& thread : finding.threads) threads[thread.thread] += thread.count;
  if (threads.empty()) threads[finding.thread] = finding.count;
  return add(std::move(finding), threads);
}

bool FindingList::add(Finding finding, const Threads& threads) {
  occurrences_ += finding.count;
  if (finding.threads.empty())
    finding.threads.push_back({finding.block, finding.thread, finding.address, finding.allocation, finding.count});
  const auto [entry, fresh] = index_.try_emplace(place_of(finding), findings_.size());
  if (fresh && findings_.size() >= kMost) {
    not_listed_ += finding.count;
    index_.erase(entry);
    return false;
  }
  if (fresh) {
    finding.thread_count = std::max<uint64_t>(finding.thread_count, threads.size());
    findings_.push_back(std::move(finding));
    threads_.push_back(threads);
    return true;
  }
  Finding& into = findings_[entry->second];
  Threads& known = threads_[entry->second];
  into.count += finding.count;
  for (const auto& [thread, count] : threads) known[thread] += count;
  for (FindingThread& thread : finding.threads) list_thread(into, std::move(thread));
  for (FindingThread& listed : into.threads) listed.count = known[listed.thread];
  into.thread_count = std::max({into.thread_count, finding.thread_count, uint64_t{known.size()}});
  return false;
}

void FindingList::merge(FindingList&& other) {
  for (size_t i = 0; i < other.findings_.size(); ++i) add(std::move(other.findings_[i]), other.threads_[i]);
  occurrences_ += other.not_listed_;
  not_listed_ += other.not_listed_;
}

}  // namespace assay::gpu
