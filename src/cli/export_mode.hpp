// SPDX-License-Identifier: MIT
// One thing that assay export can do. The command asks each for its options, and runs the one that was chosen.
#pragma once

#include <memory>
#include <string>

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
  // `out`: where it goes; empty: what the mode itself chooses.
  virtual Result<ExitCode> run(const std::string& out, const Context& context, bool json) = 0;
};

std::unique_ptr<ExportMode> export_results_mode();  // --format
std::unique_ptr<ExportMode> export_torch_mode();    // --torch

}  // namespace assay::cli
