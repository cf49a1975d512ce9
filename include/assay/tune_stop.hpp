// SPDX-License-Identifier: MIT
// The stop rule of a search: a kernel that is less than half as fast as its baseline has a reason that no configuration
// mends. It is diagnosed, and the search does not begin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "assay/context.hpp"
#include "assay/diagnose.hpp"
#include "assay/result.hpp"
#include "assay/saving.hpp"
#include "assay/tune.hpp"

namespace assay::work {

struct TuneStop {
  std::string kernel;
  std::string baseline;
  std::string shape;  // the slowest beside it
  double speed = 0;   // of the default configuration, over the baseline's: below 0.5
  DiagnoseReport diagnosis;
  Saving saved;           // the evaluations that the search might have made
  double compared_s = 0;  // what finding out took
  std::optional<int64_t> attempt;
};

// The default configuration beside the baseline, on the GPU that is to be tuned for. Nothing: the search may begin,
// because the kernel is fast enough, or because there is no GPU, no baseline, or none that can be measured (which is
// noted). `baseline`: empty for the first of the specification.
Result<std::optional<TuneStop>> stop_before_tuning(const TuneRequest& request, const std::string& baseline,
                                                   const Context& context = {});
std::string to_json(const TuneStop& stop);

}  // namespace assay::work
