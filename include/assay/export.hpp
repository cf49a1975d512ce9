// SPDX-License-Identifier: MIT
// Results of the ledger in other tools' formats.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/import.hpp"
#include "assay/log.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct ExportRequest {
  std::string format;                      // one of export_formats()
  LogRequest attempts;                     // which; its kind does not count, and its limit 0 means all
  bool imported = false;                   // those that were imported, instead of our own
  std::string samples_folder = "samples";  // where files of samples go, relative to the text
};

struct ExportedFile {
  std::string path;  // relative to the text
  std::string content;
};

struct ExportReport {
  std::string format;
  std::string ledger;
  size_t results = 0;
  std::string text;
  std::vector<ExportedFile> files;  // that belong beside it
  std::vector<NotCarriedOver> lost;
  std::vector<std::string> damaged;  // rows of the ledger that make no sense
};

Result<ExportReport> export_results(const ExportRequest& request);

// The formats that can be written.
const std::vector<std::string>& export_formats();

}  // namespace assay::work
