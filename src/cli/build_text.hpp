// SPDX-License-Identifier: MIT
// The tables that assay build and assay run print.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "build/builder.hpp"
#include "report/documents.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::cli {

// Where each configuration fits, over the shapes of the specification.
Result<std::vector<report::ConfigurationFits>> configuration_fits(
    const spec::KernelSpec& spec, const std::vector<spec::Configuration>& configurations,
    const build::BuildReport& report);

std::string build_text(const spec::KernelSpec& spec, const build::BuildReport& report,
                       const std::vector<report::ConfigurationFits>& fits);

}  // namespace assay::cli
