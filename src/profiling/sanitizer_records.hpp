// SPDX-License-Identifier: MIT
// What compute-sanitizer found (--xml --save), in our form.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "gpu/finding.hpp"

namespace assay::profiling {

struct SanitizerRecords {
  std::vector<gpu::Finding> findings;  // as in gpu::FindingList: what repeats (the same line and thread) is folded
  uint64_t occurrences = 0;
  uint64_t other_records = 0;  // that are no findings in a kernel: failed calls of the driver
};

Result<SanitizerRecords> read_sanitizer_records(std::string_view xml);

}  // namespace assay::profiling
