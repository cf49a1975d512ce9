// SPDX-License-Identifier: MIT
// What a case that did not pass says, and about whom: docs/exit_codes.md has the table.
#pragma once

#include <optional>

#include "base/result.hpp"
#include "check/case_result.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

ExitCode exit_code(check::Outcome outcome);

// The error that a result is if it says nothing about the kernel: the specification or the reference is wrong, or the
// device cannot run it.
std::optional<Error> no_verdict(const spec::KernelSpec& spec, const check::CaseResult& result);

// Of several: the kernel's own fault first, then what kept it from being judged.
ExitCode worse(ExitCode one, ExitCode other);

}  // namespace assay::work
