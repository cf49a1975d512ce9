// SPDX-License-Identifier: MIT
// Moments as people write and read them. All in microseconds since 1970, UTC.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace assay::ledger {

std::string iso_time(int64_t time_us);                       // "2026-11-15T05:30:00Z"
std::string relative_time(int64_t time_us, int64_t now_us);  // "5 min ago"; the date if it is long ago

// "30min", "12h", "3d", "2w" before now; "2026-11-15" or "2026-11-15T05:30[:00][Z]", UTC.
Result<int64_t> parse_since(std::string_view text, int64_t now_us);

}  // namespace assay::ledger
