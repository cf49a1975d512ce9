// SPDX-License-Identifier: MIT
// What goes into experiments and comes out of them: the launch as it is known before, and the resources that the
// experiments say something of.
#pragma once

#include "assay/invert.hpp"
#include "invert/mutation.hpp"
#include "work/estimating.hpp"

namespace assay::work {

invert::Facts facts_of(const EstimatedCase& known);
// On an SM, with the launch so changed. Without ptxas: by the registers of the kernel as it is, where they are known.
int blocks_that_fit(const invert::Facts& facts, const gpu::LaunchChange& launch);

// Resources, the first of them and the sentence, from the report's experiments.
void read_experiments(InvertReport& report);

}  // namespace assay::work
