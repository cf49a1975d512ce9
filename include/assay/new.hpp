// SPDX-License-Identifier: MIT
// Describes a kernel that nobody has described yet: a kernel.toml and a reference to be written, from its source.
#pragma once

#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct NewRequest {
  std::string source;             // the .cu or .ptx file; empty with `like`
  std::string name;               // of the folder that is made; empty: that of the source, without its ending
  std::string like;               // the name of a kernel that is copied, or its folder
  std::string kernel;             // only this kernel of the source: a name or pattern as in `entry`; empty: all
  std::string reference = "cpp";  // language of the reference to be written: "cpp" or "python"
  std::string target;             // "sm_90a"; empty: what the source compiles for
  bool trial = true;              // run each kernel once on a virtual GPU, to see whether the guessed sizes do
};

// Something that a person has to decide, or to write.
struct OpenPoint {
  std::string file;
  int line = 0;
  std::string text;
};

// One kernel that was described.
struct NewKernel {
  std::string folder;
  std::string entry;                 // as C++ writes it
  std::string verdict;               // of the trial: "clean", "finding", "not run"
  std::string message;               // what was found, or why it was not run
  std::string signature;             // where names and types are from: "debug information", "source text", "PTX"
  std::vector<std::string> missing;  // what debug information lacks
  std::vector<OpenPoint> open;
};

struct NewReport {
  ExitCode exit_code = ExitCode::good;
  std::vector<NewKernel> kernels;
  std::vector<std::string> files;  // that were written
};

// Nothing that exists is overwritten.
Result<NewReport> describe(const NewRequest& request, const Context& context = {});
std::string to_json(const NewReport& report);

}  // namespace assay::work
