// SPDX-License-Identifier: MIT
// Tasks and results of other benchmarks: tasks become kernel folders, results become attempts of the ledger that are
// marked as imported.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/new.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct ImportRequest {
  std::string path;      // a file or a folder
  std::string format;    // "flashinfer", "nvbench", ...; empty: what the files are
  std::string to = ".";  // tasks become folders in it
  RecordOptions record;
};

// Something that a file says and that has no place here.
struct NotCarriedOver {
  std::string where;
  std::string why;
};

struct ImportedTask {
  std::string name;
  std::string folder;
  std::vector<std::string> files;
  std::vector<OpenPoint> open;
  std::vector<NotCarriedOver> lost;
  std::string problem;  // why the kernel.toml cannot be read yet; empty: it can
};

struct ImportReport {
  ExitCode exit_code = ExitCode::good;
  std::string format;
  std::vector<ImportedTask> tasks;
  std::string ledger;   // the file; empty: nothing was recorded
  size_t results = 0;   // that the files hold
  size_t recorded = 0;  // of them, in the ledger now
  size_t known = 0;     // of them, there before
  std::vector<NotCarriedOver> lost;
  bool repaired = false;  // a file was cut off; what is whole was taken
};

// Nothing that exists is overwritten. The same result is recorded once.
Result<ImportReport> import_files(const ImportRequest& request, const Context& context = {});
std::string to_json(const ImportReport& report);

}  // namespace assay::work
