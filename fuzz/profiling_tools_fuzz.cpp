// SPDX-License-Identifier: MIT
// Any bytes as what Nsight Compute and compute-sanitizer write: an error with a message, or records.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "profiling/ncu_csv.hpp"
#include "profiling/sanitizer_records.hpp"
#include "require.hpp"

using namespace assay;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto launches = profiling::read_ncu_csv(text);
  require(launches.ok() || !launches.error().message.empty());
  const auto records = profiling::read_sanitizer_records(text);
  require(records.ok() || !records.error().message.empty());
  require(!records.ok() || records->occurrences >= records->findings.size());
  return 0;
}
