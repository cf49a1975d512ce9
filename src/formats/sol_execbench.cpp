// SPDX-License-Identifier: MIT
#include "formats/sol_execbench.hpp"

#include "formats/flashinfer.hpp"

namespace assay::formats {

Result<Imported> read_sol_execbench(const TextFiles& files) {
  ASSAY_TRY(const TraceSet set, read_trace_set(files, TraceDialect::sol));
  return to_imported(set, TraceDialect::sol);
}

std::optional<double> sol_score(double time_us, double floor_us, double baseline_us) {
  if (!(floor_us > 0) || !(baseline_us > floor_us) || !(time_us >= floor_us)) return std::nullopt;
  return 1 / (1 + (time_us - floor_us) / (baseline_us - floor_us));
}

}  // namespace assay::formats
