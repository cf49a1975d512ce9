// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "assay/diagnose.hpp"

namespace assay::cli {

// One screen: the distance to the floor, then the findings, the largest cap first.
std::string diagnose_text(const work::DiagnoseReport& report, size_t most);

}  // namespace assay::cli
