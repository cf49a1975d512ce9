// SPDX-License-Identifier: MIT
// Long work that goes on where it was: finished pieces are in the ledger within half a second, under a hash of all that
// their results depend on. A run that was interrupted, however that came about, finds them again; one that came to its
// end forgets them, so that the next begins anew.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "ledger/ledger.hpp"

namespace assay::work {

// Work whose pieces are kept until longer work, which it is a part of, has come to its end.
using UnfinishedWork = std::vector<std::string>;
Result<void> finish(ledger::Ledger* ledger, const UnfinishedWork& unfinished);

class Resumption {
 public:
  // `ledger` may be null: then nothing is remembered. `work`: a hash of what is to be done.
  static Result<Resumption> open(ledger::Ledger* ledger, std::string work);

  const std::string& work() const { return work_; }
  const std::map<std::string, std::string>& pieces() const { return pieces_; }  // of an earlier run, by name
  size_t size() const { return pieces_.size(); }
  const std::string* recall(const std::string& piece) const;  // null: it is still to be done
  Result<void> remember(const std::string& piece, const std::string& payload);
  Result<void> flush();   // what is remembered is stored now
  Result<void> finish();  // all is done
  // The same, or, for work that is a part of longer work, the longer work finishes it at its own end.
  Result<void> finish(UnfinishedWork* longer);

 private:
  Resumption(ledger::Ledger* ledger, std::string work) : ledger_(ledger), work_(std::move(work)) {}

  ledger::Ledger* ledger_;
  std::string work_;
  std::map<std::string, std::string> pieces_;
  std::vector<ledger::WorkItem> unstored_;
  std::chrono::steady_clock::time_point stored_at_ = std::chrono::steady_clock::now();
};

}  // namespace assay::work
