// SPDX-License-Identifier: MIT
// Findings as the API gives them.
#pragma once

#include <string>

#include "assay/finding.hpp"
#include "gpu/finding.hpp"

namespace assay::work {

Finding public_finding(const gpu::Finding& finding, const std::string& shape);

}  // namespace assay::work
