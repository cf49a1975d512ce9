// SPDX-License-Identifier: MIT
// A gate's result as JUnit XML, for the test views of CI systems.
#pragma once

#include <string>

#include "judge/gate.hpp"

namespace assay::report {

// One test case per case: a failure for REGRESSION, INCORRECT and, unless it passes, INCONCLUSIVE; "skipped" otherwise.
std::string junit_xml(const judge::GateResult& result);

}  // namespace assay::report
