// SPDX-License-Identifier: MIT
// One thing that assay export can do. The command asks each for its options, and runs the one that was chosen.
#pragma once

#include <memory>

#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::cli {

class CommandLine;

class ExportMode {
 public:
  virtual ~ExportMode() = default;

  virtual void declare(CommandLine& line) = 0;
  virtual bool chosen() const = 0;         // one of its options was given
  virtual const char* option() const = 0;  // that chooses it, for people
  virtual Result<ExitCode> run(const Context& context, bool json) = 0;
};

std::unique_ptr<ExportMode> export_results_mode();  // --format

}  // namespace assay::cli
