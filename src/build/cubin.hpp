// SPDX-License-Identifier: MIT
// The resources of the kernels in a cubin, read from the ELF file itself.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "build/resource_usage.hpp"

namespace assay::build {

// Everything but the spills. The bytes are not trusted: what lies outside of the file, contradicts itself or is of a
// layout that this reader does not know stays empty. An error means that this is no linked cubin at all.
Result<std::vector<ResourceUsage>> read_cubin(std::string_view bytes);

// What it was made for: 90 for sm_90 and sm_90a; 0 if it does not say.
int cubin_architecture(std::string_view bytes);

}  // namespace assay::build
