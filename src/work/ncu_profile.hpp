// SPDX-License-Identifier: MIT
// One case of a kernel under Nsight Compute, beside its counts: what assay profile and assay diagnose share.
#pragma once

#include "assay/context.hpp"
#include "assay/kernel_choice.hpp"
#include "check/cases.hpp"
#include "profiling/ncu.hpp"
#include "profiling/profile.hpp"
#include "spec/configuration.hpp"
#include "spec/kernel_spec.hpp"

namespace assay::work {

struct NcuProfiling {
  const spec::KernelSpec& spec;
  const spec::Configuration& configuration;
  CaseLimits limits;
  check::Case test;
  profiling::NcuKept kept;
};

// Into `profile`, whose entry is known. Whatever is missing is said there; the counts are good without it.
void measure_under_ncu(const NcuProfiling& wanted, const Context& context, profiling::Profile& profile);

}  // namespace assay::work
