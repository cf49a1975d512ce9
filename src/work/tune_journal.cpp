// SPDX-License-Identifier: MIT
#include "work/tune_journal.hpp"

#include <nlohmann/json.hpp>
#include <set>

#include "work/tune_json.hpp"

namespace assay::work {
using nlohmann::json;

Result<TuneJournal> TuneJournal::open(const std::filesystem::path& file, const TuneDependencies& dependencies,
                                      bool resume) {
  TuneJournal journal;
  if (file == "none") return journal;
  ASSAY_TRY(JournalFile opened, JournalFile::open(file, {"assay tune", dependencies, json::object()}, resume));
  std::set<std::string> seen;
  for (const json& line : opened.lines()) {
    auto known = evaluation_from(line);
    if (!known || !seen.insert(known->configuration).second) continue;
    known->recalled = true;
    journal.known_.push_back(std::move(*known));
  }
  journal.file_.emplace(std::move(opened));
  return journal;
}

Result<void> TuneJournal::remember(const TunedConfiguration& evaluated) {
  return file_ ? file_->append(evaluation_json(evaluated)) : Result<void>();
}

}  // namespace assay::work
