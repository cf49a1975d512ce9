// SPDX-License-Identifier: MIT
// Whose kernel is it? Names of library kernels, by which a candidate that calls a library is found.
#pragma once

#include <string>
#include <string_view>

namespace assay::measure {

// "cuDNN", "PyTorch", ... or "" if the name belongs to no library that is known.
std::string library_of(std::string_view kernel);

}  // namespace assay::measure
