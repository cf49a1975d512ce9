// SPDX-License-Identifier: MIT
#pragma once

namespace assay::cli {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace assay::cli
