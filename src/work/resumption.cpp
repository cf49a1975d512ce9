// SPDX-License-Identifier: MIT
#include "work/resumption.hpp"

namespace assay::work {

Result<Resumption> Resumption::open(ledger::Ledger* ledger, std::string work) {
  Resumption resumption(ledger, std::move(work));
  if (ledger == nullptr) return resumption;
  ASSAY_TRY(const std::vector<ledger::WorkItem> items, ledger->work_items(resumption.work_));
  for (const ledger::WorkItem& item : items) {
    if (item.done) resumption.pieces_[item.key] = item.payload;
  }
  return resumption;
}

const std::string* Resumption::recall(const std::string& piece) const {
  const auto found = pieces_.find(piece);
  return found == pieces_.end() ? nullptr : &found->second;
}

Result<void> Resumption::remember(const std::string& piece, const std::string& payload) {
  if (ledger_ == nullptr) return {};
  unstored_.push_back({piece, std::nullopt, true, payload});
  // To be sure of one costs the disk some milliseconds; short work is not to pay that for each.
  constexpr std::chrono::milliseconds kPause{500};
  return std::chrono::steady_clock::now() - stored_at_ < kPause ? Result<void>() : flush();
}

Result<void> Resumption::flush() {
  if (ledger_ == nullptr || unstored_.empty()) return {};
  ASSAY_CHECK(ledger_->set_work_items(work_, unstored_));
  unstored_.clear();
  stored_at_ = std::chrono::steady_clock::now();
  return {};
}

Result<void> Resumption::finish() {
  unstored_.clear();
  if (ledger_ == nullptr) return {};
  return ledger_->forget_work_items(work_);
}

Result<void> Resumption::finish(UnfinishedWork* longer) {
  if (longer == nullptr) return finish();
  longer->push_back(work_);
  return flush();
}

Result<void> finish(ledger::Ledger* ledger, const UnfinishedWork& unfinished) {
  if (ledger == nullptr) return {};
  for (const std::string& work : unfinished) ASSAY_CHECK(ledger->forget_work_items(work));
  return {};
}

}  // namespace assay::work
