// SPDX-License-Identifier: MIT
// What a tuning measured, one JSON object a line, each on the disk before the next begins. The first line says what the
// results depend on; a journal of anything else is not used. A last line that a kill cut short is as if it were not
// there.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "assay/tune.hpp"
#include "base/result.hpp"

namespace assay::work {

// What results depend on: in words, so that a change can be named.
using TuneDependencies = std::map<std::string, std::string>;

// One evaluation as a line of JSON, and back: nothing if the line is not what we wrote.
std::string evaluation_line(const TunedConfiguration& evaluated);
std::optional<TunedConfiguration> read_evaluation(const std::string& line);

class TuneJournal {
 public:
  // Goes on with the file if `resume` and it is of the same work; else begins anew. "none": remembers, but writes
  // nothing.
  static Result<TuneJournal> open(const std::filesystem::path& file, const TuneDependencies& dependencies, bool resume);
  ~TuneJournal();
  TuneJournal(TuneJournal&& other) noexcept;
  TuneJournal& operator=(TuneJournal&&) = delete;

  size_t size() const { return known_.size(); }
  const std::string& started_anew() const { return started_anew_; }  // why; empty if it did not, or was to
  const TunedConfiguration* recall(const std::string& configuration) const;
  Result<void> remember(const TunedConfiguration& evaluated);  // on the disk when it returns

 private:
  TuneJournal() = default;
  Result<void> append(const std::string& line);

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::string started_anew_;
  std::map<std::string, TunedConfiguration> known_;
};

}  // namespace assay::work
