// SPDX-License-Identifier: MIT
// What a report of tuning holds beside its public part.
#pragma once

#include <vector>

#include "assay/tune.hpp"
#include "formats/tuned_run.hpp"
#include "spec/shape.hpp"
#include "tune/space.hpp"

namespace assay::work {

struct TuneDetails {
  tune::Space space;
  formats::TunedRun run;  // its space is the one above
  std::vector<spec::Shape> shapes;
  std::vector<size_t> winners;  // of the space, by shape
};

}  // namespace assay::work
