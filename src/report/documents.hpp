// SPDX-License-Identifier: MIT
// The JSON document of each command.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "build/builder.hpp"
#include "build/fit.hpp"
#include "check/checker.hpp"
#include "check/sanitizer.hpp"

namespace assay::report {

struct ConfigurationFits {
  const spec::Configuration* configuration = nullptr;
  std::vector<build::LaunchFit> launches;
};

nlohmann::json build_document(const spec::KernelSpec& spec, const build::BuildReport& report,
                              const std::vector<ConfigurationFits>& fits);
nlohmann::json sanitize_document(const check::SanitizeReport& report);
nlohmann::json check_document(const check::CheckReport& report);

}  // namespace assay::report
