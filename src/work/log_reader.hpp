// SPDX-License-Identifier: MIT
// Reads a ledger for those who look back.
#pragma once

#include <functional>
#include <vector>

#include "assay/log.hpp"
#include "ledger/ledger.hpp"
#include "work/story.hpp"

namespace assay::work {

struct LogDetails {
  std::vector<ledger::Attempt> attempts;
};

class LogReader {
 public:
  // An error if nothing has been recorded yet.
  static Result<LogReader> open(const std::string& ledger);

  const std::filesystem::path& file() const { return ledger_.file(); }

  struct Shown {
    ledger::Attempt attempt;
    std::vector<ledger::Samples> samples;
    std::vector<ledger::Note> notes{};
    std::vector<ledger::SourceFile> sources{};
  };
  Result<Shown> show(int64_t attempt);  // with notes and sources
  Result<std::vector<ledger::LeaderboardRow>> best(const LogRequest& request);
  // The oldest first, one after the other however many there are; limit 0: all. What makes no sense (somebody wrote
  // into the file) goes to `damaged` and passed over.
  Result<void> each(const LogRequest& request, const std::function<Result<void>(const Shown&)>& on_attempt,
                    const std::function<void(const Error&)>& damaged);
  Result<std::vector<ledger::Note>> notes() { return ledger_.notes(); }
  Result<std::vector<Story>> tell(const LogRequest& request);  // one story for each kernel
  Result<std::vector<ledger::Machine>> machines() { return ledger_.machines(); }

 private:
  explicit LogReader(ledger::Ledger ledger) : ledger_(std::move(ledger)) {}

  ledger::Ledger ledger_;
};

}  // namespace assay::work
