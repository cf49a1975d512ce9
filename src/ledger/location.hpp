// SPDX-License-Identifier: MIT
// Where a ledger lies: one file per project, unless someone says otherwise.
#pragma once

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace assay::ledger {

struct Location {
  std::filesystem::path file;      // empty: nothing is to be recorded
  bool explicitly_chosen = false;  // on the command line: then a problem with it is an error
  bool in_project_folder = false;  // the default place, whose folder is ours
};

// `choice` is what --ledger gave ("" if it was not given), then the environment's ASSAY_LEDGER, then the project's
// file. "none" means that nothing is recorded. `kernel` is the kernel's folder or file; empty: none is concerned.
Location find_ledger(const std::string& choice, const std::filesystem::path& kernel);

// The nearest folder from `kernel` upwards, else from the current one upwards, that has an .assay folder or a .git;
// else the current one.
std::filesystem::path find_project(const std::filesystem::path& kernel);

// Makes the ledger's folder; the default one gets a .gitignore of its own.
Result<void> prepare_folder(const Location& location);

}  // namespace assay::ledger
