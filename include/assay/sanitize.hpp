// SPDX-License-Identifier: MIT
// Runs a kernel under the checks of a virtual GPU: bad accesses, races, barriers, uses of what nothing has written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assay/context.hpp"
#include "assay/finding.hpp"
#include "assay/kernel_choice.hpp"
#include "assay/result.hpp"

namespace assay::work {

struct SanitizeRequest {
  KernelChoice choice;  // without a device: the virtual GPU that is most like this machine's
  std::string shape;    // "NAME=value,..."; empty: some from the smallest to the largest that is affordable
  std::string checks;   // "memcheck,racecheck"; empty: all
  uint64_t seed = 1;
  bool costs = true;  // say what the checks cost
  CaseLimits limits;
  // A tool of compute-sanitizer that looks at the last shape on the GPU as well: "memcheck", "racecheck", "initcheck",
  // "synccheck".
  std::optional<std::string> compute_sanitizer;
  RecordOptions record;
};

struct SanitizeDetails;

struct SanitizeReport {
  ExitCode exit_code = ExitCode::good;
  std::string verdict;  // "clean"; "failed"; "not judged": the device cannot run it, or it ran out of time
  std::string kernel;
  std::string configuration;
  std::string device;
  std::vector<Finding> findings;         // what repeats is folded
  std::vector<std::string> shapes;       // that were run
  std::vector<std::string> checked;      // classes of defects that were looked for
  std::vector<std::string> not_checked;  // and known ones that were not
  std::shared_ptr<const SanitizeDetails> details;

  bool clean() const { return exit_code == ExitCode::good; }
};

Result<SanitizeReport> sanitize(const SanitizeRequest& request, const Context& context = {});
std::string to_json(const SanitizeReport& report);

}  // namespace assay::work
