// SPDX-License-Identifier: MIT
// Results of the gate as JUnit XML, for the test views of CI systems.
#pragma once

#include <string>

#include "report/gated_kernel.hpp"

namespace assay::report {

// One suite per kernel and one test case per case: a failure for REGRESSION, INCORRECT and, unless it passes,
// INCONCLUSIVE; "skipped" otherwise.
std::string junit_xml(const GatedKernels& kernels);

}  // namespace assay::report
