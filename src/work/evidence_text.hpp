// SPDX-License-Identifier: MIT
// The page that a stranger reads first.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "evidence/archive.hpp"
#include "ledger/ledger.hpp"

namespace assay::work {

struct EvidenceSubject {
  ledger::Attempt attempt;
  std::vector<ledger::Samples> samples;
  std::vector<ledger::SourceFile> sources;
  std::vector<ledger::Note> notes;
  std::string machine;        // its description, a JSON object; empty: not known
  std::string kernel_folder;  // in the archive
  std::optional<ledger::Attempt> predecessor;
};

std::string evidence_readme(const EvidenceSubject& subject, const std::vector<evidence::PackedFile>& files,
                            const std::vector<std::string>& left_out);

}  // namespace assay::work
