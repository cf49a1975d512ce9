// SPDX-License-Identifier: MIT
// compute-sanitizer's view of a case that the virtual GPU has looked at.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "assay/sanitize.hpp"
#include "check/sanitizer.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct SecondOpinion {
  std::string tool;  // "memcheck"
  std::string device;
  std::string shape;
  check::CaseResult result;      // if it ran
  std::optional<Error> not_run;  // else why not, and what to do

  bool clean() const { return not_run.has_value() || result.passed(); }
};

// At the last shape that the virtual GPU ran. Never fails: what is missing is said.
SecondOpinion ask_compute_sanitizer(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                                    const check::SanitizeReport& report, const SanitizeRequest& request,
                                    const Context& context);
nlohmann::json second_opinion_json(const SecondOpinion& opinion);

}  // namespace assay::work
