// SPDX-License-Identifier: MIT
// What assay sanitize, check and run say to people.
#pragma once

#include <string>

#include "check/checker.hpp"
#include "check/sanitizer.hpp"
#include "cli/command.hpp"

namespace assay::cli {

std::string sanitize_text(const spec::KernelSpec& spec, const check::SanitizeReport& report, const Options& options);
std::string check_text(const spec::KernelSpec& spec, const spec::Configuration& configuration,
                       const check::CheckReport& report, const Options& options);

// "assay check kernels/x --config ... --shape ... --seed 7": what repeats this case.
std::string repeat_command(const char* command, const spec::KernelSpec& spec, const spec::Configuration& configuration,
                           const check::Case& test, const Options& options);

}  // namespace assay::cli
