// SPDX-License-Identifier: MIT
// Everything that the ledger knows of a kernel, a run, a suite, two attempts or a period: one HTML file, or Markdown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct ReportRequest {
  std::string ledger;             // a file; empty: $ASSAY_LEDGER, else the project's
  std::string kernel;             // a folder with a kernel.toml, that file, or the kernel's name in the ledger
  std::vector<int64_t> attempts;  // instead: one attempt, or two to be compared, the candidate first
  std::string since;              // what began since: "12h", "3d", "2w", or a date; of one kernel or of all
  std::string file;               // where it goes; empty: reports/ beside the ledger, named after the subject
  std::string format = "html";    // or "markdown"
};

struct ReportReport {
  std::string file;     // that was written
  std::string subject;  // "kernel", "run", "suite", "attempt", "comparison", "period"
  std::string title;
  std::string verdict;  // one or two sentences
  size_t attempts = 0;  // that it rests on
  size_t bytes = 0;
};

Result<ReportReport> report(const ReportRequest& request, const Context& context = {});
std::string to_json(const ReportReport& report);

// The report as text, and nothing is written.
Result<std::string> report_text(const ReportRequest& request);

}  // namespace assay::work
