// SPDX-License-Identifier: MIT
// compute-sanitizer's view of a case that the virtual GPU has looked at: for assay sanitize --with compute-sanitizer.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "check/sanitizer.hpp"
#include "cli/command.hpp"

namespace assay::cli {

struct SecondOpinion {
  std::string tool;  // "memcheck"
  std::string device;
  std::string shape;
  check::CaseResult result;      // if it ran
  std::optional<Error> not_run;  // else why not, and what to do

  bool clean() const { return not_run.has_value() || result.passed(); }
};

// The shape that was given, or the last one that the virtual GPU ran. Never fails: what is missing is said.
SecondOpinion ask_compute_sanitizer(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const check::SanitizeReport& report, const Options& options);

std::string second_opinion_text(const SecondOpinion& opinion);
nlohmann::json second_opinion_json(const SecondOpinion& opinion);

}  // namespace assay::cli
