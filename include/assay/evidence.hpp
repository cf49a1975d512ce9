// SPDX-License-Identifier: MIT
// An attempt with all that somebody else needs to believe it: sources, what was changed, samples, report and commands.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct EvidenceRequest {
  int64_t attempt = 0;
  std::string ledger;              // a file; empty: $ASSAY_LEDGER, else the project's
  std::optional<int64_t> against;  // what it is compared with; none: the last attempt of other sources before it
  std::string out;                 // a new folder, or a file *.tar.gz; empty: evidence-ID.tar.gz
};

struct EvidenceReport {
  std::string out;
  int64_t attempt = 0;
  std::string kernel;
  std::optional<int64_t> predecessor;
  std::vector<std::string> files;     // in it, by name
  std::vector<std::string> left_out;  // sources whose path leads elsewhere
  size_t bytes = 0;                   // of all files, as they are
};

Result<EvidenceReport> evidence(const EvidenceRequest& request);
std::string to_json(const EvidenceReport& report);

}  // namespace assay::work
