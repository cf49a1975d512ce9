// SPDX-License-Identifier: MIT
// What a tuning measured, one evaluation a line of a journal, each on the disk before the next begins.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "assay/tune.hpp"
#include "base/result.hpp"
#include "work/journal_file.hpp"

namespace assay::work {

// What results depend on: in words, so that a change can be named.
using TuneDependencies = std::map<std::string, std::string>;

class TuneJournal {
 public:
  // Goes on with the file if `resume` and it is of the same work; else begins anew. "none": nothing is written.
  static Result<TuneJournal> open(const std::filesystem::path& file, const TuneDependencies& dependencies, bool resume);

  const std::vector<TunedConfiguration>& known() const { return known_; }  // as evaluated, one after the other
  std::string started_anew() const {
    return file_ ? file_->started_anew() : "";
  }  // why; empty if it did not, or was to
  Result<void> remember(const TunedConfiguration& evaluated);  // on the disk when it returns

 private:
  TuneJournal() = default;

  std::optional<JournalFile> file_;
  std::vector<TunedConfiguration> known_;  // each once
};

}  // namespace assay::work
