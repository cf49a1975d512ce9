// SPDX-License-Identifier: MIT
// SHA-256 (FIPS 180-4), so that a stranger can verify files with sha256sum.
#pragma once

#include <string>
#include <string_view>

namespace assay::evidence {

std::string sha256(std::string_view content);  // 64 hexadecimal digits

}  // namespace assay::evidence
