// SPDX-License-Identifier: MIT
// Whether the figures of documents are those that were recorded.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/exit_code.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct ClaimsRequest {
  std::vector<std::string> files;  // Markdown; folders stand for all of it in them
  std::string ledger;              // for claims about attempts; empty: $ASSAY_LEDGER, else the project's
};

struct WrongFigure {
  std::string file;
  int line = 0;
  std::string figure;    // as the document has it
  std::string recorded;  // the number that was recorded, or what is wrong in words
  std::string source;    // "attention.txt", "attempt 12"
};

struct ClaimsReport {
  ExitCode exit_code = ExitCode::good;  // incorrect: a figure is another one than what was recorded
  size_t files = 0;
  size_t files_with_claims = 0;
  size_t claims = 0;
  size_t figures = 0;  // that were compared
  std::vector<WrongFigure> wrong;
};

Result<ClaimsReport> claims(const ClaimsRequest& request);
std::string to_json(const ClaimsReport& report);

}  // namespace assay::work
